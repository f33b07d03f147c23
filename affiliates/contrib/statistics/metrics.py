"""Every metric: its name, its meaning, how it is computed and written.

All are of the brand's own affiliates and of days of the brand's time zone. A sale, its
refunds and its commission belong to the day on which the invoice was paid, whenever
they change. What a cancelled refund gives back belongs to the day of the cancellation.
Pages, lists, files and the API show these and compute none of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from enum import StrEnum
from operator import attrgetter
from typing import Any, NamedTuple

from django.utils.formats import date_format, number_format
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from djmoney.money import Money

from affiliates.contrib.statistics.types import COUNT_FIELDS, ClientFigures, Figures
from affiliates.core.money import from_minor

NO_VALUE = "-"


class Kind(StrEnum):
    COUNT = "count"
    MONEY = "money"
    PERCENT = "percent"
    DAY = "day"


class Metric(NamedTuple):
    """``fields`` are the fields of Figures, or of ClientFigures, that it uses.

    ``of`` gives a count, minor units, per cent or the number of a day; None where it
    divides by nothing, or there is no day.
    """

    name: str
    label: str | Promise
    kind: Kind
    definition: str | Promise
    fields: tuple[str, ...]
    of: Callable[[Any], int | Decimal | None]

    @property
    def has_amounts(self) -> bool:
        """Whether it is of one currency. What is made of counts is of all of them."""
        return not set(self.fields) <= set(COUNT_FIELDS)

    def text(self, figures: Figures | ClientFigures, currency: str = "") -> str:
        """The value as pages show it."""
        value = self.of(figures)
        if value is None or (self.kind is Kind.MONEY and not currency):
            return NO_VALUE
        if self.kind is Kind.MONEY:
            return str(Money(from_minor(round(value), currency).amount, currency))
        if self.kind is Kind.PERCENT:
            # Django cuts what it does not show.
            return f"{number_format(round(Decimal(value), 1), decimal_pos=1)} %"
        if self.kind is Kind.DAY:
            return str(date_format(date.fromordinal(int(value)), "j M Y"))
        return str(number_format(value, use_l10n=True, force_grouping=True))


def _count(field: str, label: str | Promise, definition: str | Promise) -> Metric:
    return _sum(field, label, definition, field, kind=Kind.COUNT)


def _sum(
    name: str,
    label: str | Promise,
    definition: str | Promise,
    *fields: str,
    less: str = "",
    kind: Kind = Kind.MONEY,
) -> Metric:
    def compute(figures: Figures) -> int:
        # Also of the sums that a database makes: sorted by them there.
        added: int = sum(getattr(figures, field) for field in fields)
        return added - (getattr(figures, less) if less else 0)

    every = (*fields, less) if less else fields
    # Most are one field, read hundreds of times for a page.
    of: Callable[[Figures], int] = compute if every[1:] else attrgetter(fields[0])
    return Metric(name, label, kind, definition, every, of)


def _ratio(
    name: str,
    label: str | Promise,
    definition: str | Promise,
    part: Metric,
    whole: Metric,
    *,
    kind: Kind = Kind.PERCENT,
) -> Metric:
    times = 100 if kind is Kind.PERCENT else 1

    def compute(figures: Figures) -> Decimal | None:
        divisor = whole.of(figures) or 0
        if divisor <= 0:
            return None
        return Decimal(part.of(figures) or 0) * times / Decimal(divisor)

    return Metric(name, label, kind, definition, part.fields + whole.fields, compute)


CLICKS = _count(
    "clicks", _("Clicks"), _("Visits by a link or code, robots and repeats too.")
)
HUMAN_CLICKS = _count(
    "human_clicks", _("Human clicks"), _("Clicks without robots and prefetches.")
)
UNIQUE_CLICKS = _count(
    "unique_clicks",
    _("Unique clicks"),
    _("The first human click of a visitor for an affiliate on a day."),
)
SIGNUPS = _count("signups", _("Signups"), _("Clients who were bound to an affiliate."))
ORDERS = _count(
    "orders", _("Orders"), _("Orders credited to an affiliate, or held for review.")
)
SALES = _count("sales", _("Sales"), _("Paid invoices of such orders, renewals too."))
REVERSALS = _count(
    "reversals",
    _("Reversals"),
    _("Refunds and chargebacks of these sales, less those cancelled."),
)
REVENUE = _sum(
    "revenue", _("Revenue"), _("The sales, after discount, before tax."), "revenue"
)
NET_REVENUE = _sum(
    "net_revenue",
    _("Net revenue"),
    _("Revenue less what refunds took back of these sales."),
    "revenue",
    less="reversed_revenue",
)
COMMISSION = _sum(
    "commission",
    _("Commission"),
    _("What these sales have earned as of now: pending, held, approved or paid."),
    *("pending", "matured", "held", "approved", "paid"),
)
COMMISSION_PENDING = _sum(
    "commission_pending", _("Commission pending"), _("In its hold."), "pending"
)
COMMISSION_MATURED = _sum(
    "commission_matured",
    _("Commission waiting for approval"),
    _("Its hold is over, and staff approve it."),
    "matured",
)
COMMISSION_HELD = _sum(
    "commission_held", _("Commission held"), _("Held for review."), "held"
)
COMMISSION_DUE = _sum(
    "commission_due", _("Commission due"), _("Approved and not paid yet."), "approved"
)
COMMISSION_PAID = _sum("commission_paid", _("Commission paid"), _("Paid out."), "paid")
COMMISSION_REJECTED = _sum(
    "commission_rejected",
    _("Commission rejected"),
    _("Commissions that were rejected."),
    "rejected",
)
COMMISSION_TAKEN_BACK = _sum(
    "commission_taken_back",
    _("Commission taken back"),
    _("What refunds took back of these sales' commissions."),
    "taken_back",
)
CONVERSION_RATE = _ratio(
    "conversion_rate",
    _("Conversion rate"),
    _("Orders in per cent of unique clicks."),
    ORDERS,
    UNIQUE_CLICKS,
)
EPC = _ratio(
    "epc",
    _("Earnings per click"),
    _("Commission divided by unique clicks."),
    COMMISSION,
    UNIQUE_CLICKS,
    kind=Kind.MONEY,
)
DISCOUNTS = _sum(
    "discounts",
    _("Discounts"),
    _("Taken off these sales by affiliates' coupon codes."),
    "discount",
)
PROGRAM_COST = _sum(
    "program_cost",
    _("Program cost"),
    _("Commission and discounts."),
    *(*COMMISSION.fields, *DISCOUNTS.fields),
)
COST_PERCENT = _ratio(
    "cost_percent",
    _("Cost of the program"),
    _("Commission and discounts in per cent of net revenue."),
    PROGRAM_COST,
    NET_REVENUE,
)

ROBOT_CLICKS = _sum(
    "robot_clicks",
    _("Clicks of robots"),
    _("Clicks of robots and prefetches: suspicious where they are many."),
    "clicks",
    less="human_clicks",
    kind=Kind.COUNT,
)
ROBOT_SHARE = _ratio(
    "robot_share",
    _("Robots' share"),
    _("Clicks of robots in per cent of clicks."),
    ROBOT_CLICKS,
    CLICKS,
)
REFUND_RATE = _ratio(
    "refund_rate",
    _("Refund rate"),
    _("Reversals in per cent of sales."),
    REVERSALS,
    SALES,
)

METRICS = tuple(var for var in list(vars().values()) if isinstance(var, Metric))
FOR_STAFF = (
    DISCOUNTS,
    PROGRAM_COST,
    COST_PERCENT,
    ROBOT_CLICKS,
    ROBOT_SHARE,
    REFUND_RATE,
)

# Of an affiliate's clients: ClientFigures, read from the rows.
ACTIVE_CLIENTS = Metric(
    "active_clients",
    _("Active clients"),
    Kind.COUNT,
    _("Clients with a paid invoice above zero on these days."),
    ("active",),
    attrgetter("active"),
)
CHURNED_CLIENTS = Metric(
    "churned_clients",
    _("Churned clients"),
    Kind.COUNT,
    _("Clients active on the days before and not on these."),
    ("churned",),
    attrgetter("churned"),
)
RENEWAL_SHARE = _ratio(
    "renewal_share",
    _("Renewals' share"),
    _("Paid renewals in per cent of sales."),
    Metric("", "", Kind.COUNT, "", ("renewals",), attrgetter("renewals")),
    Metric("", "", Kind.COUNT, "", ("paid",), attrgetter("paid")),
)
LIFETIME_VALUE = _ratio(
    "lifetime_value",
    _("Lifetime value"),
    _(
        "Net revenue of the affiliate's clients since their signup, divided by all its "
        "clients. Of all time."
    ),
    Metric("", "", Kind.MONEY, "", ("lifetime",), attrgetter("lifetime")),
    Metric("", "", Kind.COUNT, "", ("clients",), attrgetter("clients")),
    kind=Kind.MONEY,
)
LAST_SALE = Metric(
    "last_sale",
    _("Last sale"),
    Kind.DAY,
    _("The day of the affiliate's latest paid invoice. Of all time."),
    ("last_sale",),
    lambda figures: figures.last_sale or None,
)
CLIENT_METRICS = (
    ACTIVE_CLIENTS,
    CHURNED_CLIENTS,
    RENEWAL_SHARE,
    LIFETIME_VALUE,
    LAST_SALE,
)
