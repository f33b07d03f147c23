"""The known facts of a paid invoice: its sale, its refunds and its order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple

from django.contrib.auth import get_user_model
from django.db import router
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

from affiliates.contracts import PreparedConversion
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.referrals.selectors import OWNER
from affiliates.sales.models import (
    DECIMAL_PLACES,
    InvoicePayment,
    InvoiceRefund,
    RefundCancellation,
    Sale,
)
from affiliates.sales.selectors import RefundChange, refund_changes

THOUSANDTH = Decimal(1).scaleb(-DECIMAL_PLACES)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownPayment:
    """A payment, its sale, and its refunds with their cancellations.

    Only those in the payment's currency, each kind in the order they were stored.
    ``counted`` is the gross amount of refunds that are not among them: the sale is
    reversed by these, and nothing of them was cancelled. ``is_cancelled``: a refund that
    is not stored yet has a cancellation.
    """

    payment: InvoicePayment
    sale: Sale | None
    counted: Money
    changes: tuple[RefundChange, ...]
    is_cancelled: bool = False

    @property
    def refunded(self) -> Money:
        """Gross, less what was cancelled; it may be more than was paid."""
        return sum((one.gross for one in self.changes), self.counted)

    def left_of(self, refund: InvoiceRefund) -> Money:
        """Returns the gross amount of one of the refunds, less its cancellations."""
        of_it = (one.gross for one in self.changes if one.refund == refund)
        return sum(of_it, self.payment.gross * 0)


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
        clients.select_related(*(f"client_referral__{one}" for one in OWNER))
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
    """Loads a payment; for a recorded sale, only the few refunds that can still change.

    ``refund_ref`` names a refund that is not stored yet.
    """
    payments = InvoicePayment.objects.filter(brand_id=brand_id, invoice_ref=invoice_ref)
    cancellations = RefundCancellation.objects.filter(
        brand_id=brand_id, refund_ref=refund_ref
    )
    found = _known(
        payments.annotate(is_cancelled=Exists(cancellations)),
        refunds=InvoiceRefund.objects.exclude(_is_settled()),
    )
    return found[0] if found else None


def new_payment(payment: InvoicePayment) -> tuple[KnownPayment, KnownOrder] | None:
    """A payment that was stored just now, and its order; None before the conversion."""
    refunds = InvoiceRefund.objects.filter(
        brand_id=payment.brand_id, invoice_ref=payment.invoice_ref
    )
    referral = _orders_of(payment).annotate(has_refunds=Exists(refunds)).first()
    if referral is None:
        return None
    by_payment = _changes_of([payment] if referral.has_refunds else [], None)
    known = _with_changes(payment, by_payment)
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
    """The payment of the initial invoice and those of the renewals, as far as known."""
    is_initial = Q(invoice_ref=order.invoice_ref)
    is_renewal = Q(order_ref=order.order_ref, renewal_number__gt=0)
    return _known(
        InvoicePayment.objects.filter(
            is_initial | is_renewal, brand_id=order.brand_id
        ).order_by("renewal_number", "pk")
    )


def order_of(known: KnownPayment) -> KnownOrder | None:
    """The converted order that the invoice belongs to, or None.

    The initial invoice is found by its own reference, a renewal by its order's.
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
        .select_related("affiliate__user", "client")
        .annotate(has_sales=Exists(sales))
    )


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
    counted: Value | Coalesce = Value(0)
    to_read = of_invoice
    if refunds is not None:
        counted = Coalesce(Subquery(_sum(settled)), 0)
        to_read = of_invoice.exclude(_is_settled())
    found = list(
        payments.select_related("sale__order_referral__affiliate").annotate(
            has_refunds=Exists(to_read), counted=counted
        )
    )
    # Few payments have refunds to look up.
    by_payment = _changes_of([one for one in found if one.has_refunds], refunds)
    return [
        _with_changes(
            one, by_payment, sale=getattr(one, "sale", None), counted=one.counted
        )
        for one in found
    ]


def _with_changes(
    payment: InvoicePayment,
    changes: Mapping[tuple[str, str], list[RefundChange]],
    *,
    sale: Sale | None = None,
    counted: int = 0,
) -> KnownPayment:
    """``counted`` is in thousandths."""
    currency = payment.gross.currency
    return KnownPayment(
        payment=payment,
        sale=sale,
        counted=Money(Decimal(counted) * THOUSANDTH, currency),
        changes=tuple(changes[payment.invoice_ref, currency.code]),
        is_cancelled=getattr(payment, "is_cancelled", False),
    )


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
