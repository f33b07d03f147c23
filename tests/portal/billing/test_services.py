from __future__ import annotations

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from moneyed import Money

from affiliates import contracts
from affiliates.errors import InvalidInput, NotFound, StateConflict
from portal.billing import services
from portal.billing.models import Invoice, Payment, Refund, RefundKind
from portal.billing.services import mark_paid, record_payment, record_refund
from tests.database import nothing_written
from tests.races import at_once, needs_postgresql

GROSS = Money("10.71", "EUR")


@pytest.fixture
def invoice(client, invoice_of) -> Invoice:
    return invoice_of(client)


@pytest.fixture
def paid(invoice, now, told) -> Invoice:
    mark_paid(invoice_id=invoice.pk, now=now)
    told.clear()
    invoice.refresh_from_db()
    return invoice


def pay(invoice_id, now, *, reference="pay_1", gateway="acme", amount=GROSS) -> Payment:
    return record_payment(
        invoice_id=invoice_id,
        gateway=gateway,
        reference=reference,
        amount=amount,
        now=now,
    )


def refund(invoice, now, amount, *, reference="re_1", kind=RefundKind.REFUND) -> Refund:
    return record_refund(
        invoice_id=invoice.pk,
        gateway="acme",
        reference=reference,
        amount=Money(amount, "EUR"),
        kind=kind,
        now=now,
    )


def test_a_payment_is_recorded_and_told(invoice, now, told):
    later = now + timedelta(hours=1)

    payment = pay(invoice.pk, later)

    invoice.refresh_from_db()
    assert (invoice.status, invoice.paid_at) == ("paid", later)
    stored = Payment.objects.get()
    assert stored == payment
    assert (stored.invoice, stored.gateway, stored.reference) == (
        invoice,
        "acme",
        "pay_1",
    )
    assert (stored.amount, stored.received_at) == (GROSS, later)
    (line,) = invoice.lines.all()
    assert told == [
        contracts.PaidInvoice(
            brand_id=invoice.brand_id,
            invoice_ref=str(invoice.pk),
            order_ref=str(invoice.order_id),
            payment_ref=str(payment.pk),
            gross=GROSS,
            lines=(
                contracts.InvoiceLine(
                    description="Business",
                    product_ref=line.product_ref,
                    kind="hosting",
                    billing_cycle="monthly",
                    quantity=1,
                    net=Money("9.00", "EUR"),
                ),
            ),
            paid_at=later,
        )
    ]


def test_a_repeated_payment_changes_nothing(invoice, now, told):
    first = pay(invoice.pk, now)

    again = pay(invoice.pk, now + timedelta(days=1))

    assert again == first
    assert len(told) == 1
    invoice.refresh_from_db()
    assert invoice.paid_at == now


@pytest.mark.parametrize(
    ("_case", "amount", "code"),
    [
        ("less", Money("10.70", "EUR"), "amount_mismatch"),
        ("more", Money("10.72", "EUR"), "amount_mismatch"),
        ("nothing", Money(0, "EUR"), "amount_mismatch"),
        ("another currency", Money("10.71", "USD"), "currency_mismatch"),
    ],
)
def test_another_amount_is_refused(_case, amount, code, invoice, now, told):
    with pytest.raises(InvalidInput) as refusal:
        pay(invoice.pk, now, amount=amount)

    assert refusal.value.code == code
    invoice.refresh_from_db()
    assert (invoice.status, invoice.paid_at) == ("unpaid", None)
    assert not Payment.objects.exists()
    assert told == []


def test_a_second_payment_is_refused(paid, now, told):
    with pytest.raises(StateConflict) as refusal:
        pay(paid.pk, now, reference="pay_2")

    assert refusal.value.code == "already_paid"
    assert Payment.objects.count() == 1
    assert told == []


@pytest.mark.parametrize(
    ("_case", "amount", "code"),
    [
        ("amount", Money("99.00", "EUR"), "amount_mismatch"),
        ("currency", Money("10.71", "USD"), "currency_mismatch"),
    ],
)
def test_a_repeated_payment_of_another(_case, amount, code, invoice, now, told):
    pay(invoice.pk, now)

    with nothing_written(), pytest.raises(InvalidInput) as refusal:
        pay(invoice.pk, now, amount=amount)

    assert refusal.value.code == code
    assert len(told) == 1


def test_a_reference_pays_one_invoice(client, invoice_of, now, told):
    first, second = invoice_of(client), invoice_of(client)
    pay(first.pk, now)

    with pytest.raises(StateConflict) as refusal:
        pay(second.pk, now)

    assert refusal.value.code == "reference_used"
    second.refresh_from_db()
    assert second.status == "unpaid"
    assert len(told) == 1


def test_gateways_do_not_share_references(client, invoice_of, now, told):
    pay(invoice_of(client).pk, now, gateway="acme")
    pay(invoice_of(client).pk, now, gateway="other")

    assert Payment.objects.count() == 2


def test_an_unknown_invoice_cannot_be_paid(db, now, told):
    with pytest.raises(NotFound):
        pay(uuid4(), now)

    with pytest.raises(NotFound):
        mark_paid(invoice_id=uuid4(), now=now)

    assert told == []


def test_an_operator_marks_paid_once(invoice, now, told):
    first = mark_paid(invoice_id=invoice.pk, now=now)
    again = mark_paid(invoice_id=invoice.pk, now=now)

    assert first == again
    assert (first.gateway, first.reference) == ("manual", str(invoice.pk))
    assert first.amount == GROSS
    assert len(told) == 1


def test_a_free_invoice_can_be_marked_paid(client, invoice_of, now, told):
    invoice = invoice_of(client, product__price=Money(0, "EUR"))

    mark_paid(invoice_id=invoice.pk, now=now)

    invoice.refresh_from_db()
    assert invoice.status == "paid"


def test_nothing_is_kept_when_affiliates_refuses(invoice, now, monkeypatch):
    def refuse(event, *, now):
        raise InvalidInput("no", "No.")

    monkeypatch.setattr(services, "invoice_paid", refuse)

    with pytest.raises(InvalidInput):
        pay(invoice.pk, now)

    invoice.refresh_from_db()
    assert invoice.status == "unpaid"
    assert not Payment.objects.exists()


@pytest.mark.parametrize("kind", list(RefundKind))
def test_a_refund_is_recorded_and_told(kind, paid, now, told):
    later = now + timedelta(days=1)

    made = refund(paid, later, "10.71", kind=kind)

    paid.refresh_from_db()
    assert paid.status == "refunded"
    stored = Refund.objects.get()
    assert (stored.invoice, stored.kind, stored.amount) == (paid, kind, GROSS)
    assert told == [
        contracts.RefundedInvoice(
            brand_id=paid.brand_id,
            invoice_ref=str(paid.pk),
            refund_ref=str(made.pk),
            gross=GROSS,
            refunded_at=later,
            kind=contracts.RefundKind(kind),
        )
    ]


def test_refunds_add_up_to_the_payment_and_no_further(paid, now, told):
    refund(paid, now, "4.00", reference="re_1")
    paid.refresh_from_db()
    assert paid.status == "partly_refunded"

    with pytest.raises(InvalidInput) as refusal:
        refund(paid, now, "6.72", reference="re_2")
    refund(paid, now, "6.71", reference="re_3")

    assert refusal.value.code == "refund_exceeds_payment"
    paid.refresh_from_db()
    assert paid.status == "refunded"
    assert [made.reference for made in Refund.objects.order_by("id")] == [
        "re_1",
        "re_3",
    ]
    assert len(told) == 2


def test_a_repeated_refund_changes_nothing(paid, now, told):
    first = refund(paid, now, "10.71")

    again = refund(paid, now + timedelta(days=1), "10.71")

    assert again == first
    assert len(told) == 1


@pytest.mark.parametrize(
    ("_case", "amount", "kind"),
    [
        ("another amount", "5.71", RefundKind.REFUND),
        ("a chargeback", "5.00", RefundKind.CHARGEBACK),
    ],
)
def test_a_reference_is_of_one_refund_of_an_invoice(
    _case, amount, kind, paid, now, told
):
    refund(paid, now, "5.00")

    with nothing_written(), pytest.raises(StateConflict) as refusal:
        refund(paid, now, amount, kind=kind)

    assert refusal.value.code == "reference_used"
    assert len(told) == 1


def test_a_reference_refunds_one_invoice(client, paid, invoice_of, now, told):
    other = invoice_of(client)
    mark_paid(invoice_id=other.pk, now=now)
    refund(paid, now, "1.00")

    with pytest.raises(StateConflict) as refusal:
        refund(other, now, "1.00")

    assert refusal.value.code == "reference_used"
    other.refresh_from_db()
    assert other.status == "paid"
    assert Refund.objects.count() == 1


def test_an_unpaid_invoice_has_nothing_to_refund(invoice, now, told):
    with pytest.raises(StateConflict) as refusal:
        refund(invoice, now, "1.00")

    assert refusal.value.code == "not_paid"
    assert not Refund.objects.exists()
    assert told == []


def test_an_unknown_invoice_cannot_be_refunded(db, now):
    with pytest.raises(NotFound):
        record_refund(
            invoice_id=uuid4(),
            gateway="acme",
            reference="re_1",
            amount=GROSS,
            kind=RefundKind.REFUND,
            now=now,
        )


def test_database_refuses_a_refund_of_nothing(paid, now):
    with pytest.raises(IntegrityError), transaction.atomic():
        Refund(
            invoice=paid,
            gateway="acme",
            reference="re_1",
            kind=RefundKind.REFUND,
            amount=Money(0, "EUR"),
            refunded_at=now,
        ).save()


@pytest.mark.parametrize(
    ("_case", "change"),
    [
        ("gross that is not net plus tax", {"gross": "99.00"}),
        ("paid invoice without its time", {"status": "paid"}),
        ("unpaid invoice with one", {"paid_at": "2026-03-01T12:00Z"}),
    ],
)
def test_database_refuses_a(_case, change, invoice):
    with pytest.raises(IntegrityError), transaction.atomic():
        Invoice.objects.filter(pk=invoice.pk).update(**change)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_racing_refunds_never_exceed_the_payment(paid, now, told):
    def part(number: int) -> str:
        try:
            refund(paid, now, "3.00", reference=f"re_{number}")
        except InvalidInput as refusal:
            return refusal.code
        return "refunded"

    results = at_once(20, part)

    assert results.count("refunded") == 3
    assert results.count("refund_exceeds_payment") == 17
    assert Refund.objects.count() == 3
