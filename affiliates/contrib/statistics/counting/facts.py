"""Facts other than clicks on a brand's days: signups, orders, sales, commissions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Case, Count, F, JSONField, Q, QuerySet, Sum, Value, When
from moneyed import Money, get_currency

from affiliates.commissions.models import Commission, CommissionLine, CommissionReversal
from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.statistics.counting.rows import DaysOfRows, text_of
from affiliates.contrib.statistics.counting.tally import Parts, allocate
from affiliates.contrib.statistics.types import COUPON_KEY, Dimension
from affiliates.core.money import rounded_minor, to_minor
from affiliates.db.records import at_once
from affiliates.db.sums import from_thousandths, thousandths
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.referrals.rules.choices import Reason
from affiliates.sales.models import Sale, SaleReversal
from affiliates.sales.selectors import ending_cancellations


class Fact(NamedTuple):
    """Figures that a row adds. ``lines``: product and weight of each invoice line.

    ``coupon``: the affiliate's coupon code on its order.
    """

    brand_id: int
    at: datetime
    affiliate_id: int
    click_id: UUID | None
    figures: Mapping[str, int]
    coupon: str = ""
    currency: str = ""
    lines: Sequence[tuple[str, int]] = ()

    def own_parts(self) -> Parts:
        """The parts of a fact whose click is not known: by its coupon, if it had none."""
        if self.click_id is not None or not self.coupon:
            return {}
        return {Dimension.LINK: text_of(f"{COUPON_KEY}{self.coupon}")}

    def by_product(self) -> Mapping[str, Mapping[str, int]]:
        """It counts for each of its products; its amounts are split among the lines."""
        by_product: dict[str, dict[str, int]] = {
            product: {} for product, _ in self.lines
        }
        weights = [weight for _, weight in self.lines]
        for name, whole in self.figures.items():
            if name in _COUNTS:
                for figures in by_product.values():
                    figures[name] = whole
                continue
            parts = weights if name == "revenue" else allocate(whole, weights)
            for (product, _), part in zip(self.lines, parts, strict=True):
                by_product[product][name] = by_product[product].get(name, 0) + part
        return by_product


_COUNTS = ("sales", "reversals")
_NO_LINES = Value(None, output_field=JSONField())
# A code typed by hand takes nothing off.
_BY_COUPON = Q(order_referral__coupon_code__gt="") & ~Q(
    order_referral__reason=Reason.TYPED
)


def facts_of(every: Sequence[DaysOfRows]) -> Iterator[Fact]:
    """All but clicks. A cancelled refund counts on the day of its cancellation."""
    yield from _referrals(every)
    yield from _sales(every)
    yield from _commissions(every)


def _referrals(every: Sequence[DaysOfRows]) -> Iterator[Fact]:
    kinds = (
        (ClientReferral, "bound_at", Value(""), "signups"),
        (OrderReferral, "converted_at", "coupon_code", "orders"),
    )
    rows = at_once(
        days.rows(model, moment).values_list(
            "brand_id", moment, "affiliate_id", "click_id", coupon, Value(figure)
        )
        for days in every
        for model, moment, coupon, figure in kinds
    )
    for brand_id, at, affiliate_id, click_id, code, figure in rows:
        yield Fact(brand_id, at, affiliate_id, click_id, {figure: 1}, code)


def _sales(every: Sequence[DaysOfRows]) -> Iterator[Fact]:
    """Each as its refunds left it, and what cancellations restored of it."""
    found = list(
        at_once(rows for days in every for rows in (_paid(days), _restored(days)))
    )
    ending = _ending(found)
    for (
        *sold,
        currency,
        net,
        lines,
        times,
        taken,
        cancellation_id,
        _,
        discounted,
    ) in found:
        brand_id, at, affiliate_id, click_id, coupon = sold
        figures = {
            "sales": 1,
            "reversals": times,
            "revenue": to_minor(Money(net, currency)),
            "reversed_revenue": -to_minor(Money(from_thousandths(taken), currency)),
            "discount": _discount(discounted, currency),
        }
        if cancellation_id:
            figures = {
                "reversals": -int(cancellation_id in ending),
                "reversed_revenue": -to_minor(Money(net, currency)),
            }
        products = _products(lines, currency)
        yield Fact(
            brand_id, at, affiliate_id, click_id, figures, coupon, currency, products
        )


def _paid(days: DaysOfRows) -> QuerySet[Any, Any]:
    by_refunds = Q(reversals__cancellation=None)
    affiliate = "order_referral__affiliate_id"
    sales = days.rows(Sale, "paid_at", affiliate=affiliate).annotate(
        times_=Count("reversals", filter=by_refunds),
        taken_=Sum(thousandths("reversals__net"), filter=by_refunds, default=0),
    )
    rows: QuerySet[Any, Any] = sales.values_list(
        "brand_id",
        "paid_at",
        affiliate,
        "order_referral__click_id",
        "order_referral__coupon_code",
        "net_currency",
        "net",
        _lines(days, "payment__lines"),
        "times_",
        "taken_",
        Value(0),
        Value(""),
        Case(When(_BY_COUPON, then="payment__lines"), default=_NO_LINES),
    )
    return rows


def _restored(days: DaysOfRows) -> QuerySet[Any, Any]:
    moment = "cancellation__cancelled_at"
    affiliate = "sale__order_referral__affiliate_id"
    rows = days.rows(SaleReversal, moment, affiliate=affiliate, brand="sale__brand_id")
    found: QuerySet[Any, Any] = rows.values_list(
        "sale__brand_id",
        moment,
        affiliate,
        "sale__order_referral__click_id",
        "sale__order_referral__coupon_code",
        "net_currency",
        "net",
        _lines(days, "sale__payment__lines"),
        Value(0),
        Value(0),
        "cancellation_id",
        "cancellation__refund_ref",
        _NO_LINES,
    )
    return found


def _ending(rows: Sequence[tuple[Any, ...]]) -> set[int]:
    """The cancellations among these rows that end their refund."""
    refunds: defaultdict[int, set[str]] = defaultdict(set)
    for brand_id, *_, refund, _lines in rows:
        if refund:
            refunds[brand_id].add(refund)
    return {
        pk
        for brand_id, refs in refunds.items()
        for pk in ending_cancellations(brand_id, refs)
    }


def _lines(days: DaysOfRows, path: str) -> Any:
    """The invoice's lines, if they are wanted."""
    return path if Dimension.PRODUCT in days.dimensions else _NO_LINES


def _discount(lines: Sequence[Mapping[str, Any]] | None, currency: str) -> int:
    known = get_currency(currency)
    return sum(rounded_minor(line["discount"], known) for line in lines or ())


def _products(
    lines: Sequence[Mapping[str, Any]] | None, currency: str
) -> list[tuple[str, int]]:
    known = get_currency(currency)
    return [
        (text_of(line["product_ref"]), rounded_minor(line["net"], known))
        for line in lines or ()
    ]


def _commissions(every: Sequence[DaysOfRows]) -> Iterator[Fact]:
    """Each as its refunds left it, and what cancellations restored of it."""
    found = list(
        at_once(rows for days in every for rows in (_earned(days), _given_back(days)))
    )
    is_split = any(Dimension.PRODUCT in days.dimensions for days in every)
    lines = _lines_of({row[6] for row in found}) if is_split else {}
    for (
        brand_id,
        at,
        whose,
        click_id,
        coupon,
        currency,
        pk,
        status,
        amount,
        change,
    ) in found:
        figures = _figures_of(status, amount, int(change))
        products = lines.get(pk, ())
        yield Fact(brand_id, at, whose, click_id, figures, coupon, currency, products)


def _earned(days: DaysOfRows) -> QuerySet[Any, Any]:
    by_refunds = Q(reversals__sale_reversal__cancellation=None)
    change = Sum("reversals__amount", filter=by_refunds, default=0)
    commissions = days.rows(Commission, "earned_at").annotate(change_=change)
    rows: QuerySet[Any, Any] = commissions.values_list(
        "brand_id",
        "earned_at",
        "affiliate_id",
        "sale__order_referral__click_id",
        _own_coupon(),
        "currency",
        "pk",
        "status",
        "amount",
        "change_",
    )
    return rows


def _given_back(days: DaysOfRows) -> QuerySet[Any, Any]:
    moment = "sale_reversal__cancellation__cancelled_at"
    affiliate, brand = "commission__affiliate_id", "commission__brand_id"
    reversals = days.rows(CommissionReversal, moment, affiliate=affiliate, brand=brand)
    rows: QuerySet[Any, Any] = reversals.values_list(
        brand,
        moment,
        affiliate,
        "commission__sale__order_referral__click_id",
        _own_coupon("commission__"),
        "commission__currency",
        "commission_id",
        "commission__status",
        Value(0),
        "amount",
    )
    return rows


def _own_coupon(path: str = "") -> Case:
    """The code on the order; empty for a share, whose recruiter has no part in it."""
    is_share = Q(**{f"{path}share_of__isnull": False})
    code = F(f"{path}sale__order_referral__coupon_code")
    return Case(When(is_share, then=Value("")), default=code)


def _figures_of(status: str, amount: int, change: int) -> dict[str, int]:
    """A rejected one was rejected as a whole; of the others refunds may have taken."""
    if status == CommissionStatus.REJECTED:
        return {status: amount}
    if status == CommissionStatus.REVERSED:
        return {"taken_back": -change}
    return {status: amount + change, "taken_back": -change}


def _lines_of(
    commission_ids: Collection[int],
) -> Mapping[int, list[tuple[str, int]]]:
    lines: defaultdict[int, list[tuple[str, int]]] = defaultdict(list)
    rows = CommissionLine.objects.filter(commission__in=commission_ids)
    columns = ("commission_id", "receipt__line__product_ref", "amount")
    for pk, product, amount in rows.order_by("position").values_list(*columns):
        lines[pk].append((text_of(product), amount))
    return lines
