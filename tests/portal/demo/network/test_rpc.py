from __future__ import annotations

import re
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

import pytest

from portal.demo.network.server import Simulator
from tests.simulator import FORM, Caller

FORM_CLASS = "Pap_Merchants_Transaction_TransactionsForm"
GRID = {"C": "Pap_Merchants_Transaction_TransactionsGrid", "M": "getRows"}


def grid(order: str, **more: Any) -> dict[str, Any]:
    return {
        **GRID,
        "filters": [["orderid", "E", order]],
        "offset": 0,
        "limit": 30,
        **more,
    }


def refund(order: str, **more: Any) -> dict[str, Any]:
    return {
        "C": FORM_CLASS,
        "M": "makeRefundChargebackByParams",
        "filters": [["orderid", "E", order]],
        "merchant_note": "sent back",
        "status": "R",
        "fee": 0,
        **more,
    }


def action(info: str) -> dict[str, str]:
    return {"success": "Y", "finished": "Y", "errorMessage": "", "infoMessage": info}


@pytest.mark.parametrize("service", ["Pap", "Gpf"])
def test_right_password_opens_a_session(caller: Caller, service: str) -> None:
    answer = caller.log_in(service=service)

    assert answer["success"] == "Y"
    assert answer["fields"][0] == ["name", "value", "values", "error"]
    assert re.fullmatch(r"[0-9a-f]{32}", dict(r[:2] for r in answer["fields"])["S"])


def test_wrong_password_opens_none(simulator: Simulator, caller: Caller) -> None:
    answer = caller.log_in(password="wrong")

    assert answer["success"] == "N"
    assert answer["message"]
    assert "S" not in [row[0] for row in answer["fields"]]
    assert simulator.state.sessions == {}


@pytest.mark.parametrize("session", ["", "made-up"])
def test_every_request_without_a_session_is_refused(
    caller: Caller, session: str
) -> None:
    answers = caller.run(grid("A"), grid("B"), session=session)

    assert [list(answer) for answer in answers] == [["e"], ["e"]]
    assert "session" in answers[0]["e"].lower()


def test_session_ends(simulator: Simulator, caller: Caller) -> None:
    simulator.settings.change({"clock": 1_000.0, "session_lifetime_s": 60})
    session = caller.session()
    assert "rows" in caller.run(grid("A"), session=session)[0]

    simulator.settings.clock = 1_060.0

    assert list(caller.run(grid("A"), session=session)[0]) == ["e"]


def test_unknown_class_is_refused_beside_the_others(caller: Caller) -> None:
    answers = caller.run({"C": "Nothing", "M": "run"}, grid("A"))

    assert answers[0] == {"e": "Class does not exist"}
    assert answers[1]["count"] == 0


def test_grid_answers_the_rows_of_an_order_by_name(caller: Caller) -> None:
    caller.sell("INV-1", a="testaff", s="A")
    caller.sell("INV-2", a="testaff")

    [answer] = caller.run(grid("INV-1"))

    assert answer["count"] == 1
    head, row = answer["rows"]
    found = dict(zip(head, row, strict=True))
    assert found["orderid"] == "INV-1"
    assert (found["totalcost"], found["commission"]) == ("10.00", "1.00")
    assert (found["rtype"], found["rstatus"]) == ("S", "A")
    assert (found["userid"], found["id"]) == ("11111111", found["transid"])


def test_grid_answers_the_columns_asked_for(caller: Caller) -> None:
    caller.sell("INV-1", a="testaff")

    [answer] = caller.run(grid("INV-1", columns=[["orderid"], ["userid"]]))

    assert answer["rows"] == [["orderid", "userid"], ["INV-1", "11111111"]]


def test_grid_of_an_unknown_order_has_its_head_only(caller: Caller) -> None:
    [answer] = caller.run(grid("INV-1", columns=[["id"]]))

    assert answer == {"rows": [["id"]], "count": 0}


@pytest.mark.parametrize("kind", ["R", "H"])
def test_refund_adds_a_negative_row(
    simulator: Simulator, caller: Caller, kind: str
) -> None:
    caller.sell("INV-1", a="testaff", s="A")
    caller.sell("INV-2", a="testaff", s="A")

    [answer] = caller.run(refund("INV-1", status=kind, fee=0.5))

    assert answer["success"] == "Y"
    assert answer["infoMessage"]
    sale, _, taken = simulator.state.transactions
    assert (taken.type, taken.status, taken.orderid) == (kind, "A", "INV-1")
    assert (taken.commission, taken.parent) == (Decimal("-1.50"), sale.transid)
    assert (sale.status, taken.note) == ("A", "sent back")


def test_second_refund_succeeds_and_does_nothing(
    simulator: Simulator, caller: Caller
) -> None:
    caller.sell("INV-1", a="testaff")
    caller.run(refund("INV-1"))

    [answer] = caller.run(refund("INV-1"))

    assert answer["success"] == "Y"
    assert [one.type for one in simulator.state.transactions] == ["S", "R"]


def test_refund_of_a_declined_sale_does_nothing(
    simulator: Simulator, caller: Caller
) -> None:
    caller.sell("INV-1", a="testaff", s="D")

    [answer] = caller.run(refund("INV-1"))

    assert answer["success"] == "Y"
    assert [one.type for one in simulator.state.transactions] == ["S"]


def test_refund_that_matches_nothing_succeeds_without_a_word(caller: Caller) -> None:
    assert caller.run(refund("INV-1")) == [action("")]


@pytest.mark.parametrize("filters", [[], [["orderid", "E", ""]], None])
def test_refund_of_everything_is_refused(
    simulator: Simulator, caller: Caller, filters: Any
) -> None:
    caller.sell("INV-1", a="testaff")

    [answer] = caller.run(refund("INV-1", filters=filters))

    assert list(answer) == ["e"]
    assert len(simulator.state.transactions) == 1


def test_refund_by_transaction(simulator: Simulator, caller: Caller) -> None:
    caller.sell("INV-1", a="testaff")
    ids = [simulator.state.transactions[0].transid]
    request = {"C": FORM_CLASS, "M": "makeRefundChargeback", "ids": ids, "status": "H"}

    [answer] = caller.run(request)

    assert answer["success"] == "Y"
    assert [one.type for one in simulator.state.transactions] == ["S", "H"]


def test_status_is_changed_by_order_and_by_transaction(
    simulator: Simulator, caller: Caller
) -> None:
    caller.sell("INV-1", a="testaff")
    caller.sell("INV-2", a="testaff")
    first, second = simulator.state.transactions
    by_order = {"C": FORM_CLASS, "M": "changeStatusPerOrderId", "orderid": "INV-1"}
    by_id = {"C": FORM_CLASS, "M": "changeStatus", "ids": [second.transid]}

    answers = caller.run(
        {**by_order, "status": "D", "merchant_note": "never paid"},
        {**by_id, "status": "A"},
        {**by_order, "orderid": "INV-9", "status": "D"},
    )

    assert (first.status, first.note, second.status) == ("D", "never paid", "A")
    assert answers[0]["infoMessage"]
    assert answers[2] == action("")


@pytest.mark.parametrize("text", ["", "no json", "[]", '"x"'])
def test_unreadable_request_is_an_error(caller: Caller, text: str) -> None:
    reply = caller.call(
        "POST",
        "/scripts/server.php",
        body=urlencode({"D": text}),
        headers={"Content-Type": FORM},
    )

    assert (reply.status, list(reply.json())) == (200, ["e"])
