from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from affiliates.core.money import decimal_text
from affiliates.payouts.providers.registry import PROVIDERS
from affiliates.payouts.rules import (
    SECOND_PERSON,
    Approval,
    Destination,
    PayoutStatus,
    Request,
    Terms,
    is_credit_under_way,
    judge_approval,
    judge_request,
    usable_from,
)
from affiliates.program.rules import AffiliateStatus
from tests.cases import each

LEFT = AffiliateStatus.LEFT
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TERMS = Terms(
    minimums={"EUR": 2500, "JPY": 5000},
    cool_off=timedelta(days=7),
    kinds=frozenset(PROVIDERS) - {"offline"},
)


def judged(*, kind="paypal", usable=NOW, terms=TERMS, **facts):
    request = Request(
        **{
            "currency": "EUR",
            "payable": 2500,
            "status": AffiliateStatus.ACTIVE,
            "is_forfeited": False,
            "has_open_payout": False,
            "destination": Destination(
                provider=PROVIDERS.get(kind), usable_from=usable
            ),
            **facts,
        }
    )
    refusal = judge_request(request, terms=terms, now=NOW)
    return refusal and (refusal.code, refusal.detail)


@pytest.mark.parametrize(
    ("_case", "facts"),
    [
        ("the minimum exactly", {}),
        ("more", {"payable": 10**14}),
        ("default minimum of a currency", {"currency": "USD", "payable": 5000}),
        ("no decimals", {"currency": "JPY", "payable": 5000}),
        ("bank", {"kind": "bank"}),
        (
            "wallet takes three decimals",
            {"kind": "wallet", "currency": "KWD", "payable": 50_000},
        ),
        ("cool-off over this moment", {"usable": NOW}),
        ("any rest of an affiliate that has left", {"status": LEFT, "payable": 1}),
    ],
)
def test_allowed(_case, facts):
    assert judged(**facts) is None


@each(
    ("code", "facts"),
    [
        ("affiliate_inactive", {"status": AffiliateStatus.SUSPENDED}),
        ("affiliate_inactive", {"status": AffiliateStatus.PENDING}),
        ("balance_forfeited", {"status": LEFT, "is_forfeited": True}),
        ("below_minimum", {"status": LEFT, "payable": 0}),
        ("payout_open", {"status": LEFT, "has_open_payout": True}),
        ("payout_open", {"has_open_payout": True}),
        ("kind_not_offered", {"kind": "offline"}),
        ("currency_not_paid_there", {"kind": "bank", "currency": "USD"}),
        ("currency_not_paid_there", {"currency": "KWD"}),
        ("currency_not_paid_there", {"currency": "HUF"}),
        ("destination_cooling_off", {"usable": NOW + timedelta(microseconds=1)}),
        ("below_minimum", {"payable": 2499}),
        ("below_minimum", {"payable": 0}),
        ("below_minimum", {"payable": -100}),
        ("below_minimum", {"currency": "JPY", "payable": 4999}),
        ("below_minimum", {"currency": "USD", "payable": 4999}),
    ],
)
def test_refused(code, facts):
    assert judged(**facts)[0] == code


def test_refusals_say_what_to_do():
    assert judged(payable=1200)[1] == (
        "€12.00 is payable. At least €25.00 is paid out."
    )
    assert judged(usable=NOW + timedelta(days=7))[1] == (
        "The destination, the password or the e-mail address was changed lately. "
        "The destination is paid to from 8 March 2026 12:00 UTC "
        "on."
    )


def test_without_a_minimum_something_must_be_payable():
    free = Terms(minimums={"EUR": 0}, cool_off=timedelta(0), kinds=TERMS.kinds)

    assert judged(terms=free, payable=1) is None
    assert judged(terms=free, payable=0) == (
        "below_minimum",
        "€0.00 is payable. At least €0.01 is paid out.",
    )


def test_first_destination_has_no_cool_off():
    assert usable_from(is_first=True, terms=TERMS, now=NOW) == NOW
    assert usable_from(is_first=False, terms=TERMS, now=NOW) == NOW + timedelta(days=7)


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (1234, "EUR", "12.34"),
        (100, "EUR", "1.00"),
        (-5, "EUR", "-0.05"),
        (1234, "JPY", "1234"),
        (5000, "JPY", "5000"),
        (1234, "KWD", "1.234"),
        (10**17 + 1, "EUR", "1000000000000000.01"),
    ],
)
def test_amounts_are_written_with_the_decimals_of_their_currency(
    amount, currency, text
):
    assert decimal_text(amount, currency) == text


def test_open_payouts_are_those_that_are_not_finished():
    assert [status for status in PayoutStatus if status.is_open] == [
        "requested",
        "approved",
        "exported",
    ]


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0, True), (119, True), (120, False), (-5, True), (-120, False)],
)
def test_credit_is_under_way_for_two_minutes(seconds, expected):
    now = NOW + timedelta(seconds=seconds)

    assert is_credit_under_way(NOW, now=now) is expected


@pytest.mark.parametrize(
    ("_case", "is_for_two", "prepared_by", "actor", "effect"),
    [
        ("one is enough", False, None, 1, Approval.FINAL),
        ("one starts and approves", False, 1, 1, Approval.FINAL),
        ("the schedule approves", False, None, None, Approval.FINAL),
        ("the first of two", True, None, 1, Approval.FIRST),
        ("the second of two", True, 1, 2, Approval.FINAL),
        ("the first again", True, 1, 1, SECOND_PERSON),
        ("nobody is not the first", True, None, None, SECOND_PERSON),
        ("nobody is not the second", True, 1, None, SECOND_PERSON),
    ],
)
def test_approval(_case, is_for_two, prepared_by, actor, effect):
    judged = judge_approval(is_for_two=is_for_two, prepared_by=prepared_by, actor=actor)

    assert judged == effect
