"""/api/affiliate/statistics: a span by steps or by parts, and the span before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar, NamedTuple

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.http.requests import utc_now
from affiliates.api.serializers import answer_of, read, shape_of
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    DayField,
    MomentField,
    affiliate_of,
    described,
)
from affiliates.contrib.area.api.lists import CSV_TOO, Query, csv_answer, wants_csv
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.statistics import metrics, selectors
from affiliates.contrib.statistics.metrics import Kind, Metric
from affiliates.contrib.statistics.open_days import OpenDays
from affiliates.contrib.statistics.types import (
    ADDRESS_KEY,
    CutOff,
    Dimension,
    Figures,
    Point,
    Row,
    Span,
    Statistics,
    Step,
    sum_of,
)
from affiliates.core.money import decimal_text
from affiliates.errors import InvalidInput
from affiliates.program.models import Affiliate

DAYS_BY_DEFAULT = 30
MAX_DAYS = 3_660
MAX_STEPS = 400
PARTS = (
    Dimension.LINK,
    Dimension.COUPON,
    Dimension.SUB_ID,
    Dimension.REFERRER,
    Dimension.COUNTRY,
)
BY = [*Step.choices, *((part.value, part.label) for part in PARTS)]
# The others are only for the brand.
SHOWN = [metric for metric in metrics.METRICS if metric not in metrics.FOR_STAFF]
COUNTS = [metric for metric in SHOWN if metric.kind is not Kind.MONEY]
AMOUNTS = [metric for metric in SHOWN if metric.kind is Kind.MONEY]


def figures_data(
    statistics: Statistics,
    currencies: Sequence[str],
    shown: Sequence[Metric] = SHOWN,
) -> dict[str, Any]:
    def values(currency: str, figures: Figures) -> dict[str, int | str | None]:
        return {
            metric.name: value_of(metric, figures, currency)
            for metric in shown
            if (metric.kind is Kind.MONEY) == bool(currency)
        }

    return {
        "counts": values("", statistics.counts),
        "amounts": {
            code: values(code, statistics.in_currency(code)) for code in currencies
        },
    }


def _field(metric: Metric) -> serializers.Field[Any, Any, Any, Any]:
    text = str(metric.definition)
    if metric.kind is Kind.COUNT:
        return serializers.IntegerField(help_text=text)
    is_ratio = metric in (metrics.CONVERSION_RATE, metrics.EPC)
    return serializers.CharField(help_text=text, allow_null=is_ratio)


def value_of(metric: Metric, figures: Figures, currency: str) -> int | str | None:
    value = metric.of(figures)
    if value is None or metric.kind is Kind.COUNT:
        return None if value is None else int(value)
    if metric.kind is Kind.MONEY:
        return decimal_text(round(value), currency)
    return str(round(Decimal(value), 1))


def _described() -> type[serializers.Serializer[Any]]:
    """The description of figures: each metric by its definition."""
    counts = {count.name: _field(count) for count in COUNTS}
    amounts = {amount.name: _field(amount) for amount in AMOUNTS}
    figures = {
        "counts": shape_of("FigureCounts", counts)(),
        "amounts": serializers.DictField(
            child=shape_of("FigureAmounts", amounts)(),
            help_text="By currency.",
        ),
    }
    return shape_of("Figures", figures)


FiguresSerializer = _described()


class StatisticsQuerySerializer(serializers.Serializer[Any]):
    first = DayField(required=False, help_text="By default 29 days before the last.")
    last = DayField(required=False, help_text="By default today.")
    by = serializers.ChoiceField(choices=BY, default=Step.DAY.value)


class BeforeSerializer(serializers.Serializer[Any]):
    first = serializers.DateField(format=None)
    last = serializers.DateField(format=None)
    figures = FiguresSerializer()


class StepSerializer(serializers.Serializer[Any]):
    first = serializers.DateField(format=None)
    last = serializers.DateField(format=None)
    is_open = serializers.BooleanField(help_text="It is not over yet.")
    figures = FiguresSerializer()


class PartSerializer(serializers.Serializer[Any]):
    key = serializers.CharField(
        allow_null=True, help_text="Null: what has none, and the rest."
    )
    name = serializers.CharField()
    figures = FiguresSerializer()


class CutOffSerializer(serializers.Serializer[Any]):
    live_from = serializers.DateField(
        format=None, help_text="From this day on the numbers are counted live."
    )
    counted_at = MomentField(
        allow_null=True, help_text="As of when earlier days were counted."
    )
    days_due = serializers.IntegerField(help_text="Days to be counted anew.")


class StatisticsDataSerializer(serializers.Serializer[Any]):
    first = serializers.DateField(format=None)
    last = serializers.DateField(format=None)
    time_zone = serializers.CharField(help_text="Whose days they are: the brand's.")
    cut_off = CutOffSerializer(allow_null=True)
    figures = FiguresSerializer()
    before = BeforeSerializer(help_text="As many days, directly before.")
    steps = StepSerializer(many=True, help_text="By day, week or month, else empty.")
    parts = PartSerializer(many=True, help_text="By anything else, else empty.")


class StatisticsViewSet(AffiliateViewSet):
    scopes: ClassVar = {"retrieve": Scope.STATISTICS}

    @described(
        "get_affiliate_statistics",
        "What came of the affiliate's links in a span of days",
        answer_of("AffiliateStatistics", StatisticsDataSerializer()),
        description=(
            "By default the last 30 days, beside as many days before. `by` "
            "splits them by day, week, month, link, coupon, sub-id, referrer or "
            f"country. {CSV_TOO}"
        ),
        parameters=[StatisticsQuerySerializer],
    )
    def retrieve(self, request: Request) -> HttpResponseBase:
        affiliate = affiliate_of(request)
        reading = read_statistics(affiliate, request.query_params.dict())
        data = statistics_data(affiliate, reading)
        if wants_csv(request):
            return statistics_file(data)
        return Response({"data": data})


class Found(NamedTuple):
    """A span by steps, requested or drawn, and the equally long span before it; and by
    parts, if requested."""

    span: Span
    by: Step | Dimension
    points: list[Point]
    earlier: list[Point]
    parts: list[Row]
    cut_off: CutOff | None


def statistics_file(data: Mapping[str, Any]) -> HttpResponse:
    return csv_answer("statistics", [*data["steps"], *data["parts"]])


def read_statistics(affiliate: Affiliate, query: Query) -> Found:
    """Raises ValidationError of the query, and InvalidInput for too long a span."""
    brand, now = affiliate.brand, utc_now()
    asked = read(StatisticsQuerySerializer, query)
    step = Step(asked["by"]) if asked["by"] in list(Step) else None
    span = _span(asked, step, today=now.astimezone(brand.zone()).date())
    dimensions = [] if step else [Dimension(asked["by"])]
    open_days = OpenDays(*dimensions, now=now, brands=[brand])
    points, earlier = selectors.series_of(
        brand.pk,
        [span, span.before()],
        step or Step.to_draw(span),
        affiliate_id=affiliate.pk,
        open_days=open_days,
    )
    parts = [
        row
        for dimension in dimensions
        for row in selectors.breakdown(
            brand.pk,
            span,
            dimension,
            now=now,
            affiliate_id=affiliate.pk,
            open_days=open_days,
            whole=sum_of(points),
        )
    ]
    cut_off = selectors.cut_off(brand.pk, now, open_days)
    return Found(span, step or dimensions[0], points, earlier, parts, cut_off)


def whole_data(affiliate: Affiliate, reading: Found) -> dict[str, Any]:
    """The whole span, without the steps and parts."""
    span, cut_off = reading.span, reading.cut_off
    whole, before = sum_of(reading.points), sum_of(reading.earlier)
    currencies = (whole + before).currencies
    return {
        **_days(span),
        "time_zone": str(affiliate.brand.zone()),
        "cut_off": cut_off and CutOffSerializer(cut_off).data,
        "figures": figures_data(whole, currencies),
        "before": {
            **_days(span.before()),
            "figures": figures_data(before, currencies),
        },
    }


def statistics_data(affiliate: Affiliate, reading: Found) -> dict[str, Any]:
    whole = whole_data(affiliate, reading)
    currencies = list(whole["figures"]["amounts"])
    return {
        **whole,
        "steps": [
            {
                **_days(Span(point.first, point.last)),
                "is_open": point.is_open,
                "figures": figures_data(point.statistics, currencies),
            }
            for point in reading.points
            if isinstance(reading.by, Step)
        ],
        "parts": [
            {
                "key": None if row.key is None else str(row.key),
                "name": name_of(row),
                "figures": figures_data(row.statistics, currencies),
            }
            for row in reading.parts
        ],
    }


def name_of(row: Row) -> str:
    return gettext("Your short address") if row.key == ADDRESS_KEY else row.label


def _span(asked: dict[str, Any], step: Step | None, *, today: Any) -> Span:
    last = asked.get("last", today)
    span = Span(
        asked.get("first", Span.last_days(DAYS_BY_DEFAULT, until=last).first), last
    )
    days = (span.last - span.first).days + 1
    if days < 1:
        raise InvalidInput("span_is_empty", "It begins after its end.", field="first")
    if days > MAX_DAYS or (step and len(step.parts_of(span)) > MAX_STEPS):
        raise InvalidInput(
            "span_too_long", "Ask for fewer days, or by week or month.", field="first"
        )
    return span


def _days(span: Span) -> dict[str, Any]:
    return {"first": span.first, "last": span.last}
