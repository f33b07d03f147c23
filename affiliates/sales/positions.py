"""How plans count an order's invoices, and which of them is the first sale."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from affiliates.referrals.models import OrderReferral
from affiliates.sales.known import KnownPayment, order_payments
from affiliates.sales.models import InvoicePayment
from affiliates.sales.rules import NumberedInvoice, positions


def position_of(known: KnownPayment, order: OrderReferral) -> int:
    """The payment's number for plans, by the order's payments that are known now."""
    payment = known.payment
    if payment.invoice_ref == order.invoice_ref:
        return 0
    numbers = _positions(order_payments(known, order), order.invoice_ref)
    return next(number for other, number in numbers if other == payment)


def first_sale(known: KnownPayment, order: OrderReferral) -> InvoicePayment | None:
    """The first invoice with an amount, of those that are known now.

    None before all earlier invoices are known to be of nothing.
    """
    payment = known.payment
    if payment.invoice_ref == order.invoice_ref and payment.net.amount > 0:
        return payment
    return _first(order_payments(known, order), order.invoice_ref)


def renewal_of(payment: InvoicePayment, order: OrderReferral) -> int:
    """The renewal number; the initial invoice is 0 even if the host sent another."""
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
    initial = {
        payment.invoice_ref: payment
        for payment in payments.filter(invoice_ref__in=refs)
    }
    has_amount = {ref for ref, payment in initial.items() if payment.net.amount > 0}
    others = [
        order.order_ref for order in orders if order.invoice_ref not in has_amount
    ]
    renewals: defaultdict[str, list[InvoicePayment]] = defaultdict(list)
    for renewal in payments.filter(order_ref__in=others, renewal_number__gt=0).exclude(
        invoice_ref__in=refs
    ):
        renewals[renewal.order_ref].append(renewal)
    sales = {}
    for order in orders:
        paid = [initial[order.invoice_ref]] if order.invoice_ref in initial else []
        first = _first([*paid, *renewals[order.order_ref]], order.invoice_ref)
        if first is not None:
            sales[order.pk] = first
    return sales


def _first(
    payments: Iterable[InvoicePayment], initial_ref: str
) -> InvoicePayment | None:
    return next(
        (
            payment
            for payment, position in _positions(payments, initial_ref)
            if position == 0 and payment.net.amount > 0
        ),
        None,
    )


def _positions(
    payments: Iterable[InvoicePayment], initial_ref: str
) -> Iterator[tuple[InvoicePayment, int]]:
    """The payments by their numbers, each with its position."""
    in_order = sorted(payments, key=lambda payment: _number(payment, initial_ref))
    counted = positions(numbered(payment, initial_ref) for payment in in_order)
    return zip(in_order, counted, strict=True)
