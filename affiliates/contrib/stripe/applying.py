"""Applies an event: each type's function reports to the seam what it says.

Returns the ids that the event tells of. A function raises Waits for an id that is not
known yet, and Ignored for an event that says nothing to affiliates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Max, QuerySet
from django.utils.module_loading import import_string

from affiliates import host_events
from affiliates.conf import conf
from affiliates.contracts import (
    CancelledRefund,
    OrderPlaced,
    RefundedInvoice,
    RefundKind,
)
from affiliates.contrib.stripe import reversals, rules
from affiliates.contrib.stripe.models import StripeInvoice, StripePayment
from affiliates.contrib.stripe.reading import Parsed, id_of, items, payments_of
from affiliates.db.accounts import key_of
from affiliates.db.records import insert_once
from affiliates.errors import InvalidInput, NotFound
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import InvoicePayment

# The client of a session that waits: its e-mail and metadata are not stored.
CLIENT = "client"

Ids = tuple[str, ...]
Change = RefundedInvoice | CancelledRefund
FindClient = Callable[[rules.StripeCustomer], str | None]


class Waits(Exception):  # noqa: N818 - says what happens
    """The event needs another, which tells of ``ref``."""

    def __init__(self, ref: str, *, client_id: str = "") -> None:
        super().__init__(ref)
        self.ref, self.client_id = ref, client_id


class Ignored(Exception):  # noqa: N818 - says what happens
    """The event says nothing to affiliates; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """An event to apply. ``is_overdue``: earlier invoices do not come any more."""

    brand_id: int
    type: str
    object: Parsed
    customer: rules.StripeCustomer
    at: datetime
    now: datetime
    is_overdue: bool = False


def complete_checkout(event: Delivery) -> Ids:
    session = event.object
    if session.get("mode") == "setup":
        raise Ignored("A session that sets up a payment method sells nothing.")
    checkout = rules.checkout_of(event.brand_id, session, at=event.at)
    if not checkout.order_ref:
        raise Ignored("A session without a payment sells nothing.")
    client_id = session.get(CLIENT) or _client_of(event.customer)
    invoice_ref = checkout.invoice_ref or _first_invoice(
        event, checkout.order_ref, client_id
    )
    if not client_id:
        raise NotFound(
            "client_not_found", "The portal knows no client of the customer."
        )
    placed = OrderPlaced(
        brand_id=event.brand_id,
        order_ref=checkout.order_ref,
        invoice_ref=invoice_ref,
        client_id=client_id,
        placed_at=checkout.created,
        client_paid_before=checkout.client_paid_before
        or _paid_before(event.brand_id, client_id, checkout.created),
    )
    host_events.order_placed(placed, referral_cookie=checkout.cookie, now=event.now)
    if checkout.paid is not None:
        host_events.invoice_paid(checkout.paid, now=event.now)
    return _link(event, checkout.payments, invoice_ref)


def pay_invoice(event: Delivery) -> Ids:
    invoice = rules.invoice_of(event.brand_id, event.object, at=event.at)
    known = _stored_invoice(event, invoice.paid.invoice_ref)
    known = known or _new_invoice(event, invoice)
    if invoice.is_sale:
        paid = invoice.numbered(known.number, known.position)
        host_events.invoice_paid(paid, now=event.now)
    linked = _link(event, invoice.payments, known.invoice_id)
    return known.invoice_id, known.subscription_id, *linked


def link_payment(event: Delivery) -> Ids:
    payments = payments_of([event.object.get("payment") or {}])
    return _link(event, payments, id_of(event.object.get("invoice")))


def refund_charge(event: Delivery) -> Ids:
    """The API versions before 2022-11-15 list the charge's refunds."""
    refunds = items(event.object.get("refunds"))
    if not refunds:
        raise Ignored("refund.created reports the same with the refund's id.")
    return _report(event, *(_refunded(event, refund) for refund in refunds))


def refund(event: Delivery) -> Ids:
    return _report(event, _refunded(event, event.object))


def issue_credit_note(event: Delivery) -> Ids:
    invoice_ref = id_of(event.object.get("invoice"))
    invoice = _stored_invoice(event, invoice_ref)
    if invoice is None:
        raise Waits(invoice_ref)
    return _report(
        event, *reversals.credited(event.brand_id, event.object, invoice.labels)
    )


def void_credit_note(event: Delivery) -> Ids:
    return _report(event, _undone(event, event.object, "void"))


def dispute(event: Delivery) -> Ids:
    where = reversals.money_of_dispute(event.type, event.object)
    if where == reversals.TAKEN:
        return _report(event, _taken(event, event.object, RefundKind.CHARGEBACK))
    if where == reversals.GIVEN_BACK:
        return _report(event, _undone(event, event.object, "won"))
    raise Ignored("No money has moved yet.")


HANDLERS: Mapping[str, Callable[[Delivery], Ids]] = {
    "checkout.session.completed": complete_checkout,
    "checkout.session.async_payment_succeeded": complete_checkout,
    "invoice.paid": pay_invoice,
    "invoice_payment.paid": link_payment,
    "charge.refunded": refund_charge,
    "charge.refund.updated": refund,
    "refund.created": refund,
    "refund.updated": refund,
    "refund.failed": refund,
    "credit_note.created": issue_credit_note,
    "credit_note.voided": void_credit_note,
    "charge.dispute.created": dispute,
    "charge.dispute.funds_withdrawn": dispute,
    "charge.dispute.funds_reinstated": dispute,
    "charge.dispute.closed": dispute,
}


def _client_of(customer: rules.StripeCustomer) -> str:
    if not conf.stripe_client:
        return customer.client_reference_id
    find: FindClient = import_string(conf.stripe_client)
    return find(customer) or ""


def _refunded(event: Delivery, refund: Parsed) -> Change:
    if refund.get("status") in reversals.UNDONE:
        return _undone(event, refund, "failed")
    return _taken(event, refund, RefundKind.REFUND)


def _taken(event: Delivery, row: Parsed, kind: RefundKind) -> Change:
    return reversals.taken_back(event.brand_id, row, _invoice_of(event), kind)


def _undone(event: Delivery, row: Parsed, why: str) -> Change:
    return reversals.undone(event.brand_id, id_of(row), why, at=event.at)


def _report(event: Delivery, *changes: Change) -> Ids:
    for change in changes:
        if isinstance(change, CancelledRefund):
            _cancel(event, change)
        else:
            host_events.invoice_refunded(change, now=event.now)
    return ()


def _cancel(event: Delivery, change: CancelledRefund) -> None:
    try:
        host_events.refund_cancelled(change, now=event.now)
    except InvalidInput as refusal:
        if refusal.code != "exceeds_refund":
            raise
        # The refund failed before its credit note came.
        host_events.refund_cancelled(replace(change, gross=None), now=event.now)


def _link(event: Delivery, payments: Ids, invoice_id: str) -> Ids:
    for payment_id in payments:
        insert_once(
            StripePayment(
                brand_id=event.brand_id, payment_id=payment_id, invoice_id=invoice_id
            )
        )
    return payments


def _invoice_of(event: Delivery) -> str:
    """The invoice that a charge, refund or dispute is about."""
    if invoice_ref := id_of(event.object.get("invoice")):
        return invoice_ref
    payments = payments_of([event.object])
    if event.type == "charge.refunded":
        payments = (*payments, id_of(event.object))
    known = StripePayment.objects.filter(
        brand_id=event.brand_id, payment_id__in=payments
    ).first()
    if known is None:
        raise Waits(payments[0]) if payments else Ignored("It names no payment.")
    return known.invoice_id


def _first_invoice(event: Delivery, subscription: str, client_id: str) -> str:
    first = _invoices(event.brand_id, subscription).filter(number=0).first()
    if first is None:
        raise Waits(subscription, client_id=client_id)
    return first.invoice_id


def _paid_before(brand_id: int, client_id: str, at: datetime) -> bool:
    orders = OrderReferral.objects.filter(
        brand_id=brand_id, client=key_of(client_id), converted_at__lt=at
    )
    return InvoicePayment.objects.filter(
        brand_id=brand_id,
        order_ref__in=orders.values("order_ref"),
        paid_at__lt=at,
        gross__gt=0,
    ).exists()


def _invoices(brand_id: int, subscription: str) -> QuerySet[StripeInvoice]:
    return StripeInvoice.objects.filter(brand_id=brand_id, subscription_id=subscription)


def _stored_invoice(event: Delivery, invoice_id: str) -> StripeInvoice | None:
    return StripeInvoice.objects.filter(
        brand_id=event.brand_id, invoice_id=invoice_id
    ).first()


def _new_invoice(event: Delivery, invoice: rules.Invoice) -> StripeInvoice:
    """Its number is the next one; its position counts the paid terms before it."""
    number = position = 0
    opens_term = invoice.opens_term
    if not invoice.is_first:
        known = _invoices(event.brand_id, invoice.subscription)
        facts = known.aggregate(last=Max("number"), until=Max("covers_until"))
        if not event.is_overdue and _is_gap(invoice.starts, **facts):
            raise Waits(invoice.subscription)
        number = (facts["last"] or 0) + 1
        before = known.filter(
            opens_term=True, has_amount=True, created_at__lt=invoice.created
        ).count()
        # A change from free to paid begins the first paid term.
        opens_term |= invoice.is_update and invoice.has_amount and not before
        position = before if opens_term else max(0, before - 1)
    return StripeInvoice.objects.create(
        brand_id=event.brand_id,
        invoice_id=invoice.paid.invoice_ref,
        subscription_id=invoice.subscription,
        number=number,
        position=position,
        opens_term=opens_term,
        has_amount=invoice.has_amount,
        created_at=invoice.created,
        covers_until=invoice.ends,
        labels=dict(invoice.labels),
    )


def _is_gap(
    starts: datetime | None, *, last: int | None, until: datetime | None
) -> bool:
    """Whether an invoice before this one is not known yet."""
    if last is None:
        return True
    return starts is not None and until is not None and starts > until
