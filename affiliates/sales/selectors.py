"""Finds the invoices of an order, and what was refunded of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Any

from django.db.models import (
    BigIntegerField,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Cast, Coalesce, Round
from moneyed import Money

from affiliates.admin_tools.lists.invoice_numbers import number_invoices
from affiliates.brands.models.brand import Brand
from affiliates.contracts import PreparedConversion
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import (
    DECIMAL_PLACES,
    InvoicePayment,
    InvoiceRefund,
    RefundCancellation,
    Sale,
    SaleReversal,
)
from affiliates.sales.rules import cancelled_amounts

THOUSANDTH = Decimal(1).scaleb(-DECIMAL_PLACES)


@dataclass(frozen=True, slots=True, kw_only=True)
class RefundChange:
    """A refund, or the ``cancellation`` of one, and the change of the refunded amount.

    ``gross`` is below zero where less is refunded than before.
    """

    refund: InvoiceRefund
    cancellation: RefundCancellation | None
    gross: Money

    @property
    def reversal(self) -> SaleReversal | None:
        return getattr(self.cancellation or self.refund, "reversal", None)

    @property
    def reversal_id(self) -> int:
        """The id of the sale's reversal, which is written before its commissions'."""
        if self.reversal is None:
            raise ValueError("The sale is not reversed yet.")
        return self.reversal.pk


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPayment:
    """A payment, its sale, and its refunds with their cancellations.

    Only those in the payment's currency, each kind in the order they were stored.
    ``counted`` is the gross amount of refunds that are not among them: the sale is
    reversed by these, and nothing of them was cancelled.
    """

    payment: InvoicePayment
    sale: Sale | None
    counted: Money
    changes: tuple[RefundChange, ...]

    @property
    def refunded(self) -> Money:
        """Gross, less what was cancelled; it may be more than was paid."""
        return sum((one.gross for one in self.changes), self.counted)

    def left_of(self, refund: InvoiceRefund) -> Money:
        """What the cancellations leave of one of the refunds."""
        of_it = (one.gross for one in self.changes if one.refund == refund)
        return sum(of_it, self.payment.gross * 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownOrder:
    """The referral of an order, and whether it has recorded sales."""

    referral: OrderReferral
    has_sales: bool


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


def payment_of(brand_id: int, invoice_ref: str) -> KnownPayment | None:
    """Of a recorded sale only the refunds that may still change it: few of very many."""
    found = _known(
        InvoicePayment.objects.filter(brand_id=brand_id, invoice_ref=invoice_ref),
        refunds=InvoiceRefund.objects.exclude(_is_settled()),
    )
    return found[0] if found else None


def whole_payment_of(payment: InvoicePayment) -> KnownPayment:
    (known,) = _known(InvoicePayment.objects.filter(pk=payment.pk))
    return known


def payments_of_order(order: OrderReferral | PreparedConversion) -> list[KnownPayment]:
    """The payment of the initial invoice and those of the renewals, as far as known."""
    is_initial = Q(invoice_ref=order.invoice_ref)
    is_renewal = Q(order_ref=order.order_ref, renewal_number__gt=0)
    return _known(
        InvoicePayment.objects.filter(
            is_initial | is_renewal, brand_id=order.brand_id
        ).order_by("renewal_number", "pk")
    )


def numbers_of_orders(referral_ids: Collection[int]) -> dict[int, str]:
    """The number of each order's initial invoice, by the id of its referral."""
    orders = list(OrderReferral.objects.filter(pk__in=referral_ids).defer("decision"))
    number_invoices(orders, "invoice_ref")
    return {order.pk: str(order) for order in orders}


def refunded_gross(
    brand_id: int, invoice_refs: Collection[str]
) -> Mapping[tuple[str, str], Decimal]:
    """The refunded amount by invoice and currency; zero for any other key."""
    # Added up here: SQLite adds decimals as binary fractions.
    sums: defaultdict[tuple[str, str], Decimal] = defaultdict(Decimal)
    for key, changes in refund_changes(brand_id, invoice_refs).items():
        for change in changes:
            sums[key] += change.gross.amount
    return sums


def order_of(known: KnownPayment) -> KnownOrder | None:
    """The converted order that the invoice belongs to, or None.

    The initial invoice is found by its own reference, a renewal by its order's.
    """
    if known.sale is not None:
        return KnownOrder(referral=known.sale.order_referral, has_sales=True)
    payment = known.payment
    named = Q(invoice_ref=payment.invoice_ref)
    if payment.renewal_number:
        named |= Q(order_ref=payment.order_ref)
    referral = (
        OrderReferral.objects.filter(named, brand_id=payment.brand_id)
        .select_related("affiliate__user", "client")
        .annotate(has_sales=Exists(Sale.objects.filter(order_referral=OuterRef("pk"))))
        .first()
    )
    if referral is None:
        return None
    return KnownOrder(referral=referral, has_sales=referral.has_sales)


def _is_settled() -> Q:
    """Refunds that the sale has counted, and of which nothing was cancelled."""
    cancellations = RefundCancellation.objects.filter(
        brand_id=OuterRef("brand_id"), refund_ref=OuterRef("refund_ref")
    )
    return Q(~Exists(cancellations), reversal__isnull=False)


def _known(
    payments: QuerySet[InvoicePayment],
    *,
    refunds: QuerySet[InvoiceRefund] | None = None,
) -> list[KnownPayment]:
    """With all refunds, or these and the sum of the others, which are settled."""
    of_invoice = InvoiceRefund.objects.filter(
        brand_id=OuterRef("brand_id"), invoice_ref=OuterRef("invoice_ref")
    )
    settled = of_invoice.filter(
        _is_settled(), gross_currency=OuterRef("gross_currency")
    )
    counted = Value(0) if refunds is None else Coalesce(Subquery(_sum(settled)), 0)
    found = list(
        payments.select_related("sale__order_referral__affiliate").annotate(
            has_refunds=Exists(of_invoice), counted=counted
        )
    )
    # Few payments have refunds to look up.
    by_payment = _changes_of([one for one in found if one.has_refunds], refunds)
    return [
        KnownPayment(
            payment=one,
            sale=getattr(one, "sale", None),
            counted=Money(Decimal(one.counted) * THOUSANDTH, one.gross.currency),
            changes=tuple(by_payment[one.invoice_ref, one.gross.currency.code]),
        )
        for one in found
    ]


def _sum(refunds: QuerySet[InvoiceRefund]) -> QuerySet[Any]:
    """In thousandths, since SQLite adds decimals as binary fractions."""
    in_thousandths = Cast(Round(F("gross") / THOUSANDTH), BigIntegerField())
    by_invoice = refunds.order_by().values("invoice_ref")
    return by_invoice.annotate(total=Sum(in_thousandths)).values("total")


def _changes_of(
    payments: Collection[InvoicePayment], refunds: QuerySet[InvoiceRefund] | None
) -> Mapping[tuple[str, str], list[RefundChange]]:
    if not payments:
        return defaultdict(list)
    (brand_id,) = {one.brand_id for one in payments}
    return refund_changes(brand_id, [one.invoice_ref for one in payments], refunds)


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
    cancelled = [one.refund_ref for one in refunds if one.is_cancelled]
    cancellations = _by_refund(brand_id, cancelled)
    made = (_made(refund, cancellations[refund.refund_ref]) for refund in refunds)
    found: defaultdict[tuple[str, str], list[RefundChange]] = defaultdict(list)
    for change in sorted(chain.from_iterable(made), key=_place):
        refund = change.refund
        found[refund.invoice_ref, refund.gross.currency.code].append(change)
    return found


def ending_cancellations(brand_id: int, refund_refs: Collection[str]) -> set[int]:
    """Ids of the cancellations after which nothing of their refund is refunded."""
    refunds = InvoiceRefund.objects.filter(
        brand_id=brand_id, refund_ref__in=refund_refs
    )
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
    return sum((one.gross for one in changes), refund.gross * 0)


def _by_refund(
    brand_id: int, refund_refs: Collection[str]
) -> Mapping[str, list[RefundCancellation]]:
    found: defaultdict[str, list[RefundCancellation]] = defaultdict(list)
    if refund_refs:
        kept: QuerySet[RefundCancellation] = RefundCancellation.objects.filter(
            brand_id=brand_id, refund_ref__in=refund_refs
        )
        for one in kept.select_related("reversal").order_by("id"):
            found[one.refund_ref].append(one)
    return found


def _made(
    refund: InvoiceRefund, cancellations: Iterable[RefundCancellation]
) -> Iterator[RefundChange]:
    yield RefundChange(refund=refund, cancellation=None, gross=refund.gross)
    cancelled = list(cancellations)
    amounts = cancelled_amounts(refund.gross, [one.gross for one in cancelled])
    for one, amount in zip(cancelled, amounts, strict=True):
        yield RefundChange(refund=refund, cancellation=one, gross=-amount)


def _place(change: RefundChange) -> tuple[bool, int]:
    if change.cancellation is None:
        return False, change.refund.pk
    return True, change.cancellation.pk


def net_after_reversals(sale: Sale) -> Money:
    """What is left of the sale: never below zero."""
    net: Money = sum((one.net for one in sale.reversals.all()), sale.net)
    return net
