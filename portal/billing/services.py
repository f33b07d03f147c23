"""Money that comes in and goes back. Affiliates is notified of each with it."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction
from moneyed import Money

from affiliates import contracts
from affiliates.errors import AffiliatesError, InvalidInput, NotFound, StateConflict
from affiliates.extending import insert_once
from affiliates.host_events import invoice_paid, invoice_refunded
from portal import gateways
from portal.billing.models import (
    Invoice,
    InvoiceLine,
    InvoiceStatus,
    Payment,
    Refund,
    RefundKind,
)
from portal.billing.rules import check_payment, check_refund
from portal.clients import credit
from portal.ids import require_row


def write_payment(
    *, invoice_id: UUID, gateway: str, reference: str, amount: Money, now: datetime
) -> Payment:
    """The invoice is paid in full. The same reference again changes nothing.

    In the caller's transaction, which a refusal must end. Raises NotFound, InvalidInput
    for another amount, or StateConflict when the invoice is paid already or the
    reference belongs to another one.
    """
    # Marks and locks the invoice in one statement: it is paid by one payment.
    paid = Invoice.objects.filter(
        pk=invoice_id,
        status=InvoiceStatus.UNPAID,
        gross=amount.amount,
        currency=amount.currency.code,
    ).update(status=InvoiceStatus.PAID, paid_at=now)
    if not paid:
        return _earlier_payment(invoice_id, gateway, reference, amount)
    payment = Payment(
        invoice_id=invoice_id,
        gateway=gateway,
        reference=reference,
        amount=amount,
        received_at=now,
    )
    if not insert_once(payment):
        raise _reference_used()
    if gateway == gateways.CREDIT:
        _spend_credit(payment)
    invoice_paid(paid_invoice_of(payment), now=now)
    return payment


record_payment = transaction.atomic(write_payment)


def mark_paid(*, invoice_id: UUID, now: datetime) -> Payment:
    """An operator has seen the money. The invoice's own id is the reference."""
    return _pay_whole(invoice_id, gateway=gateways.MANUAL, now=now)


def _pay_whole(invoice_id: UUID, *, gateway: str, now: datetime) -> Payment:
    invoice = require_row(Invoice.objects.filter(pk=invoice_id))
    return record_payment(
        invoice_id=invoice_id,
        gateway=gateway,
        reference=str(invoice_id),
        amount=invoice.gross,
        now=now,
    )


def pay_with_credit(*, invoice_id: UUID, now: datetime) -> Payment:
    """The client's account credit pays the whole invoice, once.

    Raises NotFound, or StateConflict when the credit does not cover it or it is paid
    in another way already.
    """
    return _pay_whole(invoice_id, gateway=gateways.CREDIT, now=now)


def write_refund(
    *,
    invoice_id: UUID,
    gateway: str,
    reference: str,
    amount: Money,
    kind: RefundKind,
    now: datetime,
) -> Refund:
    """Part or all of a payment went back. The same reference again changes nothing.

    In the caller's transaction, which a refusal must end. What account credit has paid
    goes back to it. Raises NotFound, InvalidInput for an amount that cannot go back, or
    StateConflict when nothing was paid yet or the reference belongs to another refund,
    of this invoice too.
    """
    invoices = Invoice.objects.select_for_update(of=("self",), no_key=True)
    invoice = require_row(invoices.select_related("payment").filter(pk=invoice_id))
    if invoice.status == InvoiceStatus.UNPAID:
        raise StateConflict("not_paid", "This invoice is not paid yet.")
    refund = Refund(
        invoice=invoice,
        gateway=gateway,
        reference=reference,
        kind=kind,
        amount=amount,
        refunded_at=now,
    )
    fault = _refund_fault(refund)
    if fault is not None or not insert_once(refund):
        return _earlier_refund(refund, fault or _reference_used())
    if invoice.payment.gateway == gateways.CREDIT:
        _return_credit(refund)
    invoice.refunded_amount += amount.amount
    is_all = invoice.refunded == invoice.gross
    invoice.status = InvoiceStatus.REFUNDED if is_all else InvoiceStatus.PARTLY_REFUNDED
    invoice.save(update_fields=["refunded_amount", "status"])
    invoice_refunded(refunded_invoice_of(refund), now=now)
    return refund


record_refund = transaction.atomic(write_refund)


def _refund_fault(refund: Refund) -> InvalidInput | None:
    invoice = refund.invoice
    is_credit = invoice.payment.gateway == gateways.CREDIT
    if is_credit and refund.kind == RefundKind.CHARGEBACK:
        return InvalidInput(
            "invalid", "Account credit cannot be charged back.", field="kind"
        )
    try:
        check_refund(
            amount=refund.amount, paid=invoice.gross, refunded=invoice.refunded
        )
    except InvalidInput as fault:
        return fault
    return None


def _earlier_refund(told: Refund, fault: AffiliatesError) -> Refund:
    """The refund that is repeated; raises ``fault`` if there is none."""
    refund = Refund.objects.filter(
        invoice=told.invoice, gateway=told.gateway, reference=told.reference
    ).first()
    if refund is None:
        raise fault
    if (refund.kind, refund.amount) != (told.kind, told.amount):
        raise _reference_used()
    return refund


def _earlier_payment(
    invoice_id: UUID, gateway: str, reference: str, amount: Money
) -> Payment:
    """The payment that is repeated; else why this one cannot be recorded."""
    invoice = require_row(
        Invoice.objects.select_related("payment").filter(pk=invoice_id)
    )
    payment: Payment | None = getattr(invoice, "payment", None)
    if payment is None:
        check_payment(amount=amount, due=invoice.gross)
        # It was not there a moment ago.
        raise NotFound
    if (payment.gateway, payment.reference) != (gateway, reference):
        raise StateConflict("already_paid", "This invoice is paid already.")
    check_payment(amount=amount, due=payment.amount)
    return payment


def _spend_credit(payment: Payment) -> None:
    invoice = payment.invoice
    credit.spend_credit(
        client_id=invoice.client_id,
        amount=payment.amount,
        reason=f"Payment of invoice {invoice.number}",
        reference=f"payment:{payment.pk}",
        now=payment.received_at,
    )


def _return_credit(refund: Refund) -> None:
    invoice = refund.invoice
    credit.add_credit(
        client_id=invoice.client_id,
        amount=refund.amount,
        reason=f"Refund of invoice {invoice.number}",
        reference=f"refund:{refund.pk}",
        now=refund.refunded_at,
    )


def _reference_used() -> StateConflict:
    return StateConflict(
        "reference_used", "This reference belongs to another payment or refund."
    )


def paid_invoice_of(payment: Payment) -> contracts.PaidInvoice:
    lines = list(
        InvoiceLine.objects.filter(invoice=payment.invoice_id).select_related("invoice")
    )
    invoice = lines[0].invoice
    is_credit = payment.gateway == gateways.CREDIT
    return contracts.PaidInvoice(
        brand_id=invoice.brand_id,
        invoice_ref=str(invoice.pk),
        order_ref=str(invoice.order_id),
        payment_ref=str(payment.pk),
        gross=payment.amount,
        lines=tuple(
            contracts.InvoiceLine(
                description=line.description,
                product_ref=line.product_ref,
                kind=line.kind,
                billing_cycle=line.billing_cycle,
                quantity=line.quantity,
                net=line.net,
                tld=line.tld,
                operation=line.operation,
                discount=line.discount or None,
                # It pays an invoice whole, or not at all.
                credit=line.net if is_credit else None,
            )
            for line in lines
        ),
        paid_at=payment.received_at,
        renewal_number=invoice.renewal_number,
    )


def refunded_invoice_of(refund: Refund) -> contracts.RefundedInvoice:
    return contracts.RefundedInvoice(
        brand_id=refund.invoice.brand_id,
        invoice_ref=str(refund.invoice_id),
        refund_ref=str(refund.pk),
        gross=refund.amount,
        refunded_at=refund.refunded_at,
        kind=contracts.RefundKind(refund.kind),
    )
