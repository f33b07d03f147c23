from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from moneyed import Money

from affiliates.contracts import RefundKind
from affiliates.contrib.stripe import reversals, rules
from affiliates.contrib.stripe.reading import Unreadable, kept, money
from tests.affiliates.contrib.stripe import samples
from tests.affiliates.contrib.stripe.samples import SHAPES, after, invoice, line
from tests.cases import each

BRAND = 7


def eur(amount: str) -> Money:
    return Money(amount, "EUR")


def facts(event: dict[str, Any], now: Any) -> rules.Invoice:
    return rules.invoice_of(BRAND, kept(event["data"]["object"]), at=now)


@each(
    ("code", "amount", "expected"),
    [
        ("eur", 1250, "12.50"),
        ("jpy", 1250, "1250"),
        ("kwd", 1250, "1.250"),
        ("isk", 1250, "12.50"),
        ("ugx", 1250, "12.50"),
        ("xaf", 1250, "1250"),
    ],
)
def test_amounts_have_the_decimals_that_stripe_sends(code, amount, expected):
    assert money(amount, code) == Money(expected, code.upper())


@each("shape", SHAPES)
def test_each_line_is_a_line_of_the_payment(shape, now):
    """Its product, cycle, pieces, and its net less discount and included tax."""
    lines = [
        line(2380, now, shape=shape, inclusive_tax=380),
        line(
            1000,
            now,
            shape=shape,
            number=2,
            product="prod_seat",
            quantity=3,
            discount=100,
        ),
        line(1_000, now, shape=shape, number=3, product="prod_calls", quantity=90_000),
    ]
    event = invoice(1, lines, now, shape=shape, total=4660, total_excluding_tax=3900)

    found = facts(event, now)

    assert found.paid.gross == eur("46.60")
    assert [
        (
            one.product_ref,
            one.kind,
            one.billing_cycle,
            one.quantity,
            one.net,
            one.discount,
        )
        for one in found.paid.lines
    ] == [
        ("prod_pro", "subscription", "monthly", 1, eur("20.00"), None),
        ("prod_seat", "subscription", "monthly", 3, eur("9.00"), eur("1.00")),
        ("prod_calls", "subscription", "monthly", 1, eur("10.00"), None),
    ]


@each(
    ("shape", "months", "cycle"),
    [
        (shape, months, cycle)
        for shape in SHAPES
        for months, cycle in [
            (1, "monthly"),
            (3, "quarterly"),
            (6, "semi_annually"),
            (12, "annually"),
            (24, "biennially"),
            (2, ""),
        ]
    ],
)
def test_a_cycle_is_that_of_the_price_or_of_the_period(shape, months, cycle, now):
    event = invoice(1, [line(1000, now, shape=shape, months=months)], now, shape=shape)

    assert facts(event, now).paid.lines[0].billing_cycle == cycle


def test_a_part_of_a_term_has_no_cycle_since_basil(now):
    half = line(500, now, until=now + timedelta(days=30), is_proration=True)

    assert facts(invoice(1, [half], now), now).paid.lines[0].billing_cycle == ""


@each("shape", SHAPES)
def test_both_shapes_name_the_subscription_and_only_one_the_payment(shape, now):
    found = facts(invoice(4, [line(1000, now, shape=shape)], now, shape=shape), now)

    assert (found.subscription, found.paid.order_ref) == ("sub_1", "sub_1")
    assert found.payments == (("pi_4", "ch_4") if shape == "older" else ())
    assert (found.starts, found.ends) == (now, after(now, 1))


@each(
    ("starting", "ending", "credits"),
    [
        (0, 0, [None, None]),
        (-600, 0, [eur("3.00"), eur("2.00")]),
        (-2000, -800, [eur("6.00"), eur("4.00")]),
        (100, 0, [None, None]),
    ],
)
def test_what_the_balance_paid_is_shared_by_the_lines(starting, ending, credits, now):
    """Of 12.00 with tax, the balance pays 0.00, 6.00, 12.00 or nothing."""
    event = invoice(
        1,
        [line(600, now), line(400, now, number=2)],
        now,
        starting_balance=starting,
        ending_balance=ending,
    )

    assert [one.credit for one in facts(event, now).paid.lines] == credits


def test_a_proration_below_zero_is_a_credit_of_its_product(now):
    lines = [line(-500, now, is_proration=True), line(1500, now, number=2)]

    found = facts(invoice(1, lines, now), now)

    assert [(one.product_ref, one.net) for one in found.paid.lines] == [
        ("prod_pro", eur("-5.00")),
        ("prod_pro", eur("15.00")),
    ]


def test_what_the_lines_do_not_add_up_to_is_a_line(now):
    event = invoice(1, [line(1000, now)], now, total=1440, total_excluding_tax=1200)

    [_, other] = facts(event, now).paid.lines

    assert (other.kind, other.product_ref, other.net) == ("other", "", eur("2.00"))


@each(
    ("change", "expected"),
    [
        ({}, ("sub_1", "in_1", None)),
        ({"invoice": None}, ("sub_1", "", None)),
        ({"subscription": None}, ("in_1", "in_1", None)),
        ({"subscription": None, "invoice": None}, ("pi_1", "pi_1", eur("10.00"))),
        (
            {"subscription": None, "invoice": None, "payment_status": "unpaid"},
            ("pi_1", "pi_1", None),
        ),
    ],
)
def test_an_order_is_a_subscription_an_invoice_or_a_payment(change, expected, now):
    event = samples.session("1", "", now, payment_intent="pi_1", **change)

    found = rules.checkout_of(BRAND, kept(event["data"]["object"]), at=now)

    net = found.paid and found.paid.lines[0].net
    assert (found.order_ref, found.invoice_ref, net) == expected


@each("shape", SHAPES)
def test_a_credit_note_has_lines_and_takes_the_place_of_refunds(shape, now):
    event = samples.credit_note(
        1, {"il_2": 400}, now, shape=shape, refund=("re_1", 480)
    )
    labels = {"il_2": ("prod_seat", "subscription", "monthly")}

    credit, covered = reversals.credited(BRAND, kept(event["data"]["object"]), labels)

    [row] = credit.lines
    assert (credit.refund_ref, credit.gross, credit.net) == ("cn_1", eur("4.80"), None)
    assert (row.product_ref, row.billing_cycle, row.net) == (
        "prod_seat",
        "monthly",
        eur("4.00"),
    )
    assert (covered.refund_ref, covered.cancellation_ref) == ("re_1", "re_1-cn_1")
    # Before basil a credit note said nothing of the refund's amount.
    assert covered.gross == (None if shape == "older" else eur("4.80"))


def test_a_credit_note_with_more_than_its_lines_has_a_net_amount(now):
    event = samples.credit_note(
        1, {"il_1": 400}, now, total=1200, total_excluding_tax=1000
    )

    [credit] = reversals.credited(BRAND, event["data"]["object"], {})

    assert (credit.lines, credit.net) == ((), eur("10.00"))


@each(
    ("kind", "status", "expected"),
    [
        ("created", "needs_response", ""),
        ("created", "warning_needs_response", ""),
        ("funds_withdrawn", "needs_response", reversals.TAKEN),
        ("funds_reinstated", "under_review", reversals.GIVEN_BACK),
        ("closed", "lost", reversals.TAKEN),
        ("closed", "won", reversals.GIVEN_BACK),
        ("closed", "warning_closed", ""),
    ],
)
def test_a_dispute_counts_once_money_moves(kind, status, expected, now):
    event = samples.dispute(1, 1200, now, kind, status=status)

    found = reversals.money_of_dispute(event["type"], event["data"]["object"])

    assert found == expected


def test_a_dispute_takes_its_amount_back(now):
    event = samples.dispute(1, 1200, now, "funds_withdrawn")

    taken = reversals.taken_back(
        BRAND, event["data"]["object"], "in_1", RefundKind.CHARGEBACK
    )

    assert (taken.refund_ref, taken.gross, taken.kind) == (
        "du_1",
        eur("12.00"),
        RefundKind.CHARGEBACK,
    )


@each(
    "change",
    [
        {"total": None},
        {"currency": "xyz"},
        {"lines": 5},
        {"created": "yesterday"},
        {"lines": {"data": [{"id": "il_1"}]}},
        {"status_transitions": {"paid_at": 10**20}},
    ],
)
def test_an_invoice_that_is_not_as_documented_is_unreadable(change, now):
    event = invoice(1, [line(1000, now)], now)
    event["data"]["object"] |= change

    with pytest.raises(Unreadable):
        facts(event, now)


def test_no_name_and_no_address_is_kept(now):
    session = samples.session("1", "cookie", now)["data"]["object"]
    paid = invoice(1, [line(1000, now)], now)["data"]["object"]

    assert "Bob" not in str(kept(session)) + str(kept(paid))
    assert "@" not in str(kept(session)) + str(kept(paid))
    assert kept(session)["metadata"] == {"referral_cookie": "cookie"}
