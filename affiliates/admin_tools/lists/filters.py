"""The filters of lists that Django does not have."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any, ClassVar

from django.contrib.admin import (
    FieldListFilter,
    RelatedFieldListFilter,
    SimpleListFilter,
)
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import get_fields_from_path
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from affiliates.admin_tools.lists.pills import day_text
from affiliates.admin_tools.visible import told_apart, visible_to
from affiliates.core.days import month_of, span_of
from affiliates.core.ids import first_id_of

FROM, UNTIL = "from", "until"
# Their moments can be told in every time zone.
EARLIEST, LATEST = date(1901, 1, 1), date(8999, 12, 31)


class DaysFilter(FieldListFilter):
    """The days of the site's time zone on which it happened, the last included.

    Django's own drill-down would look for the first and the last of all rows.
    """

    template = "affiliates/admin/days_filter.html"

    def expected_parameters(self) -> list[str | None]:
        return [FROM, UNTIL]

    def has_output(self) -> bool:
        return True

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        first, last = self._day(FROM), self._day(UNTIL)
        zone = timezone.get_current_timezone()
        start, _ = span_of(first or EARLIEST, first or EARLIEST, zone)
        _, end = span_of(last or LATEST, last or LATEST, zone)
        if first is not None:
            queryset = self.since(queryset, start)
        return queryset if last is None else self.before(queryset, end)

    def since(self, rows: QuerySet[Any], start: datetime) -> QuerySet[Any]:
        return rows.filter(**{f"{self.field_path}__gte": start})

    def before(self, rows: QuerySet[Any], end: datetime) -> QuerySet[Any]:
        return rows.filter(**{f"{self.field_path}__lt": end})

    def words(self) -> str:
        first, last = self._day(FROM), self._day(UNTIL)
        if first is None or last is None:
            day, way = (last, "until") if first is None else (first, "from")
            return f"{way} {day_text(day)}" if day else ""
        if first == last:
            return day_text(first)
        return f"{day_text(first)} – {day_text(last)}"

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Links to usual spans; the template has a form for all others."""
        chosen = self._day(FROM), self._day(UNTIL)
        self.first, self.last = self._said(FROM), self._said(UNTIL)
        self.others = [
            (name, value)
            for name, values in changelist.filter_params.items()
            if name not in (FROM, UNTIL)
            for value in (values if isinstance(values, list) else [values])
        ]
        for display, first, last in _usual_spans(timezone.localdate()):
            yield {
                "selected": chosen == (first, last),
                "query_string": changelist.get_query_string({FROM: first, UNTIL: last}),
                "display": display,
            }

    def _said(self, name: str) -> str:
        values = self.used_parameters.get(name) or [""]
        return str(values[-1] if isinstance(values, list) else values)

    def _day(self, name: str) -> date | None:
        said = self._said(name)
        try:
            day = date.fromisoformat(said) if said else None
        except ValueError as error:
            raise IncorrectLookupParameters(error) from error
        if day is not None and not EARLIEST <= day <= LATEST:
            raise IncorrectLookupParameters(said)
        return day


class DaysOfIdsFilter(DaysFilter):
    """For many rows whose ids are UUIDv7 and whose time has no index.

    An id is made within a day of the time that stands beside it.
    """

    def since(self, rows: QuerySet[Any], start: datetime) -> QuerySet[Any]:
        return super().since(rows, start).filter(pk__gte=first_id_of(start - _SLACK))

    def before(self, rows: QuerySet[Any], end: datetime) -> QuerySet[Any]:
        return super().before(rows, end).filter(pk__lt=first_id_of(end + _SLACK))


_SLACK = timedelta(days=1)


class UsualDaysFilter(SimpleListFilter):
    """Usual spans of another moment than the list's DaysFilter: of rows that ``only``.

    ``spans``: the words of each, and its first and last day as of today.
    """

    field: ClassVar[str]
    only: ClassVar[Mapping[str, Any]] = {}
    spans: ClassVar[Mapping[str, tuple[str, Callable[[date], tuple[date, date]]]]]

    def lookups(
        self,
        request: HttpRequest,  # noqa: ARG002 - as Django asks
        model_admin: Any,  # noqa: ARG002 - as Django asks
    ) -> list[tuple[str, str]]:
        return [(name, words) for name, (words, _) in self.spans.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002 - as Django asks
        if self.value() not in self.spans:
            return queryset
        _, days_of = self.spans[str(self.value())]
        first, last = days_of(timezone.localdate())
        start, end = span_of(first, last, timezone.get_current_timezone())
        asked = {f"{self.field}__gte": start, f"{self.field}__lt": end, **self.only}
        return queryset.filter(**asked)


class VisibleFilter(RelatedFieldListFilter):
    """Offers the related rows that the user may see, of those that are ``limited_to``."""

    limited_to: ClassVar[Mapping[str, Any]] = {}

    def field_choices(self, field: Any, request: HttpRequest, model_admin: Any) -> Any:
        ordering = self.field_admin_ordering(field, request, model_admin)
        rows = field.related_model._default_manager.filter(**self.limited_to)
        if any(field.name == "brand" for field in rows.model._meta.fields):
            rows = told_apart(request, rows)
        ordered = rows.order_by(*ordering) if ordering else rows
        return [(row.pk, str(row)) for row in visible_to(request.user, ordered)]


def visible_filters(model: type[Model], filters: Iterable[Any]) -> list[Any]:
    """The filters of a list; those by the name of a relation offer visible rows."""
    return [
        (item, VisibleFilter)
        if isinstance(item, str) and get_fields_from_path(model, item)[-1].is_relation
        else item
        for item in filters
    ]


def _usual_spans(today: date) -> Iterator[tuple[str, date | None, date | None]]:
    this_month = today.replace(day=1)
    yield "Any day", None, None
    yield "Today", today, today
    yield "Last 7 days", today - timedelta(days=6), today
    yield "Last 30 days", today - timedelta(days=29), today
    yield "This month", this_month, today
    yield "Last month", *month_of(today, back=1)
