"""The earnings of affiliates, and what is left of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from django.db.models import (
    Aggregate,
    BigIntegerField,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.functions import Cast, Coalesce, Round
from moneyed import get_currency

from affiliates.commissions.models import (
    Commission,
    CommissionEvent,
    CommissionLine,
    CommissionReversal,
)
from affiliates.commissions.rules import (
    CommissionStatus,
    PastStep,
    StepReason,
    Why,
)
from affiliates.ledger.models import LedgerEntry
from affiliates.ledger.rules import Account, PostingKind
from affiliates.plans.models.plan import CommissionPlanVersion
from affiliates.plans.rules.computation import recompute_line
from affiliates.plans.rules.matching import (
    Counted,
    cap_period_end,
    cap_period_start,
    tier_period_start,
)
from affiliates.plans.rules.terms import (
    MAX_SALES,
    SALES,
    CapPeriod,
    PlanTerms,
    TierBasis,
)
from affiliates.plans.selectors import terms_of
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import Sale

RECOMPUTED_AT_ONCE = 500
# Commissions taken away in full count for no tier.
COUNTS_NOT = (CommissionStatus.REJECTED, CommissionStatus.REVERSED)


def amounts_by_line(commission: Commission) -> list[int]:
    """Returns what each line earned; of a share, its commission's lines."""
    lines = CommissionLine.objects.filter(
        commission=commission.share_of_id or commission.pk
    )
    return list(lines.order_by("position").values_list("amount", flat=True))


def with_taken_back(commissions: QuerySet[Commission]) -> QuerySet[Any]:
    """Annotates ``taken_back``: zero or below, in minor units."""
    sums = (
        CommissionReversal.objects.filter(commission=OuterRef("pk"))
        .order_by()
        .values("commission")
        .annotate(total=Sum("amount"))
        .values("total")
    )
    return commissions.annotate(taken_back=Coalesce(Subquery(sums), 0))


def taken_back_of(commission_ids: Collection[int]) -> dict[int, int]:
    """Returns the sum taken back, zero or below, of each commission with refunds."""
    return dict(
        CommissionReversal.objects.filter(commission_id__in=commission_ids)
        .order_by()
        .values_list("commission_id")
        .annotate(total=Sum("amount"))
    )


def terms_of_commission(commission: Commission) -> PlanTerms:
    """The terms it was earned by; without a plan, terms without conditions."""
    if commission.plan_version is None:
        return PlanTerms()
    return terms_of(commission.plan_version)


def held_by_staff(commission_ids: Collection[int]) -> set[int]:
    """The held commissions that staff hold: the program holds only new ones."""
    return set(
        CommissionEvent.objects.filter(
            commission_id__in=commission_ids,
            after=CommissionStatus.HELD,
            actor__isnull=False,
        ).values_list("commission_id", flat=True)
    )


def past_steps(commission_ids: Collection[int]) -> Mapping[int, list[PastStep]]:
    """The steps of each, the latest first."""
    steps: defaultdict[int, list[PastStep]] = defaultdict(list)
    events = CommissionEvent.objects.filter(commission_id__in=commission_ids)
    for event in events.order_by("-pk"):
        why = Why(StepReason(event.reason), event.reason_details)
        steps[event.commission_id].append((event.before, event.after, why))
    return steps


def first_version(
    referral: OrderReferral, affiliate: Affiliate
) -> CommissionPlanVersion | None:
    """Returns the plan version of the affiliate's first commission of the order."""
    first = (
        Commission.objects.filter(
            sale__order_referral=referral,
            affiliate=affiliate,
            share_of__isnull=True,
            plan_version__isnull=False,
        )
        .select_related("plan_version__plan")
        .order_by("pk")
        .first()
    )
    return None if first is None else first.plan_version


def was_earned_by(sale: Sale) -> bool:
    """Whether the sale ever had a commission."""
    return Commission.objects.filter(sale=sale, share_of__isnull=True).exists()


def never_approved(affiliate_ids: Collection[int]) -> list[int]:
    """The affiliates for whom no commission of their own was ever made payable."""
    approved = LedgerEntry.objects.filter(
        affiliate=OuterRef("pk"),
        account=Account.PAYABLE,
        posting__kind=PostingKind.APPROVED,
        posting__commission__share_of__isnull=True,
    )
    return list(
        Affiliate.objects.filter(~Exists(approved), pk__in=affiliate_ids)
        .order_by("pk")
        .values_list("pk", flat=True)
    )


def earned_in_period(
    *, affiliate_id: int, currency: str, period: CapPeriod, at: datetime
) -> int:
    """An affiliate's earnings in the cap's period around ``at``, less refunds.

    Without its shares: the caps of the affiliates it recruited limit those.
    """
    earned = Commission.objects.filter(
        affiliate_id=affiliate_id, currency=currency, share_of__isnull=True
    ).exclude(status=CommissionStatus.REJECTED)
    if period is not CapPeriod.LIFETIME:
        earned = earned.filter(
            earned_at__gte=cap_period_start(period, at=at),
            earned_at__lt=cap_period_end(period, at=at),
        )
    total = with_taken_back(earned).aggregate(total=Sum(F("amount") + F("taken_back")))
    return total["total"] or 0


def counted_before(
    paid_at: datetime,
    sale_id: int | None,
    *,
    affiliate_id: int,
    currency: str,
    bases: Collection[TierBasis],
    zone: tzinfo,
) -> dict[TierBasis, Counted]:
    """The affiliate's sales before this one, as tiers count them: one query.

    Sales are ordered by payment, then by recording: one without an id is the latest of
    its time. Only the latest count if there are very many.
    """
    since = {
        basis: tier_period_start(basis.period, at=paid_at, zone=zone) for basis in bases
    }
    sums = {
        f"seen_{place}": _tier_sum(basis, since[basis], currency)
        for place, basis in enumerate(since)
    }
    earlier = (
        earlier_sales(affiliate_id, paid_at, sale_id, since=min(since.values()))
        .exclude(status__in=COUNTS_NOT)[:MAX_SALES]
        .aggregate(**sums)
    )
    return {
        basis: Counted(since[basis], earlier[f"seen_{place}"])
        for place, basis in enumerate(since)
    }


def earlier_sales(
    affiliate_id: int, paid_at: datetime, sale_id: int | None, *, since: datetime
) -> QuerySet[Commission]:
    """The affiliate's commissions for earlier sales, latest first; without shares.

    A zero invoice, such as that of a trial, is no sale.
    """
    of_its_time = Q(earned_at=paid_at)
    if sale_id is not None:
        of_its_time &= Q(sale_id__lt=sale_id)
    is_before = Q(earned_at__lt=paid_at) | of_its_time
    return Commission.objects.filter(
        is_before,
        affiliate_id=affiliate_id,
        share_of__isnull=True,
        sale__net__gt=0,
        earned_at__gte=since,
        # Repeated for the index: the database derives no bound from the OR.
        earned_at__lte=paid_at,
    ).order_by("-earned_at", "-sale_id")


def tier_sum(unit: str, counts: Q) -> Aggregate:
    """The number of sales, or their net amounts in minor units of the currency."""
    if unit == SALES:
        return Count("pk", filter=counts)
    in_minor_units = ExpressionWrapper(
        F("sale__net") * get_currency(unit).sub_unit, output_field=BigIntegerField()
    )
    return Sum(
        Cast(Round(in_minor_units), BigIntegerField()),
        filter=counts & Q(currency=unit, sale__net__gt=0),
        default=0,
    )


def _tier_sum(basis: TierBasis, since: datetime, currency: str) -> Aggregate:
    unit = SALES if basis.is_by_sales else currency
    return tier_sum(unit, Q(earned_at__gte=since))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecomputedLine:
    """A line's stored amount and the one computed from its receipt, in minor units."""

    position: int
    description: str
    receipt: dict[str, Any]
    stored: int
    recomputed: int

    @property
    def is_same(self) -> bool:
        return self.stored == self.recomputed


@dataclass(frozen=True, slots=True, kw_only=True)
class Recomputed:
    commission: Commission
    lines: tuple[RecomputedLine, ...]

    @property
    def total(self) -> int:
        return sum(line.recomputed for line in self.lines)

    @property
    def is_same(self) -> bool:
        lines_agree = all(line.is_same for line in self.lines)
        return lines_agree and self.total == self.commission.amount


def recomputed(commissions: QuerySet[Commission]) -> Iterator[Recomputed]:
    """Recomputes each commission from the receipts of its lines alone."""
    with_lines = commissions.prefetch_related("lines")
    for commission in with_lines.iterator(chunk_size=RECOMPUTED_AT_ONCE):
        lines = tuple(
            RecomputedLine(
                position=line.position,
                description=line.description,
                receipt=line.receipt,
                stored=line.amount,
                recomputed=recompute_line(line.receipt),
            )
            for line in commission.lines.all()
        )
        yield Recomputed(commission=commission, lines=lines)
