"""Reads a ranking's query parameters and builds the links that change them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import TextChoices
from django.http import HttpRequest

from affiliates.contrib.desk.ranking.columns import choose_set, sets_of
from affiliates.contrib.statistics.metrics import Metric
from affiliates.contrib.statistics.reports.ranking import RANKED_BY
from affiliates.contrib.statistics.spans import Chosen
from affiliates.contrib.statistics.types import Dimension

ASCENDING = "asc"


class Only(TextChoices):
    """Which parts are ranked."""

    EVERY = "", "All"
    QUIET = "quiet", "Went quiet"
    NEVER = "never", "Never started"


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingAsked:
    """The ranking an address asks for; what it names wrongly is the default."""

    dimension: Dimension
    column_set: str
    columns: Sequence[Metric]
    metric: Metric
    is_descending: bool
    only: Only

    @classmethod
    def read(cls, request: HttpRequest) -> RankingAsked:
        by = request.GET.get("by", "")
        dimension = next(
            (dimension for dimension in RANKED_BY if dimension == by), RANKED_BY[0]
        )
        column_set = choose_set(dimension, request.GET.get("columns", ""))
        columns = sets_of(dimension)[column_set].metrics
        named = request.GET.get("sort", "")
        return cls(
            dimension=dimension,
            column_set=column_set,
            columns=columns,
            metric=next(
                (column for column in columns if column.name == named), columns[0]
            ),
            is_descending=request.GET.get("order") != ASCENDING,
            only=_only(dimension, request.GET.get("only", "")),
        )

    @property
    def address(self) -> dict[str, str]:
        order = {} if self.is_descending else {"order": ASCENDING}
        return {
            "by": self.dimension.value,
            "columns": self.column_set,
            "sort": self.metric.name,
            "only": self.only.value,
            **order,
        }


def _only(dimension: Dimension, name: str) -> Only:
    """Returns the filter. NEVER is for affiliates: other parts always have numbers."""
    known = [*Only] if dimension is Dimension.AFFILIATE else [Only.EVERY, Only.QUIET]
    return next((only for only in known if only == name), Only.EVERY)


def query(chosen: Chosen, **changes: str) -> str:
    """The address of this page with something changed; a new page begins at its first."""
    asked = {**chosen.place, **changes}
    kept = {name: value for name, value in asked.items() if value}
    return f"?{urlencode(kept)}&{chosen.span_query}"


def choices(
    chosen: Chosen, asked: RankingAsked, currencies: Sequence[str], currency: str
) -> list[tuple[str, list[tuple[str, str, bool]]]]:
    """Groups of links: of what, which columns, in which currency."""
    links = [
        (
            "Rank",
            [
                (
                    str(dimension.label),
                    query(chosen, by=dimension.value, sort="", order=""),
                    dimension is asked.dimension,
                )
                for dimension in RANKED_BY
            ],
        ),
        (
            "Columns",
            [
                (
                    value.title,
                    query(chosen, columns=name, sort="", order=""),
                    name == asked.column_set,
                )
                for name, value in sets_of(asked.dimension).items()
            ],
        ),
    ]
    only = [
        (only.label, query(chosen, only=only.value), only is asked.only)
        for only in Only
        if _only(asked.dimension, only) is only
    ]
    links.append(("Which", only))
    if len(currencies) > 1:
        codes = [
            (code, query(chosen, currency=code), code == currency)
            for code in currencies
        ]
        links.append(("Currency", codes))
    return links


def heading(chosen: Chosen, asked: RankingAsked, metric: Metric) -> dict[str, Any]:
    """``sorted`` is for aria-sort; the link sorts by it, or turns the order round."""
    is_chosen = metric is asked.metric
    turned = ASCENDING if is_chosen and asked.is_descending else ""
    direction = "descending" if asked.is_descending else "ascending"
    return {
        "label": metric.label,
        "definition": metric.definition,
        "path": query(chosen, sort=metric.name, order=turned),
        "sorted": direction if is_chosen else "",
    }
