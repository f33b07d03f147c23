"""The configuration of today, and the orders of a time with what was paid for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from moneyed import Money

from affiliates.brands.models.brand import Brand
from affiliates.commissions.amounts import paid_lines
from affiliates.commissions.models import Commission
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
from affiliates.sales.selectors import refunded_gross
from affiliates.simulation.types import (
    Configuration,
    CouponOf,
    OrderHistory,
    PaidFacts,
    PlanInForce,
)

BATCH = 1_000
# Of the database's times.
RESOLUTION = timedelta(microseconds=1)


def configuration_of(brand: Brand) -> Configuration:
    """The brand's policy and plans as a sale of today would meet them."""
    plans = plans_in_force(brand)
    defaults = CommissionPlan.objects.filter(brand=brand, is_default=True)
    default = defaults.values_list("pk", flat=True).first()
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


def plans_in_force(brand: Brand) -> Mapping[int, PlanInForce]:
    """The latest version of each of the brand's plans."""
    latest: dict[int, PlanInForce] = {}
    for version in (
        CommissionPlanVersion.objects.filter(plan__brand=brand)
        .select_related("plan")
        .order_by("number")
    ):
        latest[version.plan_id] = PlanInForce(
            name=version.plan.name, number=version.number, terms=terms_of(version)
        )
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
        begun = [one for one in known if one.effective_from <= at]
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


def newest_orders_since(
    brand: Brand, *, since: datetime, most: int
) -> tuple[datetime, bool]:
    """From when on at most so many orders were converted, and whether older are left."""
    newest = OrderReferral.objects.filter(brand=brand, converted_at__gte=since)
    moments = newest.order_by("-converted_at").values_list("converted_at", flat=True)
    last_left_out = moments[most : most + 1].first()
    if last_left_out is None:
        return since, False
    return last_left_out + RESOLUTION, True


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
    batch: list[Any] = []
    for row in rows.iterator(chunk_size=BATCH):
        batch.append(row)
        if len(batch) == BATCH:
            yield from _with_payments(batch)
            batch = []
    yield from _with_payments(batch)


def _with_payments(batch: Sequence[Any]) -> Iterator[OrderHistory]:
    if not batch:
        return
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
            paid=tuple(paid[order_ref]),
        )


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
    payments = [*initial, *renewals.order_by("renewal_number", "pk")]
    refunded = refunded_gross(brand_id, [payment.invoice_ref for payment in payments])
    found: dict[str, list[PaidFacts]] = defaultdict(list)
    for payment in payments:
        currency = payment.gross.currency
        initial_of = order_of.get(payment.invoice_ref)
        found[initial_of or payment.order_ref].append(
            PaidFacts(
                renewal_number=0 if initial_of else payment.renewal_number,
                paid_at=payment.paid_at,
                gross=payment.gross,
                refunded=Money(refunded[payment.invoice_ref, currency.code], currency),
                lines=paid_lines(payment.lines, currency),
            )
        )
    return found
