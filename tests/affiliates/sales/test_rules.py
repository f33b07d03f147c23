"""What a refund takes back of a sale, and what renewals count as."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from moneyed import Money

from affiliates.program.rules import AffiliateStatus
from affiliates.sales.refunded import InvoiceAmounts, Refunded, net_taken
from affiliates.sales.rules import (
    NumberedInvoice,
    SaleReason,
    SaleStatus,
    cancelled_amounts,
    judge_sale,
    positions,
)
from tests.cases import each


@each(
    ("_case", "invoices", "expected"),
    [
        ("none", [], []),
        ("of amounts", [(0, None, 1), (1, None, 1), (2, None, 1)], [0, 1, 2]),
        ("a trial", [(0, None, 0), (1, None, 1), (2, None, 1)], [0, 0, 1]),
        ("nothing twice", [(0, None, 0), (1, None, -1), (2, None, 1)], [0, 0, 0]),
        ("nothing between", [(0, None, 1), (1, None, 0), (2, None, 1)], [0, 1, 1]),
        ("one is missing", [(0, None, 0), (2, None, 1)], [0, 1]),
        ("the trial is missing", [(1, None, 1), (2, None, 1)], [1, 2]),
        ("stated", [(0, None, 0), (3, 1, 1), (4, None, 1)], [0, 1, 3]),
        ("stated of the initial one", [(0, 2, 1)], [0]),
    ],
)
def test_invoices_of_nothing_use_up_no_position(invoices, expected):
    told = [NumberedInvoice(*one, Money(net, "EUR")) for *one, net in invoices]

    assert list(positions(told)) == expected


def taken_from(net, gross, refunded):
    return net_taken(
        net,
        invoice=InvoiceAmounts(Fraction(gross)),
        refunded=Refunded(gross=Fraction(refunded)),
    )


@each(
    ("_case", "net", "gross", "before", "refund", "reversed_net"),
    [
        ("all at once", "100.00", "119.00", "0", "119.00", "100.00"),
        ("half", "100.00", "119.00", "0", "59.50", "50.00"),
        ("a third, rounded", "100.00", "119.00", "0", "39.67", "33.34"),
        ("the rest", "100.00", "119.00", "39.67", "79.33", "66.66"),
        ("half a cent, up", "1.00", "2.00", "0", "0.01", "0.01"),
        ("half a cent beside an even one, up", "1.00", "2.00", "0", "0.05", "0.03"),
        ("more than was paid", "100.00", "119.00", "0", "500.00", "100.00"),
        ("after everything is back", "100.00", "119.00", "119.00", "1.00", "0.00"),
        ("nothing was paid", "0.00", "0.00", "0", "1.00", "0.00"),
        ("nearly all of it", "8.41", "10.00", "0", "9.999", "8.41"),
        ("and the rest", "8.41", "10.00", "9.999", "0.001", "0.00"),
        ("a sale below zero", "-5.00", "10.00", "0", "10.00", "0.00"),
        ("part of one below zero", "-5.00", "10.00", "0", "4.00", "0.00"),
    ],
)
def test_reversal_amount(net, gross, before, refund, reversed_net):
    taken = partial(taken_from, Money(net, "EUR"), gross)

    amount = taken(Decimal(before) + Decimal(refund)) - taken(before)

    assert amount == Money(reversed_net, "EUR")


@pytest.mark.parametrize(
    ("currency", "net", "gross", "refund", "reversed_net"),
    [
        ("JPY", "1000", "1100", "333", "303"),
        ("KWD", "1.000", "1.050", "0.100", "0.095"),
    ],
)
def test_reversal_is_exact_to_the_minor_unit(
    currency, net, gross, refund, reversed_net
):
    amount = taken_from(Money(net, currency), gross, refund)

    assert amount == Money(reversed_net, currency)


@given(
    net=st.integers(0, 10**9),
    tax=st.integers(0, 10**8),
    refunds=st.lists(st.integers(1, 10**9), max_size=8),
)
def test_reversals_never_exceed_the_sale_and_full_refund_takes_all(net, tax, refunds):
    cents = Decimal("0.01")
    sale = Money(net * cents, "EUR")
    gross = (net + tax) * cents
    before = Decimal(0)
    taken = Money(0, "EUR")
    for refund in refunds:
        after = before + refund * cents
        part = taken_from(sale, gross, after) - taken_from(sale, gross, before)
        assert part.amount >= 0
        taken += part
        before = after

    assert taken <= sale
    if gross > 0 and before >= gross:
        assert taken == sale


@pytest.mark.parametrize(
    ("status", "is_held", "is_brand_active", "expected"),
    [
        ("active", False, True, (SaleStatus.RECORDED, SaleReason.CREDITED)),
        ("active", True, True, (SaleStatus.HELD, SaleReason.DECISION_HELD)),
        ("active", False, False, (SaleStatus.HELD, SaleReason.BRAND_INACTIVE)),
        ("active", True, False, (SaleStatus.HELD, SaleReason.DECISION_HELD)),
        ("suspended", False, True, (SaleStatus.HELD, SaleReason.AFFILIATE_NOT_ACTIVE)),
        ("left", False, True, (SaleStatus.RECORDED, SaleReason.AFFILIATE_LEFT)),
        ("left", True, False, (SaleStatus.RECORDED, SaleReason.AFFILIATE_LEFT)),
    ],
)
def test_judge_sale(status, is_held, is_brand_active, expected):
    judged = judge_sale(
        decision_is_held=is_held,
        affiliate_status=AffiliateStatus(status),
        is_brand_active=is_brand_active,
    )

    assert judged == expected


def test_cancellation_in_another_currency_cancels_nothing():
    refund = Money("100.00", "EUR")

    amounts = cancelled_amounts(
        refund, [Money("40.00", "USD"), Money("30.00", "EUR"), None]
    )

    assert list(amounts) == [
        Money("0.00", "EUR"),
        Money("30.00", "EUR"),
        Money("70.00", "EUR"),
    ]
