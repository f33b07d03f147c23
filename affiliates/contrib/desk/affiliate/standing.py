"""Columns of the list of affiliates: figures of 90 days, balances, sales.

Everything has one reader, for the rows of a page and for all affiliates, so that a list
is sorted by exactly the numbers that it shows.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.contrib.auth import get_user_model
from django.db.models import (
    BigIntegerField,
    Count,
    F,
    Func,
    OuterRef,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Coalesce, Concat, Lower, NullIf, Trim
from django.http import HttpRequest
from django.utils import timezone

from affiliates.admin_tools.visible import visible_to
from affiliates.commissions.models import Commission
from affiliates.contrib.statistics import metrics
from affiliates.contrib.statistics.metrics import Metric
from affiliates.contrib.statistics.open_days import OpenDays
from affiliates.contrib.statistics.reports.ranking import figures_of_affiliates
from affiliates.contrib.statistics.types import Figures, Span
from affiliates.ledger.models import AccountBalance
from affiliates.ledger.rules import OWED_ACCOUNTS, Account
from affiliates.plans.models.plan import CommissionPlan

DAYS = 90
CURRENCY = "currency"
# The names of a person that hosts give their users, and Django.
_NAMES = (("first_name", "last_name"), ("firstname", "lastname"))
_SHOWN_METRICS = (metrics.HUMAN_CLICKS, metrics.NET_REVENUE)


class Standings:
    """The numbers of affiliates as of now, their amounts in one currency."""

    def __init__(self, currency: str) -> None:
        self.currency = currency
        self.open_days = OpenDays(now=timezone.now())
        # What a list is sorted by is not read again for the rows that it shows.
        self._of_all: dict[Reader, Mapping[int, Any]] = {}

    def read(
        self, reader: Reader, ids: Collection[int] | None = None
    ) -> Mapping[int, Any]:
        """By affiliate: of these, or of all."""
        if ids is None and reader not in self._of_all:
            self._of_all[reader] = reader(self, None)
        known = self._of_all.get(reader)
        return reader(self, ids) if known is None else known


Reader = Callable[[Standings, Collection[int] | None], Mapping[int, Any]]


@dataclass(frozen=True, slots=True)
class StandingColumn:
    """A number of every affiliate: where it is read, and how it is made of that."""

    label: str
    needs: str
    read: Reader
    value: Callable[[Any], int | Decimal | None]
    is_money: bool = True

    def number(self, found: Any) -> int:
        return 0 if found is None else int(self.value(found) or 0)

    def numbers_of_all(self, standings: Standings) -> dict[int, int]:
        return {
            pk: self.number(found) for pk, found in standings.read(self.read).items()
        }


def _figures(of: Standings, ids: Collection[int] | None) -> Mapping[int, Figures]:
    days = map(of.open_days.today, of.open_days.brands(None))
    return figures_of_affiliates(
        Span.last_days(DAYS, until=max(days, default=of.open_days.now.date())),
        [field for metric in _SHOWN_METRICS for field in metric.fields],
        of.currency,
        ids=ids,
        open_days=of.open_days,
    )


def _balances(
    of: Standings, ids: Collection[int] | None
) -> Mapping[int, Mapping[str, int]]:
    rows = _owed_in(of.currency)
    if ids is not None:
        rows = rows.filter(affiliate__in=ids)
    sums: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for pk, account, amount in rows.values_list("affiliate", "account").annotate(
        sum=Sum("amount")
    ):
        sums[pk][account] = int(amount)
    return sums


def _owed_in(currency: str) -> QuerySet[AccountBalance]:
    return AccountBalance.objects.order_by().filter(
        currency=currency, account__in=OWED_ACCOUNTS
    )


def _metric(metric: Metric, needs: str, **options: Any) -> StandingColumn:
    label = f"{metric.label}, {DAYS} days"
    return StandingColumn(label, needs, _figures, metric.of, **options)


COLUMNS: Mapping[str, StandingColumn] = {
    "clicks": _metric(metrics.HUMAN_CLICKS, "affiliates.view_click", is_money=False),
    "revenue": _metric(metrics.NET_REVENUE, "affiliates.view_sale"),
    "payable": StandingColumn(
        "Payable",
        "affiliates.view_accountbalance",
        _balances,
        lambda accounts: accounts.get(Account.PAYABLE, 0),
    ),
    "owed": StandingColumn(
        "Owed",
        "affiliates.view_accountbalance",
        _balances,
        lambda accounts: sum(accounts.values()),
    ),
}


def currencies_of(request: HttpRequest) -> list[str]:
    """The currencies of the balances, that of most affiliates first; once a request."""
    if not hasattr(request, "affiliates_currencies"):
        accounts = AccountBalance.objects.order_by().filter(
            part=0, account=Account.EXPENSE
        )
        seen = visible_to(request.user, accounts).values_list("currency")
        found = seen.annotate(count=Count("pk")).order_by("-count", "currency")
        request.affiliates_currencies = [currency for currency, _ in found]  # type: ignore[attr-defined] # ours
    known: list[str] = request.affiliates_currencies  # type: ignore[attr-defined] # ours
    return known


def currency_of(request: HttpRequest) -> str:
    """The chosen currency of the list's amounts, else that of most affiliates."""
    known = currencies_of(request)
    asked = request.GET.get(CURRENCY, "")
    return asked if asked in known else next(iter(known), "")


def owed_more_than(currency: str, amount: int) -> QuerySet[Any, Any]:
    """The ids of affiliates who are owed more minor units than this."""
    sums = _owed_in(currency).values("affiliate").annotate(owed=Sum("amount"))
    found: QuerySet[Any, Any] = sums.filter(owed__gt=amount).values("affiliate")
    return found


def own_sales() -> QuerySet[Commission]:
    """The commissions of an outer affiliate for own sales, without recruiters' shares."""
    return Commission.objects.filter(affiliate=OuterRef("pk"), share_of=None)


def with_standing(rows: QuerySet[Any], currency: str) -> QuerySet[Any]:
    """Adds the plan's name, the last sale, and the currency of what is shown."""
    last = own_sales().order_by("-earned_at").values("earned_at")[:1]
    found: QuerySet[Any] = rows.annotate(
        shown_currency=Value(currency),
        plan_name=effective_plan("name"),
        last_sale_at=Subquery(last),
    )
    return found


def effective_plan(field: str) -> Coalesce:
    """A field of the affiliate's own plan, else of the group's, else of the default."""
    defaults = CommissionPlan.objects.filter(brand=OuterRef("brand"), is_default=True)
    return Coalesce(
        f"plan__{field}", f"group__plan__{field}", Subquery(defaults.values(field)[:1])
    )


def person_order() -> Any:
    """Sorts by what ``person`` shows: the client's name, else the e-mail address."""
    users: Any = get_user_model()
    email = Lower(f"user__{users.get_email_field_name()}")
    known = {field.name for field in users._meta.get_fields()}
    first, last = next((pair for pair in _NAMES if known.issuperset(pair)), ("", ""))
    if not first:
        return email
    name = Trim(Concat(f"user__{first}", Value(" "), f"user__{last}"))
    return Coalesce(NullIf(Lower(name), Value("")), email)


def add_numbers(rows: Sequence[Any], standings: Standings) -> None:
    """Adds each row's numbers by the names of their columns, as ``standing``."""
    ids = [row.pk for row in rows]
    readers = {column.read for column in COLUMNS.values()}
    read = {reader: standings.read(reader, ids) for reader in readers}
    for row in rows:
        row.standing = {
            name: column.number(read[column.read].get(row.pk))
            for name, column in COLUMNS.items()
        }


class NumberByKey(Func):
    """The number at a row's key in a JSON object; zero without one."""

    output_field = BigIntegerField()

    def __init__(self, numbers: Mapping[int, int], key: str) -> None:
        super().__init__(Value(json.dumps(numbers)), F(key))

    def as_postgresql(self, compiler: Any, connection: Any) -> Any:
        return self.as_sql(
            compiler,
            connection,
            template="COALESCE((%(expressions)s::text)::bigint, 0)",
            arg_joiner="::jsonb ->> ",
        )

    def as_sqlite(self, compiler: Any, connection: Any) -> Any:  # type: ignore[override]
        return self.as_sql(
            compiler,
            connection,
            template="COALESCE(json_extract(%(expressions)s || '\"'), 0)",
            arg_joiner=", '$.\"' || ",
        )
