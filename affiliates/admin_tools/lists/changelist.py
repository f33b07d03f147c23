"""A page of a list, with what is looked up once for all of its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import copy
from decimal import Decimal
from typing import Any, Self

from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import PAGE_VAR
from django.core.exceptions import EmptyResultSet
from django.core.paginator import Paginator
from django.db.models import QuerySet, Sum, Value
from django.http import HttpRequest
from django.utils.functional import cached_property
from djmoney.money import Money

from affiliates.admin_tools import theme
from affiliates.admin_tools.lists import pills
from affiliates.admin_tools.lists.columns import COLUMNS
from affiliates.core.money import from_minor
from affiliates.db.records import at_once

MAX_COUNTED_ROWS = 10_000
# Measured in a table of 166,500 sales: adding up this many takes PostgreSQL 0.1 s.
MAX_ADDED_ROWS = 100_000


def count_text(count: int, most: int) -> str:
    """The number of rows, counted up to one more than ``most``."""
    return f"{count:,}" if count <= most else f"more than {most:,}"


class BoundedPaginator(Paginator):  # type: ignore[type-arg] # of any rows
    """Counts and shows no more than 10,000 rows: a filter or a search finds the rest."""

    @property
    def count(self) -> int:
        return min(self._counted, MAX_COUNTED_ROWS)

    @property
    def is_cut(self) -> bool:
        return self._counted > MAX_COUNTED_ROWS

    @property
    def text(self) -> str:
        return count_text(self._counted, MAX_COUNTED_ROWS)

    @cached_property
    def _counted(self) -> int:
        return int(self._to_count()[: MAX_COUNTED_ROWS + 1].count())

    def _to_count(self) -> Any:
        rows: Any = self.object_list
        return rows.order_by()


class PaginatorInOrder(BoundedPaginator):
    """For a large table whose order has an index.

    Without an order PostgreSQL may look for the rows of some days among all there are.
    """

    def _to_count(self) -> Any:
        return self.object_list


class ChangeList(theme.ChangeList):  # type: ignore[misc] # unfold has no types
    """``totals`` are sums by currency of all rows that match, or None if they are many.

    ``refused_page`` is the number in the address if the list has no such page.
    """

    totals: dict[str, list[Money]] | None
    refused_page: int | None = None
    page_num: int

    def get_filters_params(self, params: Any = None) -> dict[str, Any]:
        lookups: dict[str, Any] = super().get_filters_params(params)
        lookups.pop(COLUMNS, None)
        return lookups

    def get_filters(self, request: HttpRequest) -> Any:
        with _refused_lookups():
            result = super().get_filters(request)
        self.staff, self.other_lookups = request.user, list(result[2])
        return result

    def get_queryset(self, request: HttpRequest, *args: Any) -> QuerySet[Any]:
        """Compiled before it is read: Django looks at some values only then."""
        rows: QuerySet[Any] = super().get_queryset(request, *args)
        if request.GET:
            with _refused_lookups(), suppress(EmptyResultSet):
                rows.query.sql_with_params()
        return rows

    def get_ordering_field(self, field_name: Any) -> Any:
        """An address may ask for any column: those that cannot be chosen sort nothing."""
        if field_name not in self.sortable_by:
            return None
        return super().get_ordering_field(field_name)

    def get_results(self, request: HttpRequest) -> None:
        asked = self.page_num
        try:
            super().get_results(request)
        except IncorrectLookupParameters:
            self.page_num = 1
            super().get_results(request)
        self.is_cut = getattr(self.paginator, "is_cut", False)
        if self.is_cut:
            # Django's heading and search say a number where the two differ.
            self.full_result_count = self.result_count
        if not 1 <= asked <= self.paginator.num_pages:
            self.refused_page = asked
        is_refused = self.refused_page is not None
        self.result_list: list[Any] = [] if is_refused else list(self.result_list)
        self.prepare_rows()
        self.totals = self._totals() if self.result_list else {}

    def prepare_rows(self) -> None:
        self.model_admin.prepare_rows(self.result_list)

    @cached_property
    def pills(self) -> list[pills.Pill]:
        return pills.pills_of(self)

    @property
    def without_pills(self) -> str:
        names = [name for pill in self.pills for name in pill.names]
        return str(self.get_query_string(dict.fromkeys(names)))

    @property
    def last_page(self) -> str:
        return str(self.get_query_string({PAGE_VAR: self.paginator.num_pages}))

    @property
    def for_templates(self) -> Self:
        """This list with its number of rows in words.

        Templates of unfold and Django only show it, and compare it with 1.
        """
        shown = copy(self)
        if self.result_count != 1:
            shown.result_count = getattr(self.paginator, "text", self.result_count)
        return shown

    @property
    def all_selected(self) -> str:
        return f"All {self.for_templates.result_count} selected"

    @property
    def shown_rows(self) -> str:
        return f"{self.result_count:,}"

    @property
    def most_added(self) -> str:
        return f"{MAX_ADDED_ROWS:,}"

    def _totals(self) -> dict[str, list[Money]] | None:
        totals_of = self.model_admin.totals_of
        rows = self.queryset.order_by()
        keys = rows.values("pk")
        is_many = totals_of and self.is_cut
        if is_many and keys[: MAX_ADDED_ROWS + 1].count() > MAX_ADDED_ROWS:
            return None
        if _joins_many(rows):
            rows = self.model._base_manager.filter(pk__in=keys).order_by()
        asked = {
            (amount, by) for *amounts, by in totals_of.values() for amount in amounts
        }
        sums = _sums(rows, sorted(asked))
        return {
            label: _added([sums[amount, by] for amount in amounts])
            for label, (*amounts, by) in totals_of.items()
        }


@contextmanager
def _refused_lookups() -> Iterator[None]:
    """Leads to the list without filters where a date does not exist."""
    try:
        yield
    except (OverflowError, ValueError) as error:
        raise IncorrectLookupParameters(error) from error


def _joins_many(rows: Any) -> bool:
    """Whether a filter joins many rows to one, which would be added twice or in part.

    Looking all rows up by their keys, which prevents it, takes twice as long as adding.
    """
    joins = [join for join in rows.query.alias_map.values() if join.parent_alias]
    return any(
        join.join_field.one_to_many or join.join_field.many_to_many for join in joins
    )


def _sums(
    rows: QuerySet[Any], asked: Sequence[tuple[str, str]]
) -> Mapping[tuple[str, str], Mapping[str, Any]]:
    """The sum of each amount by its currency; all are of one kind of column."""
    sums: dict[tuple[str, str], dict[str, Any]] = {total: {} for total in asked}
    parts = (
        rows.annotate(place_=Value(place))
        .values_list("place_", by)
        .annotate(total=Sum(amount))
        for place, (amount, by) in enumerate(asked)
    )
    for place, currency, total in at_once(parts):
        sums[asked[place]][currency] = total
    return sums


def _added(sums: Sequence[Mapping[str, int | Decimal | None]]) -> list[Money]:
    total: Counter[str] = Counter()
    for one in sums:
        total.update({currency: sum_ for currency, sum_ in one.items() if sum_})
    return [_money(total[currency], currency) for currency in sorted(total)]


def _money(amount: int | Decimal, currency: str) -> Money:
    """Whole numbers are minor units."""
    if isinstance(amount, int):
        amount = from_minor(amount, currency).amount
    return Money(amount, currency)
