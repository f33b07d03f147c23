"""Reads refunds of invoices with their cancellations, and the numbers of orders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from django.db.models import Exists, OuterRef, Q, QuerySet
from moneyed import Money

from affiliates.adapter import get_adapter
from affiliates.admin_tools.lists.invoice_numbers import number_invoices
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import (
    InvoicePayment,
    InvoiceRefund,
    RefundCancellation,
    Sale,
    SaleReversal,
)
from affiliates.sales.refunded import Refunded, refunded_by
from affiliates.sales.rules import cancelled_amounts


@dataclass(frozen=True, slots=True, kw_only=True)
class RefundChange:
    """A refund, or the ``cancellation`` of one, and the change of the refunded amount.

    ``gross`` is below zero where less is refunded than before. ``reversal`` is that of
    the sale, if it has counted the change.
    """

    refund: InvoiceRefund
    cancellation: RefundCancellation | None
    gross: Money
    reversal: SaleReversal | None

    def refunded(self, payment: InvoicePayment) -> Refunded:
        """The part of the payment that it takes, or gives back."""
        refund = self.refund
        refunded = refunded_by(
            refund.gross, refund.named, payment.payment_ref, payment.lines
        )
        return refunded.part(
            Fraction(self.gross.amount) / Fraction(refund.gross.amount)
        )

    @property
    def fact(self) -> InvoiceRefund | RefundCancellation:
        return self.cancellation or self.refund

    @property
    def reversal_id(self) -> int:
        """The id of the sale's reversal, which is written before its commissions'."""
        if self.reversal is None:
            raise ValueError("The sale is not reversed yet.")
        return self.reversal.pk


def numbers_of_orders(referral_ids: Collection[int]) -> dict[int, str]:
    """The number of each order's initial invoice, by the id of its referral."""
    orders = list(OrderReferral.objects.filter(pk__in=referral_ids).defer("decision"))
    number_invoices(orders, "invoice_ref")
    return {order.pk: str(order) for order in orders}


def refunded_of_payments(
    brand_id: int, payments: Collection[InvoicePayment]
) -> Mapping[int, Refunded]:
    """The refunds of each payment in its currency, by its key."""
    changes = refund_changes(brand_id, [payment.invoice_ref for payment in payments])
    return {
        payment.pk: sum(
            (
                change.refunded(payment)
                for change in changes[payment.invoice_ref, payment.gross.currency.code]
            ),
            Refunded(),
        )
        for payment in payments
    }


def refund_changes(
    brand_id: int,
    invoice_refs: Collection[str],
    among: QuerySet[InvoiceRefund] | None = None,
) -> Mapping[tuple[str, str], list[RefundChange]]:
    """Changes by invoice and currency: the refunds, then their cancellations."""
    of_refund = RefundCancellation.objects.filter(
        brand_id=OuterRef("brand_id"), refund_ref=OuterRef("refund_ref")
    )
    refunds = list(
        (InvoiceRefund.objects if among is None else among)
        .filter(brand_id=brand_id, invoice_ref__in=invoice_refs)
        .annotate(is_cancelled=Exists(of_refund))
        .select_related("reversal")
        .order_by("id")
    )
    # Most refunds have no cancellation to look up.
    cancelled = [refund.refund_ref for refund in refunds if refund.is_cancelled]
    cancellations = _by_refund(brand_id, cancelled)
    made = (_made(refund, cancellations[refund.refund_ref]) for refund in refunds)
    by_invoice: defaultdict[tuple[str, str], list[RefundChange]] = defaultdict(list)
    for change in sorted(chain.from_iterable(made), key=_place):
        refund = change.refund
        by_invoice[refund.invoice_ref, refund.gross.currency.code].append(change)
    return by_invoice


def orders_numbered(number: str, *, brand_id: int) -> Q:
    """Orders with this number or reference, or with an invoice that has it."""
    orders = [number, *get_adapter().order_refs(number, brand_id=brand_id)]
    invoices = [number, *get_adapter().invoice_refs(number, brand_id=brand_id)]
    sold = Sale.objects.filter(brand_id=brand_id, invoice_ref__in=invoices)
    ids = list(sold.order_by().values_list("order_referral_id", flat=True))
    return Q(order_ref__in=orders) | Q(invoice_ref__in=invoices) | Q(pk__in=ids)


def ending_cancellations(brand_id: int, refund_refs: Collection[str]) -> set[int]:
    """Ids of the cancellations after which nothing of their refund is refunded."""
    refunds = InvoiceRefund.objects.filter(
        brand_id=brand_id, refund_ref__in=refund_refs
    ).select_related("reversal")
    cancellations = _by_refund(brand_id, refund_refs)
    ended = set()
    for refund in refunds:
        left = refund.gross * 0
        for change in _made(refund, cancellations[refund.refund_ref]):
            left += change.gross
            if change.cancellation is not None and change.gross and not left:
                ended.add(change.cancellation.pk)
    return ended


def still_refunded(refund: InvoiceRefund) -> Money:
    """The gross amount that the refund's cancellations leave."""
    cancellations = _by_refund(refund.brand_id, [refund.refund_ref])
    changes = _made(refund, cancellations[refund.refund_ref])
    return sum((change.gross for change in changes), refund.gross * 0)


def _by_refund(
    brand_id: int, refund_refs: Collection[str]
) -> Mapping[str, list[RefundCancellation]]:
    by_refund: defaultdict[str, list[RefundCancellation]] = defaultdict(list)
    if refund_refs:
        cancellations = RefundCancellation.objects.filter(
            brand_id=brand_id, refund_ref__in=refund_refs
        )
        for cancellation in cancellations.select_related("reversal").order_by("id"):
            by_refund[cancellation.refund_ref].append(cancellation)
    return by_refund


def _made(
    refund: InvoiceRefund, cancellations: Iterable[RefundCancellation]
) -> Iterator[RefundChange]:
    yield RefundChange(
        refund=refund,
        cancellation=None,
        gross=refund.gross,
        reversal=getattr(refund, "reversal", None),
    )
    stored = list(cancellations)
    amounts = cancelled_amounts(refund.gross, [row.gross for row in stored])
    for cancellation, amount in zip(stored, amounts, strict=True):
        yield RefundChange(
            refund=refund,
            cancellation=cancellation,
            gross=-amount,
            reversal=getattr(cancellation, "reversal", None),
        )


def _place(change: RefundChange) -> tuple[bool, int]:
    if change.cancellation is None:
        return False, change.refund.pk
    return True, change.cancellation.pk


def net_after_reversals(sale: Sale) -> Money:
    """The net amount that reversals leave of the sale: never below zero."""
    net: Money = sum((reversal.net for reversal in sale.reversals.all()), sale.net)
    return net
