"""Facts of statements and their series, read for a range of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Count, F, Max, Q, QuerySet

from affiliates.verification.rules.statements import SeriesFacts, StatementFacts
from affiliates.verification.selectors.ranges import within


def series_facts(series: QuerySet[Any], ids: range) -> Iterator[SeriesFacts]:
    own = Q(statements__brand=F("brand")) & (
        Q(affiliate__isnull=True) | Q(statements__payout__affiliate=F("affiliate"))
    )
    rows = within(series, ids).annotate(
        count=Count("statements"),
        highest=Max("statements__number", default=0),
        own=Count("statements", filter=own),
    )
    for pk, last, count, highest, of_owner in rows.values_list(
        "pk", "last_number", "count", "highest", "own"
    ):
        yield SeriesFacts(pk, last, count, highest, count - of_owner)


def statement_facts(statements: QuerySet[Any], ids: range) -> Iterator[StatementFacts]:
    rows = within(statements, ids).values_list(
        "pk",
        "name",
        "kind",
        "amount",
        "currency",
        "brand_id",
        "payout__amount",
        "payout__currency",
        "payout__brand_id",
        "payout__status",
        "document__total",
    )
    for row in rows:
        payout = (row[6], row[7], row[8])
        yield StatementFacts._make((*row[:6], payout, *row[9:]))
