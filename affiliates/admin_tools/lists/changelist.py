"""A page of a list, with what is looked up once for all of its rows."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Sum
from django.http import HttpRequest
from django.utils.functional import cached_property
from djmoney.money import Money

from affiliates.admin_tools import theme
from affiliates.core.money import from_minor

MAX_COUNTED_ROWS = 10_000


class BoundedPaginator(Paginator):  # type: ignore[type-arg] # of any rows
    """Counts no further than 10,000 rows: a filter or a search leads to the rest."""

    most = 10_000

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows.order_by()[: min(self.most, MAX_COUNTED_ROWS)].count())


class BriefPaginator(BoundedPaginator):
    """For millions of rows, of which a filter may match one in a hundred."""

    most = 1_000


class ChangeList(theme.ChangeList):  # type: ignore[misc] # unfold has no types
    """``totals`` are sums by currency of all rows that match, unless they are many."""

    totals: dict[str, list[Money]]

    def get_ordering_field(self, field_name: Any) -> Any:
        """An address may ask for any column: those that cannot be chosen sort nothing."""
        if field_name not in self.sortable_by:
            return None
        return super().get_ordering_field(field_name)

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list: list[Any] = list(self.result_list)
        self.model_admin.prepare_rows(self.result_list)
        self.is_counted = self.result_count < MAX_COUNTED_ROWS
        self.totals = self._totals() if self.is_counted and self.result_list else {}

    def _totals(self) -> dict[str, list[Money]]:
        found = self.queryset.order_by().values("pk")
        rows = self.model._base_manager.filter(pk__in=found).order_by()
        return {
            label: [
                _money(total, currency)
                for currency, total in rows.values_list(by).annotate(Sum(amount))
                if total is not None
            ]
            for label, (amount, by) in self.model_admin.totals_of.items()
        }


def _money(amount: int | Decimal, currency: str) -> Money:
    """Whole numbers are minor units."""
    if isinstance(amount, int):
        amount = from_minor(amount, currency).amount
    return Money(amount, currency)
