"""The statistics as anybody would count them: row by row, in one pass, without the app's."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from moneyed import Money

from affiliates.brands.models.brand import Brand
from affiliates.commissions.models import Commission
from affiliates.contrib.statistics.types import Dimension, Figures, Span, Statistics
from affiliates.core.money import to_minor
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import InvoiceRefund, RefundCancellation, Sale
from affiliates.visits.models import Click


class Fact(NamedTuple):
    day: date
    affiliate_id: int
    parts: dict[str, str]
    currency: str
    figures: dict[str, int]


class Oracle:
    """``purged`` are the clicks that were deleted from the table.

    ``visitors`` are those of the clicks whose counts are frozen: consent that is
    withdrawn later does not change them.
    """

    def __init__(
        self, brand: Brand, purged: list[Click], visitors: dict[Any, Any]
    ) -> None:
        self.visitors = visitors
        self.zone = brand.zone()
        self.kept = {one.pk: one for one in Click.objects.filter(brand=brand)}
        self.clicks = [*purged, *self.kept.values()]
        self.facts = [
            *self._of_clicks(),
            *self._of_orders(brand),
            *self._of_sales(brand),
            *self._of_commissions(brand),
        ]

    def totals(
        self, span: Span, *, affiliate_id: int | None = None, **part: str
    ) -> dict[str, dict[str, int]]:
        """Figures above zero by currency, of what is all of this."""
        sums: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for fact in self.facts:
            if (
                span.first <= fact.day <= span.last
                and affiliate_id in (None, fact.affiliate_id)
                and part.items() <= fact.parts.items()
            ):
                sums[fact.currency].update(fact.figures)
        return _without_zeros(sums)

    def values(self, span: Span, dimension: Dimension) -> set[str]:
        """Those of which there is anything."""
        found = set()
        for fact in self.facts:
            if span.first <= fact.day <= span.last and fact.parts.get(dimension):
                found.add(fact.parts[dimension])
        return {
            value for value in found if self.totals(span, **{dimension.value: value})
        }

    def _of_clicks(self) -> Iterator[Fact]:
        seen = set()
        for click in sorted(self.clicks, key=lambda one: (one.created_at, one.pk)):
            if click.affiliate_id is None:
                continue
            day = self._day(click.created_at)
            figures = {"clicks": 1}
            if not click.bot_signs:
                figures["human_clicks"] = 1
                visitor_id = self.visitors.get(click.pk, click.visitor_id)
                key = (day, visitor_id, click.affiliate_id)
                if visitor_id is not None and key not in seen:
                    seen.add(key)
                    figures["unique_clicks"] = 1
            yield Fact(day, click.affiliate_id, _parts_of(click), "", figures)

    def _of_orders(self, brand: Brand) -> Iterator[Fact]:
        for model, moment, name in (
            (ClientReferral, "bound_at", "signups"),
            (OrderReferral, "converted_at", "orders"),
        ):
            for row in model.objects.filter(brand=brand):
                if row.affiliate_id is not None:
                    parts = self._parts(row.affiliate_id, row)
                    day = self._day(getattr(row, moment))
                    yield Fact(day, row.affiliate_id, parts, "", {name: 1})

    def _of_sales(self, brand: Brand) -> Iterator[Fact]:
        for sale in Sale.objects.filter(brand=brand):
            order = sale.order_referral
            if order.affiliate_id is None:
                continue
            by_refunds = list(sale.reversals.filter(cancellation=None))
            whose = (
                order.affiliate_id,
                self._parts(order.affiliate_id, order),
                sale.net.currency.code,
            )
            yield Fact(
                self._day(sale.paid_at),
                *whose,
                {
                    "sales": 1,
                    "revenue": to_minor(sale.net),
                    "reversals": len(by_refunds),
                    "reversed_revenue": -sum(to_minor(one.net) for one in by_refunds),
                    "discount": _discount_of(sale, order),
                },
            )
            for one in sale.reversals.exclude(cancellation=None):
                figures = {"reversed_revenue": -to_minor(one.net)}
                if _ends_its_refund(one.cancellation):
                    figures["reversals"] = -1
                yield Fact(self._day(one.cancellation.cancelled_at), *whose, figures)

    def _of_commissions(self, brand: Brand) -> Iterator[Fact]:
        for commission in Commission.objects.filter(brand=brand):
            reversals = list(commission.reversals.select_related("sale_reversal"))
            taken = -sum(
                one.amount
                for one in reversals
                if one.sale_reversal.cancellation_id is None
            )
            figures = {commission.status: commission.amount - taken}
            if commission.status == "rejected":
                figures = {"rejected": commission.amount}
            elif commission.status == "reversed":
                figures = {"taken_back": taken}
            elif taken:
                figures["taken_back"] = taken
            order = commission.sale.order_referral
            whose = (
                commission.affiliate_id,
                self._parts(commission.affiliate_id, order),
                commission.currency,
            )
            yield Fact(self._day(commission.earned_at), *whose, figures)
            if commission.status == "rejected":
                continue
            for one in reversals:
                cancellation = one.sale_reversal.cancellation
                if cancellation is not None:
                    figures = {"taken_back": -one.amount}
                    if commission.status != "reversed":
                        figures[commission.status] = one.amount
                    yield Fact(self._day(cancellation.cancelled_at), *whose, figures)

    def _parts(self, affiliate_id: int, row: Any) -> dict[str, str]:
        click = self.kept.get(row.click_id)
        if click is None or click.affiliate_id != affiliate_id:
            coupon = getattr(row, "coupon_code", "")
            by_coupon = {"link": f"coupon:{coupon}"} if coupon else {}
            return by_coupon if row.click_id is None else {}
        return _parts_of(click)

    def _day(self, moment: datetime) -> date:
        return moment.astimezone(self.zone).date()


def _ends_its_refund(cancellation: RefundCancellation) -> bool:
    """Whether just this one brought what is left of the refund to zero."""
    refund = InvoiceRefund.objects.get(
        brand=cancellation.brand, refund_ref=cancellation.refund_ref
    )
    left = refund.gross.amount
    for one in RefundCancellation.objects.filter(
        brand=refund.brand, refund_ref=refund.refund_ref
    ).order_by("pk"):
        before = left
        left = 0 if one.gross is None else max(left - one.gross.amount, 0)
        if one == cancellation:
            return before > 0 and left == 0
    return False


def plain(statistics: Statistics) -> dict[str, dict[str, int]]:
    """As the oracle says it."""
    return _without_zeros(
        {
            currency: dict(zip(Figures._fields, figures, strict=True))
            for currency, figures in statistics.by_currency.items()
        }
    )


def _parts_of(click: Click) -> dict[str, str]:
    return {
        "link": str(click.link_id or "address"),
        "sub_id": click.sub_id,
        "country": click.country,
        "referrer": urlsplit(click.referrer_url).hostname or "",
    }


def _discount_of(sale: Sale, order: OrderReferral) -> int:
    if not order.coupon_code or order.reason == "typed":
        return 0
    currency = sale.net.currency
    return sum(
        to_minor(Money(line["discount"], currency)) for line in sale.payment.lines
    )


def _without_zeros(sums: Any) -> dict[str, dict[str, int]]:
    found = {
        currency: {name: number for name, number in figures.items() if number}
        for currency, figures in sums.items()
    }
    return {currency: figures for currency, figures in found.items() if figures}
