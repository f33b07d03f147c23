"""Which rows belong to a brand's days, and the parts of a click."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Self
from zoneinfo import ZoneInfo

from django.db.models import QuerySet

from affiliates.contrib.statistics.counting.tally import Parts
from affiliates.contrib.statistics.models import MAX_VALUE
from affiliates.contrib.statistics.types import ADDRESS_KEY, Dimension, Span
from affiliates.core.days import span_of
from affiliates.core.urls import referring_site

_COLUMNS: Mapping[Dimension, str] = {
    Dimension.LINK: "link_id",
    Dimension.SUB_ID: "sub_id",
    Dimension.REFERRER: "referrer_url",
    Dimension.COUNTRY: "country",
}
EVERY_DIMENSION = frozenset(Dimension)


@dataclass(frozen=True, slots=True, kw_only=True)
class DaysOfRows:
    """Days of a brand, by its time zone, and what is wanted of them."""

    brand_id: int
    days: Span
    zone: ZoneInfo
    affiliate_ids: Collection[int] | None = None
    dimensions: Collection[Dimension] = field(default=EVERY_DIMENSION)

    def rows(
        self,
        model: type[Any],
        moment: str,
        *,
        affiliate: str = "affiliate",
        brand: str = "brand",
    ) -> QuerySet[Any]:
        """Rows of the brand's own affiliates on these days."""
        start, end = self.moments
        rows: QuerySet[Any] = model.objects.order_by().filter(
            **{brand: self.brand_id, f"{moment}__gte": start, f"{moment}__lt": end},
        )
        if self.affiliate_ids is None:
            return rows.filter(**{f"{affiliate}__isnull": False})
        return rows.filter(**{f"{affiliate}__in": self.affiliate_ids})

    def each(self) -> Iterator[Self]:
        """A single day."""
        for day in self.days.days():
            yield replace(self, days=Span(day, day))

    @property
    def moments(self) -> tuple[datetime, datetime]:
        return span_of(*self.days, self.zone)

    def parts(self, values: Iterable[Any]) -> Parts:
        """The parts of a click, by its columns in the order of ``columns``."""
        return {
            dimension: _READ.get(dimension, text_of)(value)
            for dimension, value in zip(self._by_click, values, strict=True)
        }

    @property
    def columns(self) -> list[str]:
        return [_COLUMNS[dimension] for dimension in self._by_click]

    @property
    def _by_click(self) -> list[Dimension]:
        return [column for column in _COLUMNS if column in self.dimensions]


def _referrer(url: str) -> str:
    return text_of(referring_site(url))


def _link(link_id: int | None) -> str:
    return ADDRESS_KEY if link_id is None else str(link_id)


def text_of(value: Any) -> str:
    return "" if value is None else str(value)[:MAX_VALUE]


_READ: Mapping[Dimension, Callable[[Any], str]] = {
    Dimension.LINK: _link,
    Dimension.REFERRER: _referrer,
}
