"""Facts about what must be there: a sale for each payment, versions without a gap.

As in ``verification_facts``, a range of rows at a time in the same few queries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from django.db.models import (
    BooleanField,
    Exists,
    ExpressionWrapper,
    Model,
    OuterRef,
    Q,
    QuerySet,
)

from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.commissions.models import CommissionLine
from affiliates.core.versions import digest_of
from affiliates.plans.models.coupon import CouponCodeVersion
from affiliates.plans.models.plan import CommissionPlanVersion
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import Sale
from affiliates.verification.rules.completeness import (
    OrderFacts,
    PaymentFacts,
    ReceiptFacts,
    ReceiptLine,
    RefundFacts,
    Version,
    VersionsFacts,
)
from affiliates.verification.selectors.ranges import json_text, within


def payment_facts(payments: QuerySet[Any], ids: range) -> Iterator[PaymentFacts]:
    credited = OrderReferral.objects.filter(
        brand_id=OuterRef("brand_id"), affiliate__isnull=False
    )
    is_initial = Exists(credited.filter(invoice_ref=OuterRef("invoice_ref")))
    is_renewal = Exists(credited.filter(order_ref=OuterRef("order_ref")))
    is_credited = Q(is_initial) | (Q(renewal_number__gt=0) & Q(is_renewal))
    rows = within(payments, ids).values_list(
        "pk",
        "invoice_ref",
        ExpressionWrapper(is_credited, BooleanField()),
        Exists(Sale._base_manager.filter(payment=OuterRef("pk"))),
    )
    yield from map(PaymentFacts._make, rows)


def refund_facts(refunds: QuerySet[Any], ids: range) -> Iterator[RefundFacts]:
    sales = Sale._base_manager.filter(
        brand_id=OuterRef("brand_id"),
        invoice_ref=OuterRef("invoice_ref"),
        payment__gross_currency=OuterRef("gross_currency"),
    )
    rows = within(refunds, ids).values_list(
        "pk", "refund_ref", Exists(sales), "reversal__pk"
    )
    yield from map(RefundFacts._make, rows)


def order_facts(orders: QuerySet[Any], ids: range) -> Iterator[OrderFacts]:
    rows = within(orders, ids).values_list(
        "pk", "order_ref", "outcome", "affiliate_id", json_text("decision")
    )
    yield from map(OrderFacts._make, rows)


def receipt_facts(commissions: QuerySet[Any], ids: range) -> Iterator[ReceiptFacts]:
    lines = defaultdict(list)
    for pk, *line in (
        within(CommissionLine.objects.all(), ids, "commission_id")
        .order_by("commission_id", "position")
        .values_list("commission_id", "position", "amount", json_text("receipt"))
    ):
        lines[pk].append(ReceiptLine(*line))
    # The receipts of shares are of no invoice line.
    rows = within(commissions.filter(share_of__isnull=True), ids).values_list(
        "pk",
        "affiliate_id",
        "currency",
        "plan_version__number",
        "sale__renewal_number",
        "sale__paid_at",
        "sale__order_referral__converted_at",
        json_text("sale__payment__lines"),
    )
    for row in rows:
        yield ReceiptFacts._make((*row, lines[row[0]]))


def policy_facts(brands: QuerySet[Any], ids: range) -> Iterator[VersionsFacts]:
    return _versions_of(brands, ids, AttributionPolicyVersion, "brand", _policy_digest)


def plan_facts(plans: QuerySet[Any], ids: range) -> Iterator[VersionsFacts]:
    return _versions_of(plans, ids, CommissionPlanVersion, "plan", _terms_digest)


def coupon_facts(coupons: QuerySet[Any], ids: range) -> Iterator[VersionsFacts]:
    return _versions_of(coupons, ids, CouponCodeVersion, "coupon", _terms_digest)


def _versions_of(
    owners: QuerySet[Any],
    ids: range,
    model: type[Model],
    owner: str,
    digest: Callable[[Any], str],
) -> Iterator[VersionsFacts]:
    versions = defaultdict(list)
    for row in within(model._base_manager.all(), ids, f"{owner}_id").order_by("number"):
        versions[getattr(row, f"{owner}_id")].append(
            Version(
                number=row.number,
                effective_from=row.effective_from,
                digest=row.digest,
                computed=digest_of(row.terms),
                affiliate_id=getattr(row, "affiliate_id", None),
            )
        )
    for row in within(owners, ids):
        yield VersionsFacts(
            id=row.pk,
            name=str(row),
            versions=versions[row.pk],
            present=digest(row),
            affiliate_id=getattr(row, "affiliate_id", None),
        )


def _policy_digest(brand: Any) -> str:
    digest: str = brand.terms().digest
    return digest


def _terms_digest(owner: Any) -> str:
    digest: str = owner.to_terms().digest
    return digest
