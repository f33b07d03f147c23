from __future__ import annotations

from decimal import Decimal
from urllib.parse import urlencode

import pytest

from portal.demo.network.server import Simulator
from tests.simulator import FORM, VISITOR, Caller


@pytest.mark.parametrize("visitor", [VISITOR, f"default1{VISITOR}"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_pixel_makes_a_sale(
    simulator: Simulator, caller: Caller, method: str, visitor: str
) -> None:
    caller.click()
    values = {
        "TotalCost": "12.50",
        "OrderID": "INV-1",
        "ProductID": "p",
        "PStatus": "A",
        "Currency": "USD",
        "data1": "x",
        "visitorId": visitor,
        "ip": "203.0.113.7",
    }
    text = urlencode(values)
    if method == "GET":
        reply = caller.call("GET", f"/scripts/sale.php?{text}")
    else:
        headers = {"Content-Type": FORM}
        reply = caller.call("POST", "/scripts/sale.php", body=text, headers=headers)

    assert reply.headers["Content-Type"] == "image/gif"
    assert reply.body.startswith(b"GIF89a")
    [one] = simulator.state.transactions
    assert (one.orderid, one.totalcost, one.currency) == (
        "INV-1",
        Decimal("12.50"),
        "USD",
    )
    assert (one.refid, one.status, one.data1) == ("testaff", "A", "x")
    assert one.ip == "127.0.0.1"


def test_pixel_without_a_visitor_credits_nobody(
    simulator: Simulator, caller: Caller
) -> None:
    caller.click()

    caller.call("GET", "/scripts/sale.php?TotalCost=1&OrderID=INV-1")

    assert simulator.state.transactions == []
