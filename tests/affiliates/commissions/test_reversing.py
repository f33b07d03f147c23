"""Refunds and chargebacks take their part of a commission, and never more."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from affiliates.commissions.models import Commission, CommissionReversal
from affiliates.commissions.rules import CommissionStatus
from affiliates.contracts import RefundKind
from affiliates.errors import InvalidInput
from affiliates.ledger.rules import Account
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.sales.models import InvoiceRefund, SaleReversal
from affiliates.verification.verify import Verification
from tests.affiliates.till import AFTER_HOLD, PAID_AT, history
from tests.factories.commissions import bring_to
from tests.factories.plans import CommissionPlanFactory
from tests.lengths import in_any_order


def taken() -> list[int]:
    return list(
        CommissionReversal.objects.order_by("pk").values_list("amount", flat=True)
    )


@pytest.mark.parametrize(
    ("currency", "net", "refunds", "amounts"),
    [
        ("EUR", "99.99", ["33.33", "33.33", "33.33"], [-333, -334, -333]),
        ("EUR", "0.09", ["0.03", "0.03", "0.03"], [0, -1, 0]),
        ("JPY", "1005", ["335", "335", "335"], [-34, -33, -34]),
        ("KWD", "10.005", ["3.335", "3.335", "3.335"], [-334, -333, -334]),
        ("EUR", "100.00", ["0.01", "99.99"], [0, -1000]),
        ("EUR", "100.00", ["60.00", "60.00", "60.00"], [-600, -400, 0]),
    ],
)
def test_partial_refunds_take_exactly_the_commission(
    currency, net, refunds, amounts, plan, order, till, balance
):
    till.pay(net, currency=currency)
    whole = Commission.objects.get().amount

    for number, gross in enumerate(refunds):
        till.refund(gross, ref=f"refund-{number}", currency=currency)

    assert sum(amounts) == -whole
    assert taken() == amounts
    assert Commission.objects.get().status == "reversed"
    assert balance(currency) == {}


def test_part_of_a_refund_keeps_the_status(plan, order, till, balance):
    till.pay()
    till.refund("25.00")

    commission = Commission.objects.get()
    assert (commission.amount, commission.status) == (1000, "pending")
    event = commission.events.last()
    assert (event.before, event.after) == ("pending", "pending")
    assert event.reason_text == "Refund refund-1 took €2.50 back."
    assert balance() == {Account.EXPENSE: -750, Account.PENDING: 750}


def test_refund_larger_than_the_payment_takes_the_commission_and_no_more(
    plan, order, till, balance
):
    till.pay()
    till.refund("250.00")

    assert taken() == [-1000]
    assert Commission.objects.get().status == "reversed"
    assert balance() == {}


@pytest.mark.parametrize(
    ("net", "kept", "refunds"),
    [("8.405", "8.41", ["10.00"]), ("8.406", "8.41", ["9.999", "0.001"])],
)
def test_sale_of_a_line_finer_than_the_minor_unit_is_taken_back_and_no_more(
    net, kept, refunds, plan, order, till
):
    till.pay(net, gross="10.00")
    for number, refund in enumerate(refunds):
        till.refund(refund, ref=f"refund-{number}")

    taken = sum(one.net.amount for one in SaleReversal.objects.all())
    assert taken == -Decimal(kept)
    assert list(Verification().findings(on_row=lambda _: None)) == []


def test_refund_too_small_to_be_kept_is_refused(plan, order, till):
    till.pay()

    with pytest.raises(InvalidInput) as refused:
        till.refund("0.0004")

    assert refused.value.code == "invalid_amount"
    assert not InvoiceRefund.objects.exists()


def test_tax_that_is_refunded_takes_its_part_only(plan, order, till):
    till.pay(gross="119.00")
    till.refund("59.50")

    assert taken() == [-500]


def test_refund_before_the_payment_is_counted_with_it(plan, order, till, balance):
    till.refund("40.00")
    assert balance() == {}

    till.pay()

    assert taken() == [-400]
    assert balance() == {Account.EXPENSE: -600, Account.PENDING: 600}


@pytest.mark.parametrize("events", [("refund", "pay"), ("pay", "refund")])
def test_refund_takes_nothing_of_a_commission_rejected_at_once(
    events, plan, order, till, balance
):
    Affiliate.objects.update(status=AffiliateStatus.LEFT)

    for name in events:
        {"pay": till.pay, "refund": lambda: till.refund("40.00")}[name]()

    assert Commission.objects.get().status == "rejected"
    assert SaleReversal.objects.get().net.amount == -40
    assert (taken(), balance()) == ([], {})


@in_any_order("events", ["pay", "first", "second"])
def test_events_in_any_order_leave_the_same(events, plan, order, till, balance):
    acts = {
        "pay": lambda: till.pay("99.99"),
        "first": lambda: till.refund("33.33", ref="first"),
        "second": lambda: till.refund("33.33", ref="second"),
    }

    for name in events:
        acts[name]()
        acts[name]()

    assert sum(taken()) == -667
    assert balance() == {Account.EXPENSE: -333, Account.PENDING: 333}


def test_paid_again_after_it_was_refunded_earns_no_second_time(
    plan, order, till, balance
):
    till.pay()
    till.refund("100.00")
    till.pay(at=PAID_AT + timedelta(days=2))

    commission = Commission.objects.get()
    assert commission.status == "reversed"
    assert balance() == {}


@pytest.mark.parametrize("status", ["held", "matured", "approved"])
def test_what_is_not_paid_yet_is_taken_from_where_it_is(
    status, brand, order, till, staff, balance
):
    CommissionPlanFactory(brand=brand, is_default=True, approves_itself=False)
    till.pay()
    commission = Commission.objects.get()
    bring_to(commission, CommissionStatus(status), actor=staff, now=AFTER_HOLD)

    till.refund("30.00", at=AFTER_HOLD)
    account = CommissionStatus(status).account
    assert balance() == {Account.EXPENSE: -700, account: 700}

    till.refund("70.00", ref="refund-2", at=AFTER_HOLD)
    commission.refresh_from_db()
    assert commission.status == "reversed"
    assert history(commission)[-1] == (status, "reversed")
    assert balance() == {}


def test_rejected_commission_has_nothing_to_take_back(
    plan, order, till, staff, balance
):
    till.pay()
    bring_to(
        Commission.objects.get(),
        CommissionStatus.REJECTED,
        actor=staff,
        now=AFTER_HOLD,
    )

    till.refund("50.00", at=AFTER_HOLD)

    assert taken() == []
    assert balance() == {}


def test_chargeback_after_the_payout_leaves_a_negative_balance(
    brand, order, till, staff, balance
):
    CommissionPlanFactory(brand=brand, is_default=True, approves_itself=False)
    till.pay()
    commission = Commission.objects.get()
    bring_to(commission, CommissionStatus.PAID, actor=staff, now=AFTER_HOLD)

    till.refund("100.00", kind=RefundKind.CHARGEBACK, at=AFTER_HOLD)

    commission.refresh_from_db()
    assert commission.status == "paid"
    assert commission.events.last().reason_text == (
        "Chargeback refund-1 took €10.00 back."
    )
    assert balance() == {Account.PAYABLE: -1000, Account.PAID_OUT: 1000}


def test_refund_of_nobodys_invoice_is_kept(plan, order, till):
    till.refund("10.00", invoice="another")

    assert InvoiceRefund.objects.count() == 1
    assert taken() == []
