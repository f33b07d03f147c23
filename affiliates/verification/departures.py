"""Amounts that affiliates lost by leaving, beside their sources and deductions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Sum, When
from django.db.models.functions import Coalesce

from affiliates.commissions.forfeit_models import ForfeitDeduction, ForfeitedAmount
from affiliates.commissions.forfeits import KEY
from affiliates.commissions.models import Adjustment
from affiliates.ledger.rules import PostingKind
from affiliates.program.history_models import AffiliateDeparture
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.verification.faults import (
    Check,
    Differs,
    Faults,
    RowFaults,
    every,
    summed,
    within,
)

PREFIX = KEY.partition("{")[0]
_IS_NAMED = Q(commission__isnull=False) | Q(bonus__isnull=False)


def _sources(amounts: QuerySet[Any]) -> Any:
    return amounts.annotate(
        affiliate=F("departure__affiliate"),
        source_affiliate=Coalesce("commission__affiliate", "bonus__affiliate"),
        source_currency=Coalesce("commission__currency", "bonus__currency"),
        source_amount=Coalesce("commission__amount", "bonus__amount"),
        taken=summed(every(ForfeitDeduction), "forfeited", Sum("amount")),
    )


AMOUNTS = Faults(
    "Forfeited amount {pk}",
    {
        "is of another affiliate or currency than its commission or bonus.": _IS_NAMED
        & (
            Q(Differs("affiliate", "source_affiliate"))
            | Q(Differs("currency", "source_currency"))
        ),
        "is {amount}, but its commission or bonus is {source_amount}.": _IS_NAMED
        & Q(amount__gt=F("source_amount")),
        "is {amount}, but {taken} was deducted for it.": (
            Q(amount__gt=0) & (Q(taken__gt=F("amount")) | Q(taken__lt=0))
        )
        | (Q(amount__lt=0) & (Q(taken__lt=F("amount")) | Q(taken__gt=0))),
    },
    _sources,
)


def _sums(adjustments: QuerySet[Any]) -> Any:
    """Sums of what each adjustment of a departure deducts, and of what its amounts say."""
    deducted = When(kind=PostingKind.DEDUCTION, then=F("amount"))
    others = every(ForfeitDeduction).filter(adjustment=OuterRef("pk"))
    return adjustments.annotate(
        deducted=Case(deducted, default=-F("amount")),
        forfeited=summed(every(ForfeitDeduction), "adjustment", Sum("amount")),
        is_of_another=Exists(
            others.exclude(forfeited__departure__affiliate=OuterRef("affiliate"))
        ),
    )


ADJUSTMENTS = Faults(
    "Adjustment {pk}",
    {
        "deducts {deducted}, but {forfeited} of what was forfeited.": (
            Differs("deducted", "forfeited")
        ),
        "deducts what another affiliate forfeited.": Q(is_of_another=True),
    },
    _sums,
)


def _departures(departures: QuerySet[Any], ids: range) -> RowFaults:
    sums: defaultdict[int, dict[str, int]] = defaultdict(dict)
    amounts = within(every(ForfeitedAmount), ids, "departure_id")
    for pk, currency, total in amounts.values_list("departure_id", "currency").annotate(
        Sum("amount")
    ):
        sums[pk][currency] = total
    for pk, forfeited in departures.values_list("pk", "forfeited"):
        yield f"Departure {pk}", _differs(forfeited, sums[pk])


def _differs(forfeited: Any, named: Any) -> Iterator[str]:
    if forfeited != named:
        yield f"forfeited {forfeited}, but its amounts sum to {named}."


_IS_OPEN = every(AffiliateDeparture).filter(
    affiliate=OuterRef("pk"), ended_at__isnull=True
)
LEFT = Faults(
    "Affiliate {pk} ({code})",
    {
        "has left the program, but no departure says when.": ~Exists(_IS_OPEN),
    },
)

CHECKS = [
    Check(
        label="affiliates who left",
        model=Affiliate,
        rules=(LEFT,),
        only=Q(status=AffiliateStatus.LEFT),
    ),
    Check(
        label="departures",
        model=AffiliateDeparture,
        rules=(_departures,),
        brand="affiliate__brand_id",
    ),
    Check(
        label="forfeited amounts",
        model=ForfeitedAmount,
        rules=(AMOUNTS,),
        brand="departure__affiliate__brand_id",
    ),
    Check(
        label="deductions by departures",
        model=Adjustment,
        only=Q(key__startswith=PREFIX),
        rules=(ADJUSTMENTS,),
    ),
]
