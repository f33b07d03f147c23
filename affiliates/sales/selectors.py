"""Which invoices are of an order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from djmoney.money import Money

from affiliates.admin_tools.lists.invoice_numbers import number_invoices
from affiliates.brands.models.brand import Brand
from affiliates.contracts import ConvertedOrder
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import InvoicePayment, InvoiceRefund, Sale


def known_of_order(brand_id: int, order_ref: str) -> tuple[bool, bool]:
    """Whether the order has its referral, and whether an invoice of it was paid."""
    of_order = {"brand_id": brand_id, "order_ref": order_ref}
    is_attributed, is_paid = (
        Brand.objects.filter(pk=brand_id)
        .values_list(
            Exists(OrderReferral.objects.filter(**of_order)),
            Exists(InvoicePayment.objects.filter(**of_order)),
        )
        .get()
    )
    return is_attributed, is_paid


def payment_of(brand_id: int, invoice_ref: str) -> InvoicePayment | None:
    return _payments(brand_id).filter(invoice_ref=invoice_ref).first()


def payments_of_order(order: OrderReferral | ConvertedOrder) -> list[InvoicePayment]:
    """The payment of the initial invoice and those of the renewals, as far as known."""
    is_initial = Q(invoice_ref=order.invoice_ref)
    is_renewal = Q(order_ref=order.order_ref, renewal_number__gt=0)
    return list(
        _payments(order.brand_id)
        .filter(is_initial | is_renewal)
        .order_by("renewal_number", "pk")
    )


def numbers_of_orders(referral_ids: Collection[int]) -> dict[int, str]:
    """The number of each order's initial invoice, by the id of its referral."""
    orders = list(OrderReferral.objects.filter(pk__in=referral_ids).defer("decision"))
    number_invoices(orders, "invoice_ref")
    return {order.pk: str(order) for order in orders}


def refunded_gross(
    brand_id: int, invoice_refs: Collection[str]
) -> Mapping[tuple[str, str], Decimal]:
    """What was refunded of each invoice in each currency; zero of every other."""
    # Added up here: SQLite adds decimals as binary fractions.
    sums: defaultdict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for refund in InvoiceRefund.objects.filter(
        brand_id=brand_id, invoice_ref__in=invoice_refs
    ):
        sums[refund.invoice_ref, refund.gross.currency.code] += refund.gross.amount
    return sums


def _payments(brand_id: int) -> QuerySet[Any]:
    """Each with its sale and with ``has_refunds``: few have any to be looked for."""
    refunds = InvoiceRefund.objects.filter(
        brand_id=brand_id, invoice_ref=OuterRef("invoice_ref")
    )
    return (
        InvoicePayment.objects.filter(brand_id=brand_id)
        .select_related("sale")
        .annotate(has_refunds=Exists(refunds))
    )


def referral_of(payment: InvoicePayment) -> OrderReferral | None:
    """The referral of the order that the invoice is of, with ``has_sales``.

    The initial invoice is known by its own reference, a renewal by its order's.
    """
    named = Q(invoice_ref=payment.invoice_ref)
    if payment.renewal_number:
        named |= Q(order_ref=payment.order_ref)
    return (
        OrderReferral.objects.filter(named, brand_id=payment.brand_id)
        .select_related("affiliate")
        .annotate(has_sales=Exists(Sale.objects.filter(order_referral=OuterRef("pk"))))
        .first()
    )


def net_after_reversals(sale: Sale) -> Money:
    """What is left of the sale: never below zero."""
    net: Money = sum((one.net for one in sale.reversals.all()), sale.net)
    return net
