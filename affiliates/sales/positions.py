"""How plans count an order's invoices, and which of them is the first sale."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from django.db.models import Q

from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import InvoicePayment
from affiliates.sales.rules import NumberedInvoice, positions


def position_of(payment: InvoicePayment, order: OrderReferral) -> int:
    """The payment's number for plans, by the order's payments that are known now."""
    if payment.invoice_ref == order.invoice_ref:
        return 0
    is_earlier = Q(
        order_ref=order.order_ref,
        renewal_number__gt=0,
        renewal_number__lt=payment.renewal_number,
    )
    earlier = InvoicePayment.objects.filter(
        is_earlier | Q(invoice_ref=order.invoice_ref), brand_id=order.brand_id
    )
    invoices = [numbered(one, order.invoice_ref) for one in (*earlier, payment)]
    *_, position = positions(sorted(invoices, key=lambda one: one.number))
    return position


def renewal_of(payment: InvoicePayment, order: OrderReferral) -> int:
    """The renewal number; that told of the initial invoice is ignored."""
    return _number(payment, order.invoice_ref)


def numbered(payment: InvoicePayment, initial_ref: str) -> NumberedInvoice:
    """``initial_ref`` is the initial invoice."""
    number = _number(payment, initial_ref)
    return NumberedInvoice(number, payment.position, payment.net)


def _number(payment: InvoicePayment, initial_ref: str) -> int:
    is_initial = payment.invoice_ref == initial_ref
    return 0 if is_initial else payment.renewal_number


def first_sales(
    brand_id: int, orders: Collection[OrderReferral]
) -> dict[int, InvoicePayment]:
    """The first invoice with an amount of each order, by the order's id.

    An order has none before all earlier invoices are known to be of nothing. Renewals
    are looked for only where the initial invoice has no amount.
    """
    payments = InvoicePayment.objects.filter(brand_id=brand_id)
    refs = [order.invoice_ref for order in orders]
    initial = {one.invoice_ref: one for one in payments.filter(invoice_ref__in=refs)}
    has_amount = {ref for ref, one in initial.items() if one.net.amount > 0}
    others = [one.order_ref for one in orders if one.invoice_ref not in has_amount]
    renewals: defaultdict[str, list[InvoicePayment]] = defaultdict(list)
    for renewal in (
        payments.filter(order_ref__in=others, renewal_number__gt=0)
        .exclude(invoice_ref__in=refs)
        .order_by("renewal_number")
    ):
        renewals[renewal.order_ref].append(renewal)
    found = {}
    for order in orders:
        known = [initial[order.invoice_ref]] if order.invoice_ref in initial else []
        first = _first([*known, *renewals[order.order_ref]], order.invoice_ref)
        if first is not None:
            found[order.pk] = first
    return found


def _first(
    payments: Sequence[InvoicePayment], initial_ref: str
) -> InvoicePayment | None:
    counted = positions(numbered(one, initial_ref) for one in payments)
    return next(
        (
            one
            for one, position in zip(payments, counted, strict=True)
            if position == 0 and one.net.amount > 0
        ),
        None,
    )
