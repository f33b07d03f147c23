"""Reads a paid invoice with its sale, its refunds and its order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

from django.contrib.auth import get_user_model
from django.db import router
from django.db.models import (
    Exists,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Coalesce
from moneyed import Money

from affiliates.contracts import PreparedConversion
from affiliates.db.sums import from_thousandths, thousandths
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.referrals.selectors import OWNER
from affiliates.sales.models import (
    InvoicePayment,
    InvoiceRefund,
    RefundCancellation,
    Sale,
)
from affiliates.sales.refunded import InvoiceAmounts, Refunded, net_taken
from affiliates.sales.selectors import RefundChange, refund_changes

NOT_CANCELLED = Value(False)

NewFact = InvoicePayment | InvoiceRefund | RefundCancellation


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPayment:
    """A payment, its sale, and its refunds with their cancellations.

    ``changes`` are refunds in the payment's currency, each kind in the order they were
    stored. ``counted`` is the sum of the others: the sale is reversed by them, they name
    no part of the invoice, and none was cancelled. ``is_cancelled``: a refund that is not
    stored yet has a cancellation. ``order_payments`` are all payments of the order, None
    if they were not read.
    """

    payment: InvoicePayment
    sale: Sale | None
    counted: Refunded
    changes: tuple[RefundChange, ...]
    is_cancelled: bool
    order_payments: tuple[InvoicePayment, ...] | None

    @property
    def amounts(self) -> InvoiceAmounts:
        return InvoiceAmounts.of(self.payment.gross, self.payment.lines)

    @property
    def net_after_refunds(self) -> Money:
        changes = (change.refunded(self.payment) for change in self.changes)
        refunded, net = sum(changes, self.counted), self.payment.net
        return net - net_taken(net, invoice=self.amounts, refunded=refunded)


class KnownConversion(NamedTuple):
    """Whether the order has its referral, and whether an invoice of it was paid.

    ``binding`` is the client's.
    """

    is_attributed: bool
    is_paid: bool
    binding: ClientReferral | None


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownOrder:
    """The referral of an order, and whether it has recorded sales."""

    referral: OrderReferral
    has_sales: bool


def known_of_conversion(prepared: PreparedConversion) -> KnownConversion:
    """One query, since every conversion asks for it."""
    of_order = {"brand_id": prepared.brand_id, "order_ref": prepared.order_ref}
    clients: QuerySet[Any] = get_user_model()._base_manager.using(
        router.db_for_write(OrderReferral)
    )
    client = (
        clients.select_related(*(f"client_referral__{relation}" for relation in OWNER))
        .annotate(
            is_attributed=Exists(OrderReferral.objects.filter(**of_order)),
            is_paid=Exists(InvoicePayment.objects.filter(**of_order)),
        )
        .get(pk=prepared.order.client.id)
    )
    binding = getattr(client, "client_referral", None)
    if binding is not None and binding.brand_id != prepared.brand_id:
        binding = None
    return KnownConversion(client.is_attributed, client.is_paid, binding)


def payment_of(
    brand_id: int, invoice_ref: str, *, refund_ref: str = ""
) -> KnownPayment | None:
    """For a recorded sale, reads only refunds that can still change: few of very many.

    ``refund_ref`` is that of a refund which is not stored yet.
    """
    known = _known(
        InvoicePayment.objects.filter(brand_id=brand_id, invoice_ref=invoice_ref),
        refunds=InvoiceRefund.objects.exclude(_is_settled()),
        is_cancelled=Exists(
            RefundCancellation.objects.filter(brand_id=brand_id, refund_ref=refund_ref)
        ),
    )
    return known[0] if known else None


def new_payment(
    payment: InvoicePayment, others: Sequence[InvoicePayment]
) -> tuple[KnownPayment, KnownOrder] | None:
    """A payment that was stored just now, and its order; None before the conversion.

    ``others`` are the other payments of the order that a renewal names.
    """
    refunds = InvoiceRefund.objects.filter(
        brand_id=payment.brand_id, invoice_ref=payment.invoice_ref
    )
    referral = _orders_of(payment).annotate(has_refunds=Exists(refunds)).first()
    if referral is None:
        return None
    changes = _changes_of([payment] if referral.has_refunds else [], None)
    is_renewal = payment.renewal_number and payment.order_ref == referral.order_ref
    known = KnownPayment(
        payment=payment,
        sale=None,
        counted=Refunded(),
        changes=tuple(changes[_key(payment)]),
        is_cancelled=False,
        order_payments=(*others, payment) if is_renewal else None,
    )
    return known, KnownOrder(referral=referral, has_sales=referral.has_sales)


def with_refund(known: KnownPayment, refund: InvoiceRefund) -> KnownPayment:
    """Adds a refund that was stored just now; ``known`` was asked with its reference."""
    if known.changes or known.is_cancelled:
        return payment_of(refund.brand_id, refund.invoice_ref) or known
    change = RefundChange(
        refund=refund, cancellation=None, gross=refund.gross, reversal=None
    )
    return replace(known, changes=(change,))


def whole_payment_of(payment: InvoicePayment) -> KnownPayment:
    (known,) = _known(InvoicePayment.objects.filter(pk=payment.pk))
    return known


def payments_of_order(order: OrderReferral | PreparedConversion) -> list[KnownPayment]:
    """The stored payments of the order, by their renewal numbers."""
    payments = _payments(order.brand_id, order.order_ref, order.invoice_ref)
    known = _known(payments.order_by("renewal_number", "pk"))
    every = tuple(paid.payment for paid in known)
    return [replace(paid, order_payments=every) for paid in known]


def payments_of_renewed(brand_id: int, order_ref: str) -> list[InvoicePayment]:
    """The stored payments of an order that may not be converted yet."""
    orders = OrderReferral.objects.filter(brand_id=brand_id, order_ref=order_ref)
    initial = Subquery(orders.order_by().values("invoice_ref")[:1])
    return list(_payments(brand_id, order_ref, initial))


def order_payments(
    known: KnownPayment, order: OrderReferral
) -> Sequence[InvoicePayment]:
    if known.order_payments is not None:
        return known.order_payments
    return list(_payments(order.brand_id, order.order_ref, order.invoice_ref))


def order_of(known: KnownPayment) -> KnownOrder | None:
    """The converted order that the invoice belongs to, or None.

    An initial invoice names it by its own reference, a renewal by its order's.
    """
    if known.sale is not None:
        return KnownOrder(referral=known.sale.order_referral, has_sales=True)
    referral = _orders_of(known.payment).first()
    if referral is None:
        return None
    return KnownOrder(referral=referral, has_sales=referral.has_sales)


def _orders_of(payment: InvoicePayment) -> QuerySet[Any]:
    named = Q(invoice_ref=payment.invoice_ref)
    if payment.renewal_number:
        named |= Q(order_ref=payment.order_ref)
    sales = Sale.objects.filter(order_referral=OuterRef("pk"))
    return (
        OrderReferral.objects.filter(named, brand_id=payment.brand_id)
        .select_related("affiliate__user", "client", "integration")
        .annotate(has_sales=Exists(sales))
    )


def _payments(
    brand_id: int, order_ref: str, initial_ref: str | Subquery
) -> QuerySet[InvoicePayment]:
    """The payments of the initial invoice and of the renewals."""
    is_renewal = Q(order_ref=order_ref, renewal_number__gt=0)
    return InvoicePayment.objects.filter(
        Q(invoice_ref=initial_ref) | is_renewal, brand_id=brand_id
    )


def _is_settled() -> Q:
    """Refunds that the sale has counted, without cancellation or named parts."""
    cancellations = RefundCancellation.objects.filter(
        brand_id=OuterRef("brand_id"), refund_ref=OuterRef("refund_ref")
    )
    return Q(~Exists(cancellations), reversal__isnull=False, named={})


def _known(
    payments: QuerySet[InvoicePayment],
    *,
    refunds: QuerySet[InvoiceRefund] | None = None,
    is_cancelled: Exists | Value = NOT_CANCELLED,
) -> list[KnownPayment]:
    """With all refunds, or these and the sum of the others, which are settled."""
    of_invoice = InvoiceRefund.objects.filter(
        brand_id=OuterRef("brand_id"), invoice_ref=OuterRef("invoice_ref")
    )
    settled = of_invoice.filter(
        _is_settled(), gross_currency=OuterRef("gross_currency")
    )
    counted: Value | Coalesce = Value(0)
    to_read = of_invoice
    if refunds is not None:
        counted = Coalesce(Subquery(_sum(settled)), 0)
        to_read = of_invoice.exclude(_is_settled())
    rows = list(
        payments.select_related(
            "sale__order_referral__affiliate", "sale__order_referral__integration"
        ).annotate(
            has_refunds=Exists(to_read), counted=counted, is_cancelled=is_cancelled
        )
    )
    # Few payments have refunds to look up.
    changes = _changes_of([row for row in rows if row.has_refunds], refunds)
    return [
        KnownPayment(
            payment=row,
            sale=getattr(row, "sale", None),
            counted=Refunded(gross=Fraction(from_thousandths(row.counted))),
            changes=tuple(changes[_key(row)]),
            is_cancelled=row.is_cancelled,
            order_payments=None,
        )
        for row in rows
    ]


def _sum(refunds: QuerySet[InvoiceRefund]) -> QuerySet[Any]:
    by_invoice = refunds.order_by().values("invoice_ref")
    return by_invoice.annotate(total=Sum(thousandths("gross"))).values("total")


def _changes_of(
    payments: Collection[InvoicePayment], refunds: QuerySet[InvoiceRefund] | None
) -> Mapping[tuple[str, str], list[RefundChange]]:
    if not payments:
        return defaultdict(list)
    (brand_id,) = {payment.brand_id for payment in payments}
    return refund_changes(
        brand_id, [payment.invoice_ref for payment in payments], refunds
    )


def _key(payment: InvoicePayment) -> tuple[str, str]:
    return payment.invoice_ref, payment.gross.currency.code
