"""What a brand paid each affiliate in a year, for the operator's accountant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from affiliates.admin_tools.exports import Row
from affiliates.brands.models.brand import Brand
from affiliates.core.days import span_of
from affiliates.core.money import from_minor
from affiliates.core.spreadsheets import neutral_text
from affiliates.payouts.providers.registry import label_of
from affiliates.payouts.rules import StatementKind
from affiliates.payouts.statement_models import PayoutStatement

HEADINGS = (
    *("Payee", "Country", "Affiliate", "Ids", "Method"),
    *("Currency", "Paid", "Returned", "Statements"),
)


@dataclass(slots=True)
class PaidYear:
    """An affiliate's statements in a currency. ``amounts`` are in minor units, by kind."""

    payee: Mapping[str, Any] = field(default_factory=dict)
    methods: set[str] = field(default_factory=set)
    amounts: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(StatementKind.values, 0)
    )
    count: int = 0


def year_rows(brand: Brand, year: int) -> Iterator[Row]:
    """Returns the headings, then a row for each affiliate and currency.

    A statement belongs to the year of its issue, in the brand's time zone. The payee is
    that of the last statement.
    """
    start, end = span_of(date(year, 1, 1), date(year, 12, 31), brand.zone())
    statements = PayoutStatement.objects.filter(
        brand=brand, issued_at__gte=start, issued_at__lt=end
    ).order_by("pk")
    years: dict[tuple[str, str], PaidYear] = {}
    # Without the lines, which may be many.
    for code, currency, kind, amount, payee, method in statements.values_list(
        "payout__affiliate__code",
        "currency",
        "kind",
        "amount",
        "document__payee",
        "document__destination__kind",
    ).iterator():
        paid = years.setdefault((code, currency), PaidYear())
        paid.payee = payee or paid.payee
        paid.methods.add(method)
        paid.amounts[kind] += abs(amount)
        paid.count += 1
    yield [*HEADINGS]
    for (code, currency), paid in sorted(years.items(), key=lambda item: item[0]):
        yield _row(code, currency, paid)


def _row(code: str, currency: str, paid: PaidYear) -> Row:
    payee = paid.payee
    texts = (
        payee.get("name", ""),
        payee.get("country", ""),
        code,
        ", ".join(payee.get("ids", ())),
        ", ".join(sorted(str(label_of(kind)) for kind in paid.methods)),
        currency,
    )
    amounts = (paid.amounts[StatementKind.PAID], paid.amounts[StatementKind.RETURNED])
    return [
        *map(neutral_text, texts),
        *(from_minor(amount, currency).amount for amount in amounts),
        paid.count,
    ]
