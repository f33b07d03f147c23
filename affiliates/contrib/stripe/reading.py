"""Fields of Stripe's objects, in the shapes before and since basil (2025-03-31)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from moneyed import CurrencyDoesNotExist, Money, get_currency

from affiliates.core.days import BillingCycle
from affiliates.errors import InvalidInput

P = ParamSpec("P")
T = TypeVar("T")
Parsed = Mapping[str, Any]

# https://docs.stripe.com/currencies: ISK and UGX have none either, but are sent with two.
NO_DECIMALS = "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF"
THREE_DECIMALS = "BHD JOD KWD OMR TND"
# What a portal writes into the metadata of a session.
COOKIE, PAID_BEFORE = "referral_cookie", "client_paid_before"
# All that is read of an event. The rest, such as names and addresses, is not stored.
KEPT = frozenset(
    f"""account amount amount_paid amount_refunded amount_tax amount_total api_version
    billing_reason charge client_reference_id created credit_balance_transaction currency
    customer data description discount_amounts end ending_balance id inclusive interval
    interval_count invoice invoice_item_details invoice_line_item lines livemode metadata
    mode object paid_at parent payment payment_intent payment_status payments period price
    price_details pricing product proration quantity recurring refund refunds start
    starting_balance status status_transitions subscription subscription_details
    subscription_item_details tax tax_amounts tax_behavior taxes total total_details
    total_excluding_tax type pretax_credit_amounts {COOKIE} {PAID_BEFORE}""".split()
)
DAYS_OF_MONTH = 30.44
CYCLES = {cycle.months: cycle for cycle in BillingCycle if cycle.months}
MONTHS = {"month": 1, "year": 12}


class Unreadable(InvalidInput):
    """An event that is not as Stripe documents it."""


def reads(translate: Callable[P, T]) -> Callable[P, T]:
    """Raises Unreadable where a field is missing or of another type."""

    @wraps(translate)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return translate(*args, **kwargs)
        except (
            ArithmeticError,
            AttributeError,
            CurrencyDoesNotExist,
            LookupError,
            OSError,
            TypeError,
            ValueError,
        ) as fault:
            detail = f"Not as documented: {type(fault).__name__} {fault}"
            raise Unreadable("unreadable", detail) from fault

    return run


def kept(value: Any) -> Any:
    """The parts of a JSON value that are read."""
    if isinstance(value, dict):
        return {
            name: _ours(part) if name == "metadata" else kept(part)
            for name, part in value.items()
            if name in KEPT
        }
    return [kept(part) for part in value] if isinstance(value, list) else value


def _ours(metadata: Any) -> Any:
    names = (COOKIE, PAID_BEFORE)
    return {name: metadata[name] for name in names if name in (metadata or {})}


def id_of(value: Any) -> str:
    """The id of an object that may be expanded; "" for none."""
    return str(value["id"] if isinstance(value, Mapping) else value or "")


def money(amount: int, currency: str) -> Money:
    code = currency.upper()
    places = 0 if code in NO_DECIMALS else 3 if code in THREE_DECIMALS else 2
    return Money(Decimal(amount).scaleb(-places), get_currency(code))


def moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def items(value: Any) -> list[Parsed]:
    """The rows of a list, or of a list object."""
    rows = value.get("data") if isinstance(value, Mapping) else value
    return list(rows or ())


def parent_of(row: Parsed) -> Parsed:
    """What an invoice or its line belongs to, since basil."""
    parent: Parsed = row.get("parent") or {}
    for name in (
        "subscription_details",
        "subscription_item_details",
        "invoice_item_details",
    ):
        if details := parent.get(name):
            return dict(details)
    return {}


def subscription_of(row: Parsed) -> str:
    return id_of(row.get("subscription")) or id_of(parent_of(row).get("subscription"))


def net_of(line: Parsed) -> int:
    """A line's amount after discounts and credits, before tax."""
    credits = [
        row
        for row in items(line.get("pretax_credit_amounts"))
        if row["type"] == "credit_balance_transaction"
    ]
    taxes = [
        row
        for row in items(line.get("taxes") or line.get("tax_amounts"))
        if row.get("inclusive") or row.get("tax_behavior") == "inclusive"
    ]
    taken_off = sum(map(sum_of, (line.get("discount_amounts"), credits, taxes)))
    return int(line["amount"]) - taken_off


def sum_of(rows: Any) -> int:
    return sum(int(row["amount"]) for row in items(rows))


def total_net_of(row: Parsed) -> int:
    """The total of an invoice or credit note without tax."""
    if (net := row.get("total_excluding_tax")) is not None:
        return int(net)
    return int(row["total"]) - int(row.get("tax") or 0)


def product_of(line: Parsed) -> str:
    price = (line.get("pricing") or {}).get("price_details") or line.get("price") or {}
    return id_of(price.get("product"))


def cycle_of(line: Parsed) -> str:
    """A value of BillingCycle; "" if none fits.

    Since basil a line names only the id of its price: then the period decides, but not
    that of a proration, which is a part.
    """
    if recurring := (line.get("price") or {}).get("recurring"):
        months = MONTHS.get(recurring["interval"], 0) * recurring["interval_count"]
        return CYCLES.get(months, "")
    if not subscription_of(line):
        return BillingCycle.ONE_TIME
    if line.get("proration") or parent_of(line).get("proration"):
        return ""
    start, end = period_of(line)
    days = (end - start).days
    months = round(days / DAYS_OF_MONTH)
    is_whole = abs(days - months * DAYS_OF_MONTH) < 3  # noqa: PLR2004 - of February
    return CYCLES.get(months, "") if is_whole else ""


def is_of_plan(line: Parsed) -> bool:
    """Whether an item of the subscription made the line, not an invoice item."""
    kind = (line.get("parent") or {}).get("type") or line.get("type")
    return kind in ("subscription", "subscription_item_details")


def period_of(line: Parsed) -> tuple[datetime, datetime]:
    return moment(line["period"]["start"]), moment(line["period"]["end"])


def payments_of(rows: Iterable[Parsed]) -> tuple[str, ...]:
    """The payment intents and charges that an object names."""
    names = (
        id_of(row.get(name)) for row in rows for name in ("payment_intent", "charge")
    )
    return tuple(filter(None, names))
