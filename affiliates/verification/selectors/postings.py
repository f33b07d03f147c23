"""The facts of postings and of the adjustments that have one, a range of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Count, Max, Min, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from affiliates.ledger.models import LedgerEntry, LedgerPosting
from affiliates.verification.rules.books import Owner
from affiliates.verification.rules.postings import AdjustmentFacts, PostingFacts
from affiliates.verification.selectors.ranges import within

NO_ENTRIES = (0, *[None] * 7)


def posting_facts(postings: QuerySet[Any], ids: range) -> Iterator[PostingFacts]:
    entries = _sums_of_postings(ids)
    rows = within(postings, ids).values_list(
        "id",
        "key",
        "kind",
        "brand_id",
        "commission_id",
        "payout_id",
        "adjustment__pk",
        *(
            Coalesce(f"commission__{one}", f"payout__{one}", f"adjustment__{one}")
            for one in ("brand_id", "affiliate_id", "currency")
        ),
    )
    for row in rows:
        yield PostingFacts(*row, *entries.get(row[0], NO_ENTRIES))


def _sums_of_postings(ids: range) -> dict[int, tuple[Any, ...]]:
    """For each posting, the last eight of its facts.

    By themselves: joined to the postings, PostgreSQL would read all entries every time.
    """
    rows = (
        within(LedgerEntry.objects.all(), ids, "posting_id")
        .values_list("posting_id")
        .annotate(
            count=Count("pk"),
            total=Sum("amount"),
            source=Max("account", filter=Q(amount__lt=0)),
            target=Max("account", filter=Q(amount__gt=0)),
            first_affiliate_id=Min("affiliate_id"),
            last_affiliate_id=Max("affiliate_id"),
            first_currency=Min("currency"),
            last_currency=Max("currency"),
        )
    )
    return {pk: tuple(sums) for pk, *sums in rows}


def adjustment_facts(
    adjustments: QuerySet[Any], ids: range
) -> Iterator[AdjustmentFacts]:
    found = within(adjustments, ids)
    # By themselves: one whose posting is gone must be read as well.
    postings = {
        pk: (kind, amount)
        for pk, kind, amount in LedgerPosting.objects.filter(
            pk__in=found.values("posting_id")
        )
        .order_by()
        .values_list("pk", "kind", Max("entries__amount"))
    }
    for pk, kind, amount, posting_id, *rest in found.values_list(
        "pk",
        "kind",
        "amount",
        "posting_id",
        "brand_id",
        "affiliate_id",
        "currency",
        "ends__kind",
        "ends__brand_id",
        "ends__affiliate_id",
        "ends__currency",
        "ends__amount",
    ):
        ended = (rest[3], Owner(*rest[4:7]), rest[7]) if rest[3] else None
        posted = postings.get(posting_id, (None, None))
        yield AdjustmentFacts(pk, kind, amount, Owner(*rest[:3]), *posted, ended)
