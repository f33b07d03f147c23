"""Who may leave, and what becomes of a balance: by its amounts alone."""

from __future__ import annotations

from dataclasses import replace

from affiliates.membership.rules import (
    BalanceEnd,
    Unpaid,
    end_of,
    judge_leaving,
    split,
)
from affiliates.program.rules import AffiliateStatus
from tests.cases import each

NOTHING = Unpaid(
    currency="EUR",
    pending=0,
    held=0,
    payable=0,
    being_paid=0,
    is_being_sent=False,
    matures=None,
    minimum=50_00,
)
REQUESTED = replace(NOTHING, being_paid=60_00)
SENT = replace(REQUESTED, is_being_sent=True)


@each(
    ("status", "balances", "gives_up", "code"),
    [
        ("active", [], False, ""),
        ("active", [NOTHING], True, ""),
        ("pending", [], False, ""),
        ("left", [], False, ""),
        ("suspended", [], False, "affiliate_suspended"),
        ("suspended", [SENT], True, "affiliate_suspended"),
        ("active", [REQUESTED], False, ""),
        ("active", [REQUESTED], True, "payout_open"),
        ("active", [NOTHING, SENT], False, "payout_being_sent"),
        ("active", [SENT], True, "payout_being_sent"),
    ],
)
def test_who_may_leave(status, balances, gives_up, code):
    refusal = judge_leaving(AffiliateStatus(status), balances, gives_up=gives_up)

    assert (refusal.code if refusal else "") == code


@each(
    ("amounts", "pays_rest", "gives_up", "end"),
    [
        ({}, True, False, "nothing"),
        ({}, False, True, "nothing"),
        ({"payable": 60_00}, True, False, "paid"),
        ({"payable": 60_00}, False, False, "paid"),
        ({"payable": 50_00}, False, False, "paid"),
        ({"payable": 49_99}, False, False, "forfeited"),
        ({"payable": 49_99}, True, False, "paid"),
        ({"payable": 20_00, "pending": 20_00, "held": 10_00}, False, False, "paid"),
        ({"payable": 20_00, "pending": 20_00, "held": 9_99}, False, False, "forfeited"),
        # A payout under way may fail: its amount is then paid with the rest.
        ({"payable": 1_00, "being_paid": 60_00}, False, False, "paid"),
        ({"being_paid": 60_00}, False, False, "nothing"),
        ({"payable": 60_00}, True, True, "given_up"),
        ({"payable": 10_00}, False, True, "given_up"),
        ({"pending": 10_00}, True, True, "given_up"),
        ({"payable": -10_00}, True, False, "owed"),
        ({"payable": -10_00}, False, True, "owed"),
        ({"payable": -10_00, "pending": 10_00}, False, True, "nothing"),
        ({"payable": -10_00, "pending": 30_00}, False, False, "forfeited"),
        ({"payable": -10_00, "pending": 30_00}, True, True, "given_up"),
    ],
)
def test_what_becomes_of_a_balance(amounts, pays_rest, gives_up, end):
    unpaid = replace(NOTHING, **amounts)

    assert end_of(unpaid, pays_rest=pays_rest, gives_up=gives_up) == end


@each(
    ("end", "is_kept"),
    [
        ("paid", False),
        ("given_up", True),
        ("forfeited", True),
        ("owed", False),
        ("nothing", False),
    ],
)
def test_what_the_brand_keeps(end, is_kept):
    assert BalanceEnd(end).is_kept is is_kept


@each(
    ("kept", "parts"),
    [
        (0, [((30_00, 20_00, 50_00), False)]),
        (100_00, [((30_00, 20_00, 50_00), True)]),
        # A payout that came back after leaving is paid.
        (50_00, [((30_00, 20_00, 0), True), ((0, 0, 50_00), False)]),
        (10_00, [((10_00, 0, 0), True), ((20_00, 20_00, 50_00), False)]),
        (60_00, [((30_00, 20_00, 10_00), True), ((0, 0, 40_00), False)]),
    ],
)
def test_parts_of_a_balance_after_leaving(kept, parts):
    unpaid = replace(NOTHING, pending=30_00, held=20_00, payable=50_00)

    assert [
        ((part.pending, part.held, part.payable), is_kept)
        for part, is_kept in split(unpaid, kept=kept)
    ] == parts
