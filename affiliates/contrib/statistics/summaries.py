"""Monthly summaries for affiliates of the month before."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from affiliates.brands.models.brand import Brand
from affiliates.contrib.statistics.metrics import COMMISSION, REVENUE
from affiliates.contrib.statistics.selectors import by_affiliate, cut_off
from affiliates.contrib.statistics.types import Span, Statistics
from affiliates.core.days import month_of, start_of
from affiliates.emails.models import Email
from affiliates.emails.services import notify_affiliates
from affiliates.emails.types import EmailKind, News, money, month
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.worker.registry import register
from affiliates.worker.types import Clock, ShouldStop

# The last days of the month before are counted by then.
HOUR = 6
# Later, affiliates have already read the new month's numbers.
LAST_DAY = 7
READ_AT_ONCE = 500


@register(
    "summaries",
    every=timedelta(hours=1),
    does="Queues the monthly summaries, on the first of the month from six o'clock of the "
    "brand's time.",
    needs="The job `statistics`, which counts the month's last day.",
)
def summarise_months(now: Clock, should_stop: ShouldStop) -> str:
    count = send_summaries(now=now())
    return f"{count:,} monthly summaries queued." if count else ""


def send_summaries(*, now: datetime) -> int:
    """Queue those that are due. How many; each affiliate gets one for a month."""
    return sum(
        _summarise(brand, now=now)
        for brand in Brand.objects.filter(is_active=True, is_test=False).order_by("pk")
    )


@transaction.atomic
def _summarise(brand: Brand, *, now: datetime) -> int:
    local = now.astimezone(brand.zone())
    if local.day > LAST_DAY or (local.day, local.hour) < (1, HOUR):
        return 0
    known = Email.objects.filter(
        brand=brand,
        kind=EmailKind.MONTHLY_SUMMARY,
        created_at__gte=start_of(local.date().replace(day=1), brand.zone()),
    )
    counted = cut_off(brand.pk, now)
    is_counted = counted is not None and counted.counted_at and not counted.days_due
    if known.exists() or not is_counted:
        return 0
    span = Span(*month_of(local.date(), back=1))
    ids = list(
        Affiliate.objects.filter(brand=brand, status=AffiliateStatus.ACTIVE)
        .order_by("pk")
        .values_list("pk", flat=True)
    )
    count = 0
    for begin in range(0, len(ids), READ_AT_ONCE):
        by_id = by_affiliate(ids[begin : begin + READ_AT_ONCE], now=now, span=span)
        news = [_news(brand, pk, span, value) for pk, value in by_id.items() if value]
        notify_affiliates(news, now=now)
        count += len(news)
    return count


def _news(brand: Brand, affiliate_id: int, span: Span, statistics: Statistics) -> News:
    counts = statistics.counts
    amounts = [
        {
            "revenue": money(int(REVENUE.of(of_currency) or 0), currency),
            "commission": money(int(COMMISSION.of(of_currency) or 0), currency),
        }
        for currency in statistics.currencies
        for of_currency in [statistics.in_currency(currency)]
    ]
    values: dict[str, Any] = {
        "month": month(span.first),
        "first": str(span.first),
        "last": str(span.last),
        "clicks": counts.unique_clicks,
        "signups": counts.signups,
        "orders": counts.orders,
        "sales": counts.sales,
        "amounts": amounts,
        "earned": [amount["commission"] for amount in amounts],
    }
    return News(
        kind=EmailKind.MONTHLY_SUMMARY,
        brand_id=brand.pk,
        affiliate_id=affiliate_id,
        fact=f"{affiliate_id}:{span.first:%Y-%m}",
        values=values,
    )
