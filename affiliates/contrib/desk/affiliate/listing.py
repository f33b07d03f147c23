"""The list of affiliates: who sells, who is owed, and who has stopped selling."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.contrib.admin import SimpleListFilter
from django.db.models import Exists, F, OrderBy, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format, number_format
from moneyed import get_currency

from affiliates.admin_tools.columns import money_text, row_column
from affiliates.admin_tools.exports import ShownText
from affiliates.admin_tools.lists.changelist import ChangeList
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.visible import told_apart, visible_to
from affiliates.contrib.desk.affiliate.standing import (
    COLUMNS,
    CURRENCY,
    NumberByKey,
    Standings,
    add_numbers,
    currencies_of,
    currency_of,
    effective_plan,
    owed_more_than,
    own_sales,
    person_order,
    with_standing,
)
from affiliates.contrib.desk.ranking.rows import person
from affiliates.contrib.statistics.metrics import NO_VALUE
from affiliates.plans.models.plan import CommissionPlan

DAY_FORMAT = "j\N{NO-BREAK SPACE}M\N{NO-BREAK SPACE}Y"
UNSOLD_DAYS = (30, 60, 90, 180)
OWED_AMOUNTS = (0, 10, 50, 100, 500)
NEVER = "never"
# What the list shows and filters by besides the rows themselves.
NEEDS = {name: column.needs for name, column in COLUMNS.items()} | {
    "last_sale": "affiliates.view_commission"
}


def _minor(units: int, currency: str) -> int:
    return units * get_currency(currency).sub_unit


class PlanFilter(SimpleListFilter):
    """The plan that an affiliate has, whether of its own, of the group or the default."""

    title = "plan"
    parameter_name = "plan"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        plans = told_apart(request, CommissionPlan.objects.order_by("name", "pk"))
        return [(str(row.pk), str(row)) for row in visible_to(request.user, plans)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value() or ""
        if not chosen.isdecimal():
            return queryset
        found: QuerySet[Any] = queryset.alias(plan_now=effective_plan("pk"))
        return found.filter(plan_now=chosen)


class LastSaleFilter(SimpleListFilter):
    of = "last_sale"
    title = "last sale"
    parameter_name = "unsold"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        days = [(str(days), f"None for {days} days") for days in UNSOLD_DAYS]
        return [*days, (NEVER, "Never")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen, sales = self.value(), own_sales()
        if chosen not in dict(self.lookup_choices):
            return queryset
        if chosen != NEVER:
            since = timezone.now() - timedelta(days=int(chosen))
            sales = sales.filter(earned_at__gte=since)
        return queryset.filter(~Exists(sales))


class OwedFilter(SimpleListFilter):
    of = "owed"
    title = "owed"
    parameter_name = "owed"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        currency = currency_of(request)
        if not currency:
            return []
        return [
            (str(amount), f"More than {money_text(_minor(amount, currency), currency)}")
            for amount in OWED_AMOUNTS
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen, currency = self.value(), currency_of(request)
        if chosen not in dict(self.lookup_choices):
            return queryset
        most = _minor(int(chosen), currency)
        return queryset.filter(pk__in=owed_more_than(currency, most))


class CurrencyFilter(SimpleListFilter):
    """The currency of amounts shown, sorted by and asked for; no affiliate is left out."""

    of = "owed"
    title = "currency of amounts"
    parameter_name = CURRENCY

    def __init__(self, request: HttpRequest, *args: Any) -> None:
        super().__init__(request, *args)
        self.shown = currency_of(request)

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        codes = currencies_of(request)
        return [(code, code) for code in codes] if len(codes) > 1 else []

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset

    def choices(self, changelist: Any) -> Iterator[Any]:
        for code, name in self.lookup_choices:
            yield {
                "selected": code == self.shown,
                "query_string": changelist.get_query_string({CURRENCY: code}),
                "display": name,
            }


class AffiliateChangeList(ChangeList):
    """Sorts by numbers that no column of the table holds."""

    root_queryset: QuerySet[Any]

    def get_queryset(self, request: HttpRequest, *args: Any) -> QuerySet[Any]:
        self.standings = Standings(currency_of(request))
        self.root_queryset = with_standing(self.root_queryset, self.standings.currency)
        return super().get_queryset(request, *args)

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:
        ordering = super().get_ordering(request, queryset)
        return [self._by_number(order) for order in ordering]

    def _by_number(self, order: Any) -> Any:
        name = getattr(getattr(order, "expression", None), "name", "")
        if name not in COLUMNS:
            return order
        numbers = COLUMNS[name].numbers_of_all(self.standings)
        return OrderBy(NumberByKey(numbers, "pk"), descending=order.descending)

    def prepare_rows(self) -> None:
        for row in self.result_list:
            row.standings = self.standings
        super().prepare_rows()


def _number_column(name: str) -> Any:
    """A column of ``standing``, which AffiliateChangeList sorts."""
    column = COLUMNS[name]

    def text(row: Any) -> str:
        number = row.standing[name]
        if not column.is_money:
            return ShownText.of(number, number_format(number, force_grouping=True))
        currency = row.shown_currency
        return money_text(number, currency) if currency else NO_VALUE

    return row_column(column.label, text, ordering=F(name))


class AffiliateList:
    """A mixin for the page of affiliates: the columns and filters of its list."""

    list_display = (
        "code",
        "name",
        "brand",
        "coloured_status",
        "plan_now",
        *COLUMNS,
        "last_sale",
    )
    list_filter = (
        "status",
        LastSaleFilter,
        OwedFilter,
        PlanFilter,
        "group",
        "brand",
        ("created_at", DaysFilter),
        CurrencyFilter,
    )
    list_per_page = 25

    name = row_column("Name", person, ordering=person_order())
    plan_now = row_column(
        "Plan", lambda row: row.plan_name or NO_VALUE, ordering=F("plan_name")
    )
    clicks = _number_column("clicks")
    revenue = _number_column("revenue")
    payable = _number_column("payable")
    owed = _number_column("owed")
    # Who never sold comes before the one who sold longest ago.
    last_sale = row_column(
        "Last sale",
        lambda row: _day_text(row.last_sale_at),
        ordering=OrderBy(F("last_sale_at"), nulls_first=True),
    )

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:
        return AffiliateChangeList

    def all_columns(self, request: HttpRequest) -> Any:
        columns = super().all_columns(request)  # type: ignore[misc] # ModelAdmin's
        return [name for name in columns if _may_see(request, name)]

    def get_list_filter(self, request: HttpRequest) -> Any:
        filters = super().get_list_filter(request)  # type: ignore[misc] # ModelAdmin's
        return [item for item in filters if _may_see(request, getattr(item, "of", ""))]

    def prepare_rows(self, rows: list[Any]) -> None:
        super().prepare_rows(rows)  # type: ignore[misc] # ModelAdmin's
        if rows and hasattr(rows[0], "shown_currency"):
            known = getattr(rows[0], "standings", None)
            add_numbers(rows, known or Standings(rows[0].shown_currency))


def _may_see(request: HttpRequest, name: str) -> bool:
    return request.user.has_perms([NEEDS[name]] if name in NEEDS else [])


def _day_text(at: datetime | None) -> str:
    if at is None:
        return NO_VALUE
    return ShownText.of(at, date_format(timezone.localtime(at), DAY_FORMAT))
