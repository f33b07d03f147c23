"""What Post Affiliate Pro is asked of an order, and how its grid is read."""

from __future__ import annotations

from decimal import Decimal

import pytest

from affiliates.outbox.types import CallOutcome, OutcomeKind, RemoteSale
from tests.affiliates.tracking.providers.pap_merchant import (
    LOGGED_IN,
    grid,
    look_up,
    replied,
)
from tests.affiliates.tracking.providers.pap_world import request_of

GRID = "Pap_Merchants_Transaction_TransactionsGrid"
HEADER = ["id", "orderid", "totalcost", "rtype", "rstatus", "tier", "userid"]


def test_look_up_asks_for_the_order():
    calls, _ = look_up(LOGGED_IN, grid(HEADER))

    (request,) = request_of(calls[1])["requests"]
    assert request == {
        "C": GRID,
        "M": "getRows",
        "filters": [["orderid", "E", "INV-1001"]],
        "columns": [
            ["id"],
            ["orderid"],
            ["t_orderid"],
            ["totalcost"],
            ["original_currency_code"],
            ["rtype"],
            ["rstatus"],
            ["tier"],
            ["userid"],
        ],
        "offset": 0,
        "limit": 30,
    }


def test_look_up_finds_the_sale_and_not_its_refund_nor_a_parents_share():
    _, outcome = look_up(
        LOGGED_IN,
        grid(
            HEADER,
            ["aaaa1111", "INV-1001", "49.90", "S", "A", "1", "testaff"],
            ["aaaa2222", "INV-1001", "49.90", "S", "A", 2, "parent"],
            ["aaaa3333", "INV-1001", "-49.90", "R", "A", "1", "testaff"],
            ["aaaa4444", "INV-10012", "1.00", "S", "A", "1", "other"],
        ),
    )

    sale = RemoteSale(
        remote_ref="aaaa1111",
        amount=Decimal("49.90"),
        currency="",
        status="A",
        affiliate="testaff",
    )
    assert outcome == CallOutcome(
        kind=OutcomeKind.OK,
        detail="The provider holds 1 for order INV-1001.",
        remote_ref="aaaa1111",
        sales=(sale,),
    )


@pytest.mark.parametrize(
    "response",
    [
        grid(HEADER),
        replied({"rows": [], "count": "0"}),
        replied({"rows": [], "count": 0}),
    ],
)
def test_order_without_rows_is_not_found(response):
    assert look_up(LOGGED_IN, response)[1] == CallOutcome(
        kind=OutcomeKind.NOT_FOUND,
        detail="Post Affiliate Pro holds no sale for order INV-1001.",
    )


@pytest.mark.parametrize(
    ("_case", "reply"),
    [
        ("no rows", {}),
        ("rows of no list", {"rows": {"a": 1}}),
        ("row of no list", {"rows": [HEADER, "x"]}),
        ("nothing and no count", {"rows": []}),
        ("no order column", {"rows": [["id"], ["aaaa1111"]]}),
        ("short row", {"rows": [HEADER, ["aaaa1111"]]}),
    ],
)
def test_grid_that_cannot_be_read_never_passes_for_no_sale(_case, reply):
    assert look_up(LOGGED_IN, replied(reply))[1] == CallOutcome(
        kind=OutcomeKind.CONFIG,
        detail="The install answered the look-up in a form that is not known.",
    )


@pytest.mark.parametrize(
    ("cost", "amount"),
    [
        (49.9, Decimal("49.9")),
        (50, Decimal(50)),
        ("1e999999", None),
        ("NaN", None),
        (None, None),
        (True, None),
        ([1], None),
        ("1,000.00", None),
    ],
)
def test_amount_is_read_only_when_it_is_one(cost, amount):
    row = ["aaaa1111", "INV-1001", cost, "S", "A", "1", "testaff"]

    _, outcome = look_up(LOGGED_IN, grid(HEADER, row))

    assert outcome.sales[0].amount == amount


def test_text_of_the_install_is_cut_and_without_control_characters():
    row = ["a\x00\n\ud800" + "b" * 70_000, "INV-1001", "1", "S", "A", "1", "t"]

    _, outcome = look_up(LOGGED_IN, grid(HEADER, row))

    assert outcome.remote_ref == "a" + "b" * 251
