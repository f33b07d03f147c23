"""One sale per paid invoice, whatever the order and number of events."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from moneyed import Money

from affiliates.errors import InvalidInput
from affiliates.host_events import invoice_paid, invoice_refunded
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Outcome
from affiliates.sales.models import InvoicePayment, InvoiceRefund, Sale, SaleReversal
from affiliates.settlement.services import record_payment
from tests.affiliates.settlement.conftest import make_refund
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory
from tests.lengths import in_any_order


def reversed_total() -> Money:
    return sum((one.net for one in SaleReversal.objects.all()), Money(0, "EUR"))


def test_payment_makes_one_sale_with_its_lines(order_referral, payment, now):
    invoice_paid(payment, now=now)

    sale = Sale.objects.get()
    assert sale.affiliate == order_referral.affiliate
    assert sale.order_referral == order_referral
    assert sale.net == Money("100.00", "EUR")
    assert sale.status == "recorded"
    assert sale.reason == "credited"
    assert sale.paid_at == payment.paid_at
    assert sale.recorded_at == now
    kept = [(one["description"], one["net"]) for one in sale.payment.lines]
    assert kept == [("Hosting", "90.00"), ("Setup", "10.00")]


def test_payment_told_twice_changes_nothing(order_referral, payment, now):
    invoice_paid(payment, now=now)
    again = replace(payment.lines[0], net=Money("90.0", "EUR"))
    later = now + timedelta(days=1)

    with nothing_written():
        invoice_paid(
            replace(payment, lines=(again, *payment.lines[1:]), paid_at=later),
            now=later,
        )

    assert Sale.objects.count() == 1


@pytest.mark.parametrize(
    "fact",
    ["gross", "lines", "order_ref", "renewal_number"],
)
def test_other_payment_under_the_number_of_a_paid_invoice_is_refused(
    order_referral, payment, fact, now
):
    others = {
        "gross": Money("40.00", "EUR"),
        "lines": payment.lines[:1],
        "order_ref": "order-2",
        "renewal_number": 1,
    }
    invoice_paid(payment, now=now)

    with nothing_written(), pytest.raises(InvalidInput) as refusal:
        invoice_paid(replace(payment, **{fact: others[fact]}), now=now)

    assert refusal.value.code == "payment_exists"


def test_second_payment_of_an_invoice_earns_nothing_and_fails_nobody(
    order_referral, payment, now, caplog
):
    invoice_paid(payment, now=now)

    with nothing_written():
        invoice_paid(replace(payment, payment_ref="payment-2"), now=now)

    assert [record.message for record in caplog.records] == ["Invoice paid twice"]


def test_erased_payment_may_be_told_again(order_referral, payment, now):
    invoice_paid(payment, now=now)
    stored = InvoicePayment.objects.get()
    stored.save(
        update_fields=InvoicePayment._meta.get_field("seal").erase(stored, number=1)
    )

    with nothing_written():
        invoice_paid(payment, now=now)


def test_upgrade_without_a_number_earns_once_it_has_one(order_referral, payment, now):
    invoice_paid(payment, now=now)
    upgrade = replace(payment, invoice_ref="upgrade-1", payment_ref="payment-2")
    invoice_paid(upgrade, now=now)
    assert Sale.objects.count() == 1

    invoice_paid(replace(upgrade, renewal_number=1, position=0), now=now)

    sale = Sale.objects.get(invoice_ref="upgrade-1")
    assert (sale.renewal_number, sale.position, sale.payment.position) == (1, 0, 0)
    with nothing_written(), pytest.raises(InvalidInput) as refusal:
        invoice_paid(upgrade, now=now)
    assert refusal.value.code == "payment_exists"


def test_gross_of_nothing_for_lines_of_something_is_refused(
    order_referral, payment, now
):
    with nothing_written(), pytest.raises(InvalidInput) as refusal:
        invoice_paid(replace(payment, gross=Money("0.00", "EUR")), now=now)

    assert refusal.value.code == "invalid_amount"
    assert refusal.value.detail == (
        "The gross amount is the invoice's total with tax, however it was paid: it is "
        "not zero if the lines are not."
    )


def test_payment_of_an_order_credited_to_nobody_makes_no_sale(
    order_referral, payment, now
):
    OrderReferral.objects.update(outcome=Outcome.NOBODY, affiliate=None)

    invoice_paid(payment, now=now)

    assert InvoicePayment.objects.count() == 1
    assert Sale.objects.count() == 0


def test_held_decision_makes_a_held_sale(order_referral, payment, now):
    OrderReferral.objects.update(outcome=Outcome.HELD)

    invoice_paid(payment, now=now)

    sale = Sale.objects.get()
    assert (sale.status, sale.reason) == ("held", "decision_held")


def test_affiliate_suspended_before_payment_makes_a_held_sale(
    order_referral, payment, now
):
    Affiliate.objects.update(status=AffiliateStatus.SUSPENDED)

    invoice_paid(payment, now=now)

    sale = Sale.objects.get()
    assert (sale.status, sale.reason) == ("held", "affiliate_not_active")


def test_other_brands_invoice_of_the_same_reference_is_another_invoice(
    order_referral, payment, now
):
    other = BrandFactory(client_area="other.example.com")

    invoice_paid(replace(payment, brand_id=other.pk), now=now)

    assert Sale.objects.count() == 0


def test_line_in_another_currency_is_refused(order_referral, payment, now):
    dollars = replace(payment.lines[0], net=Money("90.00", "USD"))

    with pytest.raises(InvalidInput) as refusal:
        record_payment(replace(payment, lines=(dollars,)), now=now)

    assert refusal.value.code == "currency_mismatch"
    assert InvoicePayment.objects.count() == 0
    assert Sale.objects.count() == 0


def test_refund_reverses_the_sale_in_proportion(order_referral, payment, refund, now):
    invoice_paid(payment, now=now)
    invoice_refunded(refund, now=now)

    assert SaleReversal.objects.get().net == Money("-50.00", "EUR")
    assert Sale.objects.get().net == Money("100.00", "EUR")


def test_refund_told_twice_reverses_once(order_referral, payment, refund, now):
    invoice_paid(payment, now=now)
    invoice_refunded(refund, now=now)
    invoice_refunded(refund, now=now)

    assert SaleReversal.objects.count() == 1


def test_refunds_above_the_payment_reverse_the_sale_and_no_more(
    brand, order_referral, payment, now
):
    invoice_paid(payment, now=now)
    for number in range(3):
        invoice_refunded(
            make_refund(brand.pk, f"refund-{number}", "59.50", now), now=now
        )

    assert [one.net.amount for one in SaleReversal.objects.order_by("id")] == [
        -50,
        -50,
        0,
    ]


@pytest.mark.parametrize("amount", ["0", "-1.00"])
def test_refund_that_is_not_positive_is_refused(
    amount, brand, order_referral, payment, now
):
    invoice_paid(payment, now=now)

    with pytest.raises(InvalidInput) as refusal:
        invoice_refunded(make_refund(brand.pk, "refund-1", amount, now), now=now)

    assert refusal.value.code == "invalid_amount"
    assert InvoiceRefund.objects.count() == 0
    assert SaleReversal.objects.count() == 0


def test_refund_in_another_currency_is_refused(brand, order_referral, payment, now):
    invoice_paid(payment, now=now)

    with pytest.raises(InvalidInput) as refusal:
        invoice_refunded(
            make_refund(brand.pk, "refund-1", "10.00", now, currency="USD"), now=now
        )

    assert refusal.value.code == "currency_mismatch"
    assert InvoiceRefund.objects.count() == 0
    assert SaleReversal.objects.count() == 0


def test_refunds_settled_out_of_the_order_they_were_kept_in_take_no_more(
    brand, order_referral, payment, now
):
    invoice_paid(payment, now=now)
    first, second = (
        make_refund(brand.pk, f"refund-{number}", "119.00", now) for number in (1, 2)
    )
    kept = InvoiceRefund.objects.create(
        brand=brand,
        invoice_ref="not settled yet",
        refund_ref=first.refund_ref,
        kind="refund",
        gross=first.gross,
        refunded_at=now,
        received_at=now,
    )
    invoice_refunded(second, now=now)
    kept.invoice_ref = first.invoice_ref
    kept.save()

    invoice_refunded(first, now=now)

    assert reversed_total() == Money("-100.00", "EUR")


@pytest.mark.parametrize(
    ("field", "length", "kept"),
    [
        ("description", 256, "x" * 255),
        ("product_ref", 130, f"{'x' * 55}~"),
        ("kind", 21, f"{'x' * 11}~"),
        ("billing_cycle", 21, f"{'x' * 11}~"),
    ],
)
def test_text_beyond_the_contracts_limits_is_cut(
    field, length, kept, order_referral, payment, now
):
    long = replace(payment.lines[0], **{field: "x" * length})

    record_payment(replace(payment, lines=(long,)), now=now)

    [stored] = InvoicePayment.objects.get().lines
    assert stored[field].startswith(kept)
    assert stored["cut"] == {field: length}
    assert Sale.objects.count() == 1


def test_text_that_no_database_keeps_is_replaced(order_referral, payment, now):
    odd = replace(payment.lines[0], description="a\0b", product_ref="\ud83d")

    record_payment(replace(payment, lines=(odd,)), now=now)

    [stored] = InvoicePayment.objects.get().lines
    assert (stored["description"], stored["product_ref"]) == ("a\ufffdb", "?")


@pytest.mark.parametrize("name", ["invoice_ref", "order_ref", "payment_ref"])
def test_payments_reference_beyond_the_contracts_limit_is_refused(
    name, order_referral, payment, now
):
    with pytest.raises(InvalidInput) as refusal:
        record_payment(replace(payment, **{name: "x" * 65}), now=now)

    assert refusal.value.code == "too_long"
    assert InvoicePayment.objects.count() == 0


@pytest.mark.parametrize("name", ["invoice_ref", "refund_ref"])
def test_refunds_reference_beyond_the_contracts_limit_is_refused(
    name, brand, order_referral, payment, now
):
    invoice_paid(payment, now=now)
    refund = make_refund(brand.pk, "refund-1", "10.00", now)

    with pytest.raises(InvalidInput) as refusal:
        invoice_refunded(replace(refund, **{name: "x" * 65}), now=now)

    assert refusal.value.code == "too_long"
    assert InvoiceRefund.objects.count() == 0


@pytest.mark.parametrize("amount", ["1000000000000", "999999999999.9996", "1E+999999"])
def test_amount_that_rounds_beyond_the_limit_is_refused(
    amount, brand, order_referral, payment, now
):
    huge = Money(amount, "EUR")
    with pytest.raises(InvalidInput) as refused_payment:
        record_payment(replace(payment, gross=huge), now=now)
    invoice_paid(payment, now=now)

    with pytest.raises(InvalidInput) as refused_refund:
        invoice_refunded(make_refund(brand.pk, "refund-1", amount, now), now=now)

    assert refused_payment.value.code == "invalid_amount"
    assert refused_refund.value.code == "invalid_amount"
    assert InvoicePayment.objects.count() == 1
    assert InvoiceRefund.objects.count() == 0


@pytest.mark.parametrize("quantities", [[-1], [-1, 2], [1_000_001], [500_000, 500_001]])
def test_quantity_that_cannot_be_earned_on_is_refused(
    quantities, order_referral, payment, now
):
    lines = tuple(replace(payment.lines[0], quantity=number) for number in quantities)

    with pytest.raises(InvalidInput) as refusal:
        record_payment(replace(payment, lines=lines), now=now)

    assert refusal.value.code == "invalid_quantity"
    assert InvoicePayment.objects.count() == 0
    assert Sale.objects.count() == 0


@in_any_order("order", ["paid", "first", "second"])
def test_events_in_any_order_end_in_the_same_state(
    order, brand, order_referral, payment, now
):
    events = {
        "paid": lambda: invoice_paid(payment, now=now),
        "first": lambda: invoice_refunded(
            make_refund(brand.pk, "refund-1", "33.33", now), now=now
        ),
        "second": lambda: invoice_refunded(
            make_refund(brand.pk, "refund-2", "85.67", now), now=now
        ),
    }

    for name in order:
        events[name]()

    assert Sale.objects.get().net == Money("100.00", "EUR")
    assert SaleReversal.objects.count() == 2
    assert reversed_total() == Money("-100.00", "EUR")
