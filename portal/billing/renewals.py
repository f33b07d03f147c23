"""Invoicing what recurs in an order, period by period."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef

from affiliates.errors import StateConflict
from portal.billing.invoicing import create_invoice
from portal.billing.models import Invoice, InvoiceLine, InvoiceStatus
from portal.billing.renewal_rules import (
    due_products,
    invoiced_periods,
    is_recurring,
    next_renewal_at,
)
from portal.ids import require_row
from portal.money import line_amounts
from portal.orders.catalogue import DomainOperation, ProductKind
from portal.orders.models import Order

MAX_ORDERS_AT_ONCE = 500


@transaction.atomic
def renew_order(*, order_id: UUID, now: datetime, is_early: bool = False) -> Invoice:
    """The invoice of the order's next period, at the prices of its initial invoice.

    An order has one unpaid renewal at a time: it is the answer until it is paid. With
    ``is_early`` the period in hand need not have ended. Raises NotFound, or
    StateConflict when nothing may be renewed.
    """
    orders = Order.objects.select_for_update(no_key=True)
    order = require_row(orders.filter(pk=order_id))
    invoices = list(order.invoices.order_by("renewal_number"))
    if not invoices:
        raise StateConflict("not_converted", "This is a basket still.")
    if order.ended_at is not None:
        raise StateConflict("service_ended", "This service has ended.")
    initial, latest = invoices[0], invoices[-1]
    if latest.status == InvoiceStatus.UNPAID:
        if latest is initial:
            raise StateConflict("not_paid", "The initial invoice is not paid yet.")
        return latest
    return _issue(order, initial=initial, latest=latest, now=now, is_early=is_early)


def issue_renewals(*, now: datetime) -> Iterator[Invoice]:
    """Issue every renewal that is due, each in a transaction of its own.

    Harmless to repeat and to run twice at once: an order is renewed once a period.
    """
    after = None
    while order_ids := _due_orders(now=now, after=after):
        for order_id in order_ids:
            try:
                yield renew_order(order_id=order_id, now=now)
            except StateConflict:
                # Another run, or staff, came first.
                continue
        after = order_ids[-1]


def issue_due(*, now: datetime) -> str:
    """Issue them all; how many, in words: the worker's job."""
    issued = sum(1 for _ in issue_renewals(now=now))
    return f"{issued:,} renewals issued." if issued else ""


def is_service_active(*, order_id: UUID, brand_id: int) -> bool | None:
    """Whether what the order bought still runs; None when nothing in it recurs."""
    lines = InvoiceLine.objects.filter(
        invoice__order=order_id, invoice__brand=brand_id, invoice__renewal_number=0
    ).select_related("invoice__order")
    recurring = [line for line in lines if is_recurring(line)]
    return recurring[0].invoice.order.ended_at is None if recurring else None


def _issue(
    order: Order, *, initial: Invoice, latest: Invoice, now: datetime, is_early: bool
) -> Invoice:
    lines = list(
        InvoiceLine.objects.filter(invoice__order=order).order_by(
            "invoice__renewal_number", "position"
        )
    )
    periods = invoiced_periods(lines)
    ends_at = next_renewal_at(periods, began_at=initial.created_at)
    if ends_at is None:
        raise StateConflict("nothing_recurs", "Nothing in this order recurs.")
    if ends_at > now and not is_early:
        raise StateConflict("not_due", "The period that is paid has not ended yet.")
    due = due_products(periods, began_at=initial.created_at, by=max(ends_at, now))
    recurring = (
        line for line in lines if line.product_ref in due and is_recurring(line)
    )
    initial_lines = [line for line in recurring if line.invoice_id == initial.pk]
    renewed = [_renewed(line, position=at) for at, line in enumerate(initial_lines, 1)]
    invoice = Invoice(
        order=order,
        renewal_number=latest.renewal_number + 1,
        payment_details_id=initial.payment_details_id,
        gateway=initial.gateway,
        renews_at=next_renewal_at(
            periods + invoiced_periods(renewed), began_at=initial.created_at
        ),
        created_at=now,
    )
    return create_invoice(invoice, renewed)


def _renewed(line: InvoiceLine, *, position: int) -> InvoiceLine:
    """The same for one more period. A coupon's discount was for the first one."""
    amounts = line_amounts(
        unit_price=line.unit_price, quantity=line.quantity, tax_rate=line.tax_rate
    )
    renewed = copy(line)
    renewed.pk, renewed.position = None, position
    renewed.discount_amount = amounts.discount.amount
    renewed.net, renewed.tax = amounts.net, amounts.tax
    if line.kind == ProductKind.DOMAIN:
        renewed.operation = DomainOperation.RENEW
    return renewed


def _due_orders(*, now: datetime, after: UUID | None) -> list[UUID]:
    later = Invoice.objects.filter(
        order=OuterRef("order"), renewal_number__gt=OuterRef("renewal_number")
    )
    latest_paid = Invoice.objects.filter(
        ~Exists(later),
        renews_at__lte=now,
        paid_at__isnull=False,
        order__ended_at=None,
    )
    if after is not None:
        latest_paid = latest_paid.filter(order__gt=after)
    order_ids = latest_paid.order_by("order").values_list("order", flat=True)
    return list(order_ids[:MAX_ORDERS_AT_ONCE])
