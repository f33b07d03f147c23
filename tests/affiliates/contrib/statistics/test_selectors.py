"""What pages are told of closed days and of open ones."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.statistics import metrics, selectors
from affiliates.contrib.statistics.counting.tally import MAX_PARTS
from affiliates.contrib.statistics.models import DailyFigures
from affiliates.contrib.statistics.open_days import OpenDays
from affiliates.contrib.statistics.services import count_changes
from affiliates.contrib.statistics.types import Dimension, Figures, Span, Step
from affiliates.settlement.services import override_attribution
from affiliates.visits.models import Click
from tests.affiliates.till import PAID_AT
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateLinkFactory,
    BrandFactory,
    ClickFactory,
)
from tests.factories.plans import CommissionPlanFactory
from tests.factories.program import make_commission

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
MARCH = Span(date(2026, 3, 1), date(2026, 3, 31))


def click(affiliate, at, visitor_id="01920000-0000-7000-8000-000000000001", **fields):
    return ClickFactory(
        affiliate=affiliate,
        created_at=at,
        visitor_id=visitor_id,
        **{"referrer_url": "", **fields},
    )


def count():
    count_changes(now=lambda: NOW)


def test_unique_is_the_first_human_click_of_a_visitor_on_a_day_of_the_brand(
    brand, affiliate, rival
):
    brand.time_zone = "America/New_York"
    brand.save()
    night = datetime(2026, 3, 3, 4, tzinfo=UTC)  # 23 o'clock of the day before
    click(affiliate, night, bot_signs="user_agent")
    click(affiliate, night + timedelta(minutes=1))
    # At one instant.
    click(affiliate, night + timedelta(minutes=1))
    click(rival, night + timedelta(minutes=3))
    click(affiliate, night + timedelta(hours=2))
    count()

    points = selectors.series(brand.pk, MARCH, Step.DAY, now=NOW)

    assert len(points) == 31
    assert points[1].statistics.counts == Figures(4, 3, 2)
    assert points[2].statistics.counts == Figures(1, 1, 1)
    assert [point.is_open for point in points[7:11]] == [False, False, True, True]


def test_today_is_read_from_the_rows_and_earlier_days_as_counted(brand, affiliate):
    click(affiliate, NOW - timedelta(days=2))
    click(affiliate, NOW)
    count()
    DailyFigures.objects.update(clicks=100)

    assert selectors.totals(brand.pk, MARCH, now=NOW).counts.clicks == 101
    click(affiliate, NOW)
    assert selectors.totals(brand.pk, MARCH, now=NOW).counts.clicks == 102


def test_a_week_is_live_where_no_worker_has_come(brand, affiliate):
    click(affiliate, NOW - timedelta(days=6))
    click(affiliate, NOW - timedelta(days=7))

    assert selectors.totals(brand.pk, MARCH, now=NOW).counts.clicks == 1
    assert selectors.cut_off(brand.pk, NOW).counted_at is None
    count()
    assert selectors.totals(brand.pk, MARCH, now=NOW).counts.clicks == 2
    cut_off = selectors.cut_off(brand.pk, NOW)
    assert (cut_off.live_from, cut_off.counted_at) == (NOW.date(), NOW)


def test_breakdown_sums_to_the_total(brand, affiliate):
    link = AffiliateLinkFactory(affiliate=affiliate, name="Blog")
    for number in range(4):
        click(affiliate, NOW - timedelta(days=number % 2), link=link, sub_id="mail")
    click(affiliate, NOW, country="DE", referrer_url="https://blog.example/a?b#c")
    count()

    def of(dimension, **options):
        rows = selectors.breakdown(brand.pk, MARCH, dimension, now=NOW, **options)
        return [(row.key, row.label, row.statistics.counts.clicks) for row in rows]

    assert of(Dimension.LINK) == [
        (link.pk, str(link), 4),
        ("address", "Short address", 1),
    ]
    assert of(Dimension.SUB_ID, affiliate_id=affiliate.pk) == [
        ("mail", "mail", 4),
        (None, "Without a sub-id", 1),
    ]
    assert of(Dimension.COUNTRY) == [("DE", "DE", 1), (None, "Unknown", 4)]
    assert of(Dimension.REFERRER)[0] == ("blog.example", "blog.example", 1)
    assert of(Dimension.AFFILIATE) == [(affiliate.pk, affiliate.code, 5)]


def test_only_the_busiest_values_of_a_day_are_kept_by_themselves(brand, affiliate):
    for number in range(MAX_PARTS + 20):
        click(affiliate, NOW - timedelta(days=1), sub_id=f"id-{number:03}")
    click(affiliate, NOW - timedelta(days=1), sub_id="id-119")
    count()

    rows = selectors.breakdown(
        brand.pk,
        MARCH,
        Dimension.SUB_ID,
        now=NOW,
        affiliate_id=affiliate.pk,
        limit=1_000,
    )

    assert len(rows) == MAX_PARTS + 1
    assert (rows[0].key, rows[0].statistics.counts.clicks) == ("id-119", 2)
    assert (rows[-1].key, rows[-1].statistics.counts.clicks) == (None, 20)


def test_top_is_by_the_metric_over_closed_and_open_days(brand, affiliate, rival):
    for days in (0, 3, 3):
        click(affiliate, NOW - timedelta(days=days))
    for days in (0, 0, 0, 4):
        click(rival, NOW - timedelta(days=days))
    count()

    def best(metric):
        [rows] = selectors.tops(
            brand.pk,
            MARCH,
            [selectors.TopAsked(Dimension.AFFILIATE, metric)],
            open_days=OpenDays(now=NOW),
        )
        return [(row.label, metric.of(row.statistics.counts)) for row in rows]

    assert best(metrics.CLICKS) == [(rival.code, 4), (affiliate.code, 3)]
    assert best(metrics.ORDERS) == []


def test_tops_of_several_dimensions_are_read_at_once(
    brand, affiliate, rival, django_assert_num_queries
):
    link = AffiliateLinkFactory(affiliate=rival, name="Blog")
    click(affiliate, NOW - timedelta(days=3), country="DE")
    click(rival, NOW - timedelta(days=3), link=link, country="FR")
    click(rival, NOW, link=link, country="FR")
    count()
    asked = [
        selectors.TopAsked(dimension, metrics.CLICKS)
        for dimension in (Dimension.COUNTRY, Dimension.AFFILIATE, Dimension.LINK)
    ]
    open_days = OpenDays(Dimension.COUNTRY, Dimension.LINK, now=NOW, brands=[brand])
    selectors.series_of(brand.pk, [MARCH], Step.DAY, open_days=open_days)

    # All tops, and the names of affiliates and links.
    with django_assert_num_queries(3):
        found = selectors.tops(brand.pk, MARCH, asked, open_days=open_days)

    assert [
        [(row.key, row.label, row.statistics.counts.clicks) for row in rows]
        for rows in found
    ] == [
        [("FR", "FR", 2), ("DE", "DE", 1)],
        [(rival.pk, rival.code, 2), (affiliate.pk, affiliate.code, 1)],
        [(link.pk, str(link), 2)],
    ]


def test_brands_are_counted_at_once_each_by_its_own_days(
    brand, affiliate, host, django_assert_num_queries
):
    other_brand = BrandFactory(
        client_area="other.example.com", time_zone="Pacific/Auckland"
    )
    its = AffiliateFactory(
        brand=other_brand, user=host.client(other_brand, email="its@example.com")
    )
    for one in (affiliate, its):
        # In Auckland this is the 10th.
        click(one, datetime(2026, 3, 9, 11, 30, tzinfo=UTC))
        click(one, datetime(2026, 3, 5, 9, tzinfo=UTC))
    count()
    tenth = Span(date(2026, 3, 10), date(2026, 3, 10))
    days = {brand: Span(date(2026, 3, 5), date(2026, 3, 9)), other_brand: tenth}
    with CaptureQueriesContext(connection) as of_one:
        selectors.totals_of_brands({other_brand: tenth}, now=NOW)

    with django_assert_num_queries(len(of_one)):
        found = selectors.totals_of_brands(days, now=NOW)

    clicks = {pk: one.counts.clicks for pk, one in found.items()}
    assert clicks == {brand.pk: 2, other_brand.pk: 1}
    alone = {
        one.pk: selectors.totals(one.pk, span, now=NOW) for one, span in days.items()
    }
    assert found == alone


def test_spans_that_are_read_at_once_are_as_each_alone(brand, affiliate):
    for days in (0, 1, 9, 20, 40):
        click(affiliate, NOW - timedelta(days=days))
    count()
    spans = [Span.last_days(8, until=NOW.date()), Span(date(2026, 1, 29), MARCH.first)]

    at_once = selectors.series_of(
        brand.pk, spans, Step.WEEK, open_days=OpenDays(now=NOW)
    )

    alone = [selectors.series(brand.pk, span, Step.WEEK, now=NOW) for span in spans]
    assert at_once == alone
    assert [
        sum(point.statistics.counts.clicks for point in one) for one in at_once
    ] == [2, 3]


def test_top_of_a_currency_is_by_its_amounts_alone(brand, affiliate, rival):
    DailyFigures.objects.bulk_create(
        DailyFigures(
            brand=brand,
            day=MARCH.first,
            dimension=Dimension.AFFILIATE,
            affiliate=one,
            value="",
            currency=currency,
            **Figures(sales=1, pending=amount)._asdict(),
        )
        for one, currency, amount in (
            (affiliate, "EUR", 300),
            (rival, "EUR", 200),
            (rival, "USD", 900),
        )
    )
    count()

    def best(currency):
        asked = selectors.TopAsked(Dimension.AFFILIATE, metrics.COMMISSION, currency)
        [rows] = selectors.tops(
            brand.pk, MARCH, [asked], open_days=OpenDays(now=NOW), limit=1
        )
        return [
            (row.key, metrics.COMMISSION.of(row.statistics.in_currency(currency)))
            for row in rows
        ]

    assert best("EUR") == [(affiliate.pk, 300)]
    assert best("USD") == [(rival.pk, 900)]


def test_sale_of_an_order_given_away_is_the_others(
    brand, affiliate, rival, plan, order, till, staff
):
    till.pay()
    override_attribution(
        referral_id=order.pk,
        affiliate_id=rival.pk,
        reason="Theirs.",
        actor_id=staff.pk,
        now=PAID_AT,
    )
    both = [affiliate.pk, rival.pk]

    found = selectors.by_affiliate(both, now=PAID_AT)
    alone = [
        selectors.totals(brand.pk, MARCH, now=PAID_AT, affiliate_id=one) for one in both
    ]

    assert [found[one].in_currency("EUR").sales for one in both] == [0, 1]
    assert [one.in_currency("EUR").sales for one in alone] == [0, 1]


def test_share_came_by_no_click_of_the_recruited(brand, affiliate, rival, order, till):
    CommissionPlanFactory(brand=brand, is_default=True, recruiter_percent=50)
    affiliate.recruiter = rival
    affiliate.save()
    Click.objects.update(sub_id="mail")
    till.pay()

    def pending_by_sub_id(one):
        rows = selectors.breakdown(
            brand.pk, MARCH, Dimension.SUB_ID, now=PAID_AT, affiliate_id=one.pk
        )
        return {row.key: row.statistics.in_currency("EUR").pending for row in rows}

    assert pending_by_sub_id(affiliate) == {"mail": 1_000}
    assert pending_by_sub_id(rival) == {None: 500}


def test_sale_is_of_the_brands_day(brand, plan, order, till):
    brand.time_zone = "America/New_York"
    brand.save()
    till.pay(at=datetime(2026, 3, 7, 4, tzinfo=UTC))

    points = selectors.series(brand.pk, MARCH, Step.DAY, now=NOW)

    sold = [
        point.first for point in points if point.statistics.in_currency("EUR").sales
    ]
    assert sold == [date(2026, 3, 6)]


@pytest.mark.parametrize(
    ("status", "figures"),
    [
        (CommissionStatus.REJECTED, {"rejected": 1_000}),
        (CommissionStatus.REVERSED, {"taken_back": 300}),
        (CommissionStatus.HELD, {"held": 700, "taken_back": 300}),
    ],
)
def test_refunds_lower_every_amount_but_a_rejected_one(
    brand, affiliate, status, figures
):
    make_commission(affiliate, status, taken=300, now=PAID_AT)

    found = selectors.totals(brand.pk, MARCH, now=PAID_AT).in_currency("EUR")

    amounts = (
        "pending",
        "matured",
        "held",
        "approved",
        "paid",
        "rejected",
        "taken_back",
    )
    assert {name: getattr(found, name) for name in amounts if getattr(found, name)} == (
        figures
    )


def test_affiliates_of_a_list_are_asked_for_at_once(
    brand, affiliate, rival, django_assert_max_num_queries
):
    click(affiliate, NOW - timedelta(days=20))
    click(rival, NOW)
    count()

    with django_assert_max_num_queries(14):
        found = selectors.by_affiliate([affiliate.pk, rival.pk, 999], now=NOW)

    assert {pk: one.counts.clicks for pk, one in found.items()} == {
        affiliate.pk: 1,
        rival.pk: 1,
        999: 0,
    }
