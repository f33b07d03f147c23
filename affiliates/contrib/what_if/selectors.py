"""The configuration of today, and the orders of a time with what was paid for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from django.db.models import Exists, F, OuterRef, QuerySet

from affiliates.brands.models.brand import Brand
from affiliates.commissions.amounts import paid_lines
from affiliates.commissions.models import Commission
from affiliates.contrib.what_if.types import (
    Configuration,
    CouponOf,
    DraftedPlan,
    OrderHistory,
    PaidFacts,
    PlanInForce,
)
from affiliates.ledger.models import LedgerPosting
from affiliates.ledger.rules import PostingKind
from affiliates.plans.models.coupon import CouponCodeVersion
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion
from affiliates.plans.rules.matching import normal_coupon_code
from affiliates.plans.rules.terms import CouponTerms
from affiliates.plans.selectors import terms_of
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.stored import CannotReplay, inputs_of
from affiliates.referrals.rules.types import Inputs
from affiliates.sales.models import InvoicePayment
from affiliates.sales.positions import numbered
from affiliates.sales.refunded import InvoiceAmounts, Refunded
from affiliates.sales.rules import positions
from affiliates.sales.selectors import refunded_of_payments

BATCH = 1_000


def configuration_of(brand: Brand, drafted: DraftedPlan | None = None) -> Configuration:
    """The brand's policy and plans as a sale of today would meet them.

    With ``drafted`` as if that plan were saved.
    """
    plans = plans_in_force(brand, drafted)
    default = _default_plan_id(brand, drafted)
    affiliates = Affiliate.objects.filter(brand=brand).values_list(
        "pk", "plan_id", "group__plan_id"
    )
    return Configuration(
        terms=brand.terms(),
        plans={
            affiliate_id: plans[plan_id]
            for affiliate_id, own, of_group in affiliates.iterator()
            # A plan without a version earns nothing.
            if (plan_id := own or of_group or default) is not None and plan_id in plans
        },
        sharers={
            affiliate.pk: sharer.user_id
            for affiliate in Affiliate.objects.filter(
                brand=brand, recruiter__isnull=False
            ).select_related("merged_into", "recruiter__merged_into")
            if (sharer := affiliate.sharer) is not None
        },
    )


def plans_in_force(
    brand: Brand, drafted: DraftedPlan | None = None
) -> Mapping[int, PlanInForce]:
    """The latest version of each of the brand's plans, and ``drafted`` as the next."""
    latest: dict[int, PlanInForce] = {}
    for version in (
        CommissionPlanVersion.objects.filter(plan__brand=brand)
        .select_related("plan")
        .order_by("number")
    ):
        latest[version.plan_id] = PlanInForce(
            name=version.plan.name, number=version.number, terms=terms_of(version)
        )
    if drafted is not None:
        latest[drafted.plan_id] = drafted.in_force
    return latest


def coupons_of(brand: Brand) -> CouponOf:
    """The coupons' terms, all of them at once, by the versions of each order's time."""
    versions: dict[str, list[CouponCodeVersion]] = defaultdict(list)
    for version in (
        CouponCodeVersion.objects.filter(coupon__brand=brand)
        .select_related("coupon")
        .order_by("number")
    ):
        versions[version.coupon.code].append(version)

    def coupon_of(code: str, affiliate_id: int, at: datetime) -> CouponTerms | None:
        known = versions[normal_coupon_code(code)]
        begun = [version for version in known if version.effective_from <= at]
        version = begun[-1] if begun else next(iter(known), None)
        if version is None or version.affiliate_id != affiliate_id:
            return None
        return CouponTerms.from_json(version.terms)

    return coupon_of


def approved_before(brand: Brand, *, first: datetime) -> set[int]:
    """Affiliates with a commission of an order from before ``first`` that became payable."""
    earlier = Commission.objects.filter(
        affiliate=OuterRef("pk"),
        share_of__isnull=True,
        sale__order_referral__converted_at__lt=first,
    ).filter(Exists(_approvals()))
    affiliates = Affiliate.objects.filter(Exists(earlier), brand=brand)
    return set(affiliates.values_list("pk", flat=True))


def _approvals() -> QuerySet[LedgerPosting]:
    return LedgerPosting.objects.filter(
        commission=OuterRef("pk"), kind=PostingKind.APPROVED
    )


def orders_between(
    brand: Brand, *, first: datetime, last: datetime
) -> QuerySet[OrderReferral]:
    """Orders converted at ``first`` or later and before ``last``."""
    return OrderReferral.objects.filter(
        brand=brand, converted_at__gte=first, converted_at__lt=last
    )


def histories(orders: QuerySet[OrderReferral]) -> Iterator[OrderHistory]:
    """Each order with its paid invoices, oldest first, in batches."""
    rows = orders.order_by("converted_at", "pk").values_list(
        "pk",
        "brand_id",
        "order_ref",
        "invoice_ref",
        "converted_at",
        "decision",
        "client_id",
    )
    referrals = rows.iterator(chunk_size=BATCH)
    while batch := list(islice(referrals, BATCH)):
        yield from _with_payments(batch)


def _with_payments(batch: Sequence[Any]) -> Iterator[OrderHistory]:
    brand_id = batch[0][1]
    order_of = {invoice_ref: order_ref for _, _, order_ref, invoice_ref, *_ in batch}
    paid = _paid(brand_id, order_of)
    for referral_id, _, order_ref, _, converted_at, decision, client_id in batch:
        yield OrderHistory(
            referral_id=referral_id,
            order_ref=order_ref,
            converted_at=converted_at,
            inputs=_inputs(decision),
            client_id=client_id,
            paid=tuple(paid.get(order_ref, ())),
        )


def _default_plan_id(brand: Brand, drafted: DraftedPlan | None) -> int | None:
    if drafted is not None and drafted.is_default:
        return drafted.plan_id
    defaults = CommissionPlan.objects.filter(brand=brand, is_default=True)
    if drafted is not None:
        defaults = defaults.exclude(pk=drafted.plan_id)
    return defaults.values_list("pk", flat=True).first()


def _inputs(decision: Mapping[str, Any]) -> Inputs | None:
    try:
        return inputs_of(decision)
    except CannotReplay:
        return None


def _paid(brand_id: int, order_of: Mapping[str, str]) -> Mapping[str, list[PaidFacts]]:
    """The paid invoices of each order: its initial one by name, then its renewals.

    ``order_of`` is the order of each initial invoice. As in ``affiliates.sales.selectors``.
    """
    of_brand = InvoicePayment.objects.filter(brand_id=brand_id)
    # Two questions: in one, joined by OR, SQLite reads every payment of the brand.
    initial = of_brand.filter(invoice_ref__in=order_of.keys())
    renewals = of_brand.filter(
        order_ref__in=order_of.values(), renewal_number__gt=0
    ).exclude(invoice_ref__in=order_of.keys())
    payments = [
        *initial.annotate(sold_as=F("sale__position")),
        *renewals.annotate(sold_as=F("sale__position")).order_by(
            "renewal_number", "pk"
        ),
    ]
    refunded = refunded_of_payments(brand_id, payments)
    of_order: dict[str, list[Any]] = defaultdict(list)
    for payment in payments:
        initial_of = order_of.get(payment.invoice_ref)
        of_order[initial_of or payment.order_ref].append(payment)
    return {
        order_ref: list(_paid_facts(value, refunded, order_of))
        for order_ref, value in of_order.items()
    }


def _paid_facts(
    payments: Sequence[Any],
    refunded: Mapping[int, Refunded],
    initials: Collection[str],
) -> Iterator[PaidFacts]:
    invoices = [
        numbered(
            payment, payment.invoice_ref if payment.invoice_ref in initials else ""
        )
        for payment in payments
    ]
    for referral, invoice, position in zip(
        payments, invoices, positions(invoices), strict=True
    ):
        currency = referral.gross.currency
        yield PaidFacts(
            renewal_number=invoice.number,
            position=position if referral.sold_as is None else referral.sold_as,
            paid_at=referral.paid_at,
            gross=referral.gross,
            invoice=InvoiceAmounts.of(referral.gross, referral.lines),
            refunded=refunded[referral.pk],
            lines=paid_lines(referral.lines, currency),
        )
