"""Facts about what must be there: a sale for each payment, versions without a gap.

As in ``books.py``, a range of rows at a time in the same few queries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from django.db.models import (
    BooleanField,
    Exists,
    ExpressionWrapper,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.functions import Coalesce

from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.commissions.models import Commission, CommissionLine
from affiliates.commissions.rules import CommissionStatus
from affiliates.core.versions import digest_of
from affiliates.plans.models.coupon import CouponCodeVersion
from affiliates.plans.models.plan import CommissionPlanVersion
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import (
    InvoicePayment,
    InvoiceRefund,
    RefundCancellation,
    Sale,
    SaleReversal,
)
from affiliates.verification.rules.completeness import (
    CancellationFacts,
    OrderFacts,
    PaymentFacts,
    ReceiptFacts,
    ReceiptLine,
    RefundedSale,
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
    of_invoice = {
        "brand_id": OuterRef("brand_id"),
        "invoice_ref": OuterRef("invoice_ref"),
    }
    payments = InvoicePayment._base_manager.filter(**of_invoice)
    rows = within(refunds, ids).values_list(
        "pk",
        "refund_ref",
        "gross_currency",
        Subquery(payments.values("gross_currency")[:1]),
        Exists(Sale._base_manager.filter(**of_invoice)),
        "reversal__pk",
    )
    yield from map(RefundFacts._make, rows)


def cancellation_facts(
    cancellations: QuerySet[Any], ids: range
) -> Iterator[CancellationFacts]:
    refunded = SaleReversal._base_manager.filter(
        refund__brand=OuterRef("brand"), refund__refund_ref=OuterRef("refund_ref")
    )
    rows = within(cancellations, ids).values_list(
        "pk",
        "cancellation_ref",
        Subquery(refunded.values("sale_id")[:1]),
        "reversal__sale_id",
    )
    yield from map(CancellationFacts._make, rows)


def refunded_sales(sales: QuerySet[Any], ids: range) -> Iterator[RefundedSale]:
    taken: defaultdict[int, Decimal] = defaultdict(Decimal)
    for sale_id, net in within(
        SaleReversal._base_manager.all(), ids, "sale_id"
    ).values_list("sale_id", "net"):
        taken[sale_id] -= net
    columns = ("pk", "net_currency", "net", "payment__gross", "brand_id", "invoice_ref")
    rows = list(within(sales, ids).filter(pk__in=list(taken)).values_list(*columns))
    refunds = _refunds_of([row[4:] for row in rows])
    commissions = _taken_of_commissions(list(taken))
    for pk, currency, net, gross, *invoice in rows:
        yield RefundedSale(
            pk,
            currency,
            net,
            gross,
            refunds[*invoice, currency],
            taken[pk],
            commissions[pk],
        )


def _refunds_of(
    invoices: Sequence[tuple[int, str]],
) -> Mapping[tuple[int, str, str], list[tuple[Decimal, list[Decimal | None]]]]:
    """Each with its cancellations of the whole amount, or in its currency."""
    of = {"brand_id__in": {brand_id for brand_id, _ in invoices}}
    rows = list(
        InvoiceRefund._base_manager.filter(
            invoice_ref__in=[invoice_ref for _, invoice_ref in invoices], **of
        ).values_list(
            "brand_id", "invoice_ref", "gross_currency", "refund_ref", "gross"
        )
    )
    cancelled = defaultdict(list)
    for (
        brand_id,
        refund_ref,
        currency,
        gross,
    ) in RefundCancellation._base_manager.filter(
        refund_ref__in=[row[3] for row in rows], **of
    ).values_list("brand_id", "refund_ref", "gross_currency", "gross"):
        cancelled[brand_id, refund_ref].append((currency, gross))
    found = defaultdict(list)
    for brand_id, invoice_ref, currency, refund_ref, gross in rows:
        parts = [
            part
            for of_part, part in cancelled[brand_id, refund_ref]
            if of_part in (None, currency)
        ]
        found[brand_id, invoice_ref, currency].append((gross, parts))
    return found


def _taken_of_commissions(
    sale_ids: Sequence[int],
) -> Mapping[int, list[tuple[int, int]]]:
    found = defaultdict(list)
    rows = (
        Commission._base_manager.filter(sale_id__in=sale_ids)
        .exclude(status=CommissionStatus.REJECTED)
        .annotate(taken=Sum("reversals__amount", default=0))
        .order_by("pk")
        .values_list("sale_id", "amount", "taken")
    )
    for sale_id, amount, taken in rows:
        found[sale_id].append((amount, -taken))
    return found


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
    # The receipts of shares belong to no invoice line.
    rows = within(commissions.filter(share_of__isnull=True), ids).values_list(
        "pk",
        "affiliate_id",
        "currency",
        "plan_version__number",
        "sale__renewal_number",
        Coalesce("sale__position", "sale__renewal_number"),
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
