"""Amounts that brands owe affiliates now, amounts by end of hold, and amounts paid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta, tzinfo
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.contrib import admin
from django.db.models import Count, QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from affiliates.admin_tools.columns import money_text
from affiliates.admin_tools.naming import page_name
from affiliates.brands.models.brand import Brand
from affiliates.commissions.models import Commission, CommissionReversal
from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.desk.brand_choice.choosing import choose
from affiliates.contrib.statistics.metrics import DISCOUNTS, PROGRAM_COST, SALES
from affiliates.contrib.statistics.selectors import totals_of_brands
from affiliates.contrib.statistics.spans import ALL, Chosen
from affiliates.contrib.statistics.types import Span
from affiliates.core.days import month_of, span_of
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import account_balances
from affiliates.payouts.models import OPEN_STATUSES, Payout
from affiliates.payouts.rules import PayoutStatus

PAGE = "affiliates/admin/desk/owed.html"


class OwedRow(NamedTuple):
    """``amounts`` are in minor units by currency; ``number`` of affiliates or rows."""

    words: str
    definition: str
    path: str
    amounts: Mapping[str, int]
    number: int


def owed_now(brands: Sequence[Brand]) -> list[OwedRow]:
    """By state, and last the debts of affiliates, which no state contains."""
    of = account_balances().order_by().filter(affiliate__brand__in=brands)
    unripe = f"{CommissionStatus.PENDING},{CommissionStatus.MATURED}"
    pending = _list("commission", brands, status__in=unripe)
    held = _list("commission", brands, status__exact=CommissionStatus.HELD)
    payouts = _list("payout", brands, status__in=",".join(OPEN_STATUSES))
    payable = {"account__exact": "payable", **_of("affiliate__brand", brands)}
    balances = _address("accountbalance", {**payable, "balance__gt": 0})
    debts = _address("accountbalance", {**payable, "balance__lt": 0})
    states = (
        (
            Account.PENDING,
            "Pending",
            "In its hold, or waiting for approval after it.",
            pending,
        ),
        (Account.HELD, "Held", "Somebody must release or reject it first.", held),
        (Account.PAYABLE, "Payable", "Affiliates may ask for it now.", balances),
        (
            Account.CLEARING,
            "Being paid out",
            "In payouts that are not paid yet.",
            payouts,
        ),
    )
    rows = [
        OwedRow(
            words,
            definition,
            path,
            *_balances(of.filter(account=state, balance__gt=0)),
        )
        for state, words, definition, path in states
    ]
    below = of.filter(account=Account.PAYABLE, balance__lt=0)
    definition = (
        "Refunds after a payout. Set off against the affiliates' next commissions."
    )
    return [
        *rows,
        OwedRow("Affiliates' debts", definition, debts, *_balances(below)),
    ]


def maturing(brands: Sequence[Brand], zone: tzinfo, now: datetime) -> list[OwedRow]:
    """Pending commissions by the end of their hold, without what refunds took back."""
    today = now.astimezone(zone).date()
    _, tonight = span_of(today, today, zone)
    week, month = (
        span_of(today, today + timedelta(days=days), zone)[1] for days in (7, 30)
    )
    spans = (
        ("Until today", None, tonight),
        ("In the next 7 days", tonight, week),
        ("In the 23 days after", week, month),
        ("Later", month, None),
    )
    return [_of_hold(brands, words, start, end) for words, start, end in spans]


def _of_hold(
    brands: Sequence[Brand], words: str, start: datetime | None, end: datetime | None
) -> OwedRow:
    asked = {"status__exact": CommissionStatus.PENDING.value}
    if start is not None:
        asked["matures_at__gte"] = start.isoformat()
    if end is not None:
        asked["matures_at__lt"] = end.isoformat()
    commissions = Commission.objects.order_by().filter(brand__in=brands, **asked)
    of_them = {f"commission__{name}": value for name, value in asked.items()}
    taken = CommissionReversal.objects.order_by().filter(
        commission__brand__in=brands, **of_them
    )
    amounts, count = _sums(commissions)
    for currency, amount in taken.values_list("commission__currency").annotate(
        sum=Sum("amount")
    ):
        amounts[currency] += int(amount)
    return OwedRow(words, "", _list("commission", brands, **asked), amounts, count)


def paid(brands: Sequence[Brand], zone: tzinfo, now: datetime) -> list[OwedRow]:
    today = now.astimezone(zone).date()
    return [
        _of_month(brands, words, Span(*month_of(today, back=back)), zone)
        for back, words in enumerate(("This month", "Last month"))
    ]


def _of_month(brands: Sequence[Brand], words: str, span: Span, zone: tzinfo) -> OwedRow:
    start, end = span_of(*span, zone)
    asked = {
        "status__exact": PayoutStatus.PAID.value,
        "finished_at__gte": start.isoformat(),
        "finished_at__lt": end.isoformat(),
    }
    payouts = Payout.objects.order_by().filter(brand__in=brands, **asked)
    return OwedRow(words, "", _list("payout", brands, **asked), *_sums(payouts))


def program_cost(brands: Sequence[Brand], now: datetime) -> list[OwedRow]:
    """Commission and discounts on the sales of two months, in each brand's days."""
    return [
        _cost_of_month(brands, words, back, now)
        for back, words in enumerate(("This month", "Last month"))
    ]


def _cost_of_month(
    brands: Sequence[Brand], words: str, back: int, now: datetime
) -> OwedRow:
    spans = {
        brand: Span(*month_of(now.astimezone(brand.zone()).date(), back=back))
        for brand in brands
    }
    sums = {metric: Counter[str]() for metric in (PROGRAM_COST, DISCOUNTS, SALES)}
    for statistics in totals_of_brands(spans, now=now).values():
        for code, figures in statistics.by_currency.items():
            for metric, amounts in sums.items():
                amounts[code] += int(metric.of(figures) or 0)
    discounts = [
        money_text(amount, code) for code, amount in sorted((+sums[DISCOUNTS]).items())
    ]
    definition = f"Of it discounts by coupon codes: {' and '.join(discounts)}."
    return OwedRow(
        words,
        definition if discounts else "",
        "",
        +sums[PROGRAM_COST],
        sums[SALES].total(),
    )


def show(request: HttpRequest, site: admin.AdminSite) -> HttpResponse:
    now = timezone.now()
    context: dict[str, Any] = {**site.each_context(request), "title": "What we owe"}
    chosen = choose(request, now=now, offers_all=True)
    if chosen is not None:
        brands, zone = chosen.shown_brands, chosen.zone
        owed = owed_now(brands)
        tables = (
            ("Owed now", "State", "Affiliates", owed),
            ("End of the hold", "When", "Commissions", maturing(brands, zone, now)),
            ("Paid", "When", "Payouts", paid(brands, zone, now)),
            ("Program cost", "When", "Sales", program_cost(brands, now)),
        )
        context |= {
            "chosen": chosen,
            "sentence": _sentence(owed),
            "choices": _brands(chosen),
            "tables": [
                (title, [first, count, *currencies], list(_shown(rows, currencies)))
                for title, first, count, rows in tables
                for currencies in [_currencies(rows)]
            ],
        }
    return TemplateResponse(request, PAGE, context)


def _sentence(owed: list[OwedRow]) -> str:
    """The sum of all states in words; debts are not taken off."""
    *states, _debts = owed
    sums = [
        money_text(sum(row.amounts.get(code, 0) for row in states), code)
        for code in _currencies(states)
    ]
    if not sums:
        return "We owe nothing: no affiliate has a balance."
    return f"We owe affiliates {' and '.join(sums)}."


def _brands(chosen: Chosen) -> list[tuple[str, list[tuple[str, str, bool]]]]:
    if len(chosen.brands) < 2:
        return []
    links = [
        (str(brand), f"?brand={brand.pk}", not chosen.is_all and brand == chosen.brand)
        for brand in chosen.brands
    ]
    if chosen.offers_all:
        links.insert(0, ("All brands", f"?brand={ALL}", chosen.is_all))
    return [("Brand", links)]


def _currencies(rows: list[OwedRow]) -> list[str]:
    return sorted({code for row in rows for code in row.amounts})


def _shown(rows: list[OwedRow], currencies: list[str]) -> Iterator[dict[str, Any]]:
    for row in rows:
        yield {
            "words": row.words,
            "definition": row.definition,
            "path": row.path if row.number else "",
            "count": row.number,
            "amounts": [
                money_text(row.amounts[code], code) if code in row.amounts else "-"
                for code in currencies
            ],
        }


def _balances(rows: QuerySet[Any]) -> tuple[dict[str, int], int]:
    """Returns the sum by currency, and the number of affiliates, each counted once."""
    sums = rows.values_list("currency").annotate(sum=Sum("balance"))
    affiliates = rows.values("affiliate").distinct().count()
    return {code: int(amount) for code, amount in sums}, affiliates


def _sums(rows: QuerySet[Any]) -> tuple[dict[str, int], int]:
    sums = list(rows.values_list("currency").annotate(sum=Sum("amount"), n=Count("pk")))
    return {code: int(amount) for code, amount, _ in sums}, sum(n for *_, n in sums)


def _list(model: str, brands: Sequence[Brand], **lookups: str) -> str:
    return _address(model, {**_of("brand", brands), **lookups})


def _of(path: str, brands: Sequence[Brand]) -> dict[str, str]:
    if len(brands) == 1:
        return {f"{path}__id__exact": str(brands[0].pk)}
    return {f"{path}__id__in": ",".join(str(brand.pk) for brand in brands)}


def _address(model: str, lookups: Mapping[str, Any]) -> str:
    return f"{reverse(page_name(model, 'changelist'))}?{urlencode(lookups)}"
