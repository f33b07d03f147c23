"""What the worker keeps, whenever and however the rows change."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from io import StringIO
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from affiliates.brands.models.brand import Brand
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.statistics import feed, selectors
from affiliates.contrib.statistics.models import (
    CountedDay,
    DailyFigures,
    StatisticsChange,
    StatisticsState,
)
from affiliates.contrib.statistics.services import (
    count_changes,
    count_next,
    freeze_days,
    mark_changes,
)
from affiliates.contrib.statistics.types import Figures, Span, Step
from affiliates.privacy.retention.services import purge_clicks
from affiliates.referrals.models import OrderReferral
from affiliates.verification.guards import faulty_guards
from affiliates.visits.consent.withdrawal import withdraw
from affiliates.visits.cookie import ReferralCookie
from affiliates.visits.models import Click
from affiliates.visits.robots.rejudging import rejudge_clicks
from tests.affiliates.privacy.retention.clicks import purgeable
from tests.affiliates.till import PAID_AT
from tests.factories.affiliates import ClickFactory
from tests.factories.ledger import NOW as SOLD_AT
from tests.factories.program import make_commission
from tests.races import needs_postgresql

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)
# To PostgreSQL the clicks of the test's own transaction may still be followed by others.
STILL_LATE = 1 if connection.vendor == "postgresql" else 0
EVER = Span(date(2026, 2, 26), date(2026, 3, 12))


def click(affiliate, at):
    return ClickFactory(
        affiliate=affiliate,
        created_at=at,
        visitor_id="01920000-0000-7000-8000-000000000001",
    )


def count(now=NOW):
    return count_changes(now=lambda: now)


def by_day(brand):
    points = selectors.series(brand.pk, EVER, Step.DAY, now=NOW)
    return {
        point.first: point.statistics.counts.clicks
        for point in points
        if point.statistics
    }


def verified():
    printed = StringIO()
    try:
        call_command(
            "verify_statistics", "--from=2026-02-26", "--to=2026-03-12", stdout=printed
        )
    except SystemExit as end:
        return end.code, printed.getvalue()
    return 0, printed.getvalue()


def test_closed_day_is_counted_once_and_again_when_it_changes(brand, affiliate):
    click(affiliate, NOW - timedelta(days=2))
    assert count() == len(["the day itself", "the empty one after it"])
    assert count() == STILL_LATE

    click(affiliate, NOW - timedelta(days=2))
    click(affiliate, NOW)

    assert count() == 1
    assert by_day(brand) == {date(2026, 3, 8): 2, date(2026, 3, 10): 1}


def test_visitor_who_withdraws_is_no_longer_unique(brand, affiliate):
    clicks = [click(affiliate, NOW - timedelta(days=days)) for days in (2, 3)]
    count()
    held = ReferralCookie(
        visitor_id=UUID(clicks[0].visitor_id),
        click_id=clicks[0].pk,
        affiliate_id=affiliate.pk,
        issued_at=NOW,
        expires_at=NOW,
    )
    before = selectors.totals(brand.pk, EVER, now=NOW).counts

    withdraw(held, brand_id=brand.pk)
    count()

    after = selectors.totals(brand.pk, EVER, now=NOW).counts
    assert (before.clicks, before.human_clicks, before.unique_clicks) == (2, 2, 2)
    assert (after.clicks, after.human_clicks, after.unique_clicks) == (2, 2, 0)
    assert verified()[0] == 0


def test_a_click_that_is_judged_again_is_counted_anew(brand, affiliate):
    robot = click(affiliate, NOW - timedelta(days=2))
    Click.objects.filter(pk=robot.pk).update(user_agent="Lemmy/0.19.8")
    count()
    before = selectors.totals(brand.pk, EVER, now=NOW).counts

    list(rejudge_clicks(brand, since=NOW - timedelta(days=9), writes=True))
    count()

    after = selectors.totals(brand.pk, EVER, now=NOW).counts
    assert (before.clicks, before.human_clicks, before.unique_clicks) == (1, 1, 1)
    assert (after.clicks, after.human_clicks, after.unique_clicks) == (1, 0, 0)
    assert verified()[0] == 0


def test_what_is_written_without_signals_is_noticed(brand, affiliate):
    commission = make_commission(affiliate, CommissionStatus.PENDING, now=SOLD_AT)
    count()
    Commission.objects.filter(pk=commission.pk).update(status="held")
    assert StatisticsChange.objects.count() == 1

    assert count() >= 1

    whole = selectors.totals(brand.pk, EVER, now=NOW)
    assert whole.in_currency("EUR").held == commission.amount
    assert not StatisticsChange.objects.exists()


def test_days_are_counted_anew_by_another_time_zone(brand, affiliate):
    brand.time_zone = "UTC"
    brand.save()
    click(affiliate, datetime(2026, 3, 3, 4, tzinfo=UTC))
    count()
    assert by_day(brand) == {date(2026, 3, 3): 1}

    brand.time_zone = "America/New_York"
    brand.save()
    count()

    assert by_day(brand) == {date(2026, 3, 2): 1}
    assert verified()[0] == 0


def test_no_day_is_counted_or_frozen_by_a_time_zone_that_was_left(brand, affiliate):
    """A worker may have read the brand long before it comes to it."""
    of_worker = Brand.objects.get(pk=brand.pk)
    of_purge = Brand.objects.get(pk=brand.pk)
    click(affiliate, datetime(2026, 3, 3, 23, tzinfo=UTC))
    brand.time_zone = "Pacific/Auckland"
    brand.save()
    mark_changes(brand, now=NOW)

    while count_next(of_worker, now=NOW):
        pass
    freeze_days(of_purge, before=datetime(2026, 3, 6, tzinfo=UTC), now=NOW)

    assert by_day(brand) == {date(2026, 3, 4): 1}
    assert StatisticsState.objects.get().time_zone == "Pacific/Auckland"


def test_nothing_is_counted_before_the_days_of_a_new_time_zone_are_marked(
    brand, affiliate
):
    click(affiliate, datetime(2026, 3, 3, 23, tzinfo=UTC))
    mark_changes(brand, now=NOW)
    brand.time_zone = "Pacific/Auckland"
    brand.save()

    assert count_next(brand, now=NOW) is False

    assert not DailyFigures.objects.exists()
    count()
    assert by_day(brand) == {date(2026, 3, 4): 1}


def test_frozen_day_keeps_its_clicks_and_is_corrected_otherwise(
    brand, affiliate, monkeypatch
):
    monkeypatch.setattr(timezone, "now", lambda: NOW)
    click(affiliate, NOW - timedelta(days=5))
    click(affiliate, NOW - timedelta(days=1))
    count()

    before = datetime(2026, 3, 8, tzinfo=UTC)
    freeze_days(brand, before=before, now=NOW)
    assert CountedDay.objects.filter(is_frozen=True).count() == 3
    [old] = purgeable(brand, before)
    old.delete()
    call_command("rebuild_statistics", stdout=StringIO())

    assert by_day(brand) == {date(2026, 3, 5): 1, date(2026, 3, 9): 1}
    assert verified() == (
        0,
        "Compared 2026-02-26 to 2026-03-12. Everything agrees.\n",
    )


def test_counts_of_clicks_stay_when_the_job_deletes_them(brand, affiliate):
    brand.change(
        click_months=1,
        other_click_months=1,
        cookie_lifetime_days=30,
        attribution_window_days=30,
    )
    click(affiliate, NOW - timedelta(days=5))
    later = NOW + timedelta(days=52)

    assert purge_clicks(now=later) == "1 clicks deleted."

    assert not Click.objects.exists()
    assert by_day(brand) == {date(2026, 3, 5): 1}
    assert CountedDay.objects.filter(is_frozen=False, day__lt=NOW).count() == 0
    count(later)
    assert by_day(brand) == {date(2026, 3, 5): 1}


def test_verification_names_each_number_that_differs(brand, affiliate):
    click(affiliate, NOW - timedelta(days=2))
    count()
    StatisticsState.objects.update(clicks_seen=f"1:{2**60}:")
    DailyFigures.objects.filter(dimension="total").update(unique_clicks=7)

    assert verified() == (
        1,
        f"{brand}, 2026-03-08: total '' has 7 unique_clicks, the rows have 1.\n"
        "Compared 2026-02-26 to 2026-03-12. 1 findings.\n",
    )


def test_day_that_waits_for_the_worker_is_no_difference(brand, affiliate):
    click(affiliate, NOW - timedelta(days=2))
    count()
    click(affiliate, NOW - timedelta(days=2))

    assert verified()[0] == 0


NOTES = f"{OrderReferral._meta.db_table}_notes_insert"
ON_ORDERS = f"ON {OrderReferral._meta.db_table}"
MISSING = "is missing or switched off: statistics miss what changes."
CHANGED = "does not do what it should: statistics miss what changes."
needs_sqlite = pytest.mark.skipif(
    connection.vendor != "sqlite", reason="PostgreSQL's triggers call a function"
)
DROP = f"DROP TRIGGER {NOTES}"


@pytest.mark.parametrize(
    ("fault", "statements"),
    [
        pytest.param(MISSING, [DROP], marks=needs_sqlite),
        pytest.param(
            CHANGED,
            [
                DROP,
                f"CREATE TRIGGER {NOTES} AFTER insert {ON_ORDERS} BEGIN SELECT 1; END",
            ],
            marks=needs_sqlite,
        ),
        pytest.param(MISSING, [f"{DROP} {ON_ORDERS}"], marks=needs_postgresql),
        pytest.param(
            MISSING,
            [f"ALTER TABLE {OrderReferral._meta.db_table} DISABLE TRIGGER {NOTES}"],
            marks=needs_postgresql,
        ),
        pytest.param(
            CHANGED,
            [
                f"CREATE OR REPLACE FUNCTION {NOTES}() RETURNS trigger "
                "LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$"
            ],
            marks=needs_postgresql,
        ),
    ],
)
def test_faulty_trigger_is_found_and_put_right_and_all_is_counted_anew(
    fault, statements, brand, affiliate
):
    click(affiliate, NOW - timedelta(days=2))
    count()
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)

    assert [*feed.faulty_triggers()] == [(NOTES, fault)]
    assert [*faulty_guards()] == [(NOTES, fault)]
    status, said = verified()
    assert status == 1
    assert f"The trigger {NOTES} {fault} Run migrate.\n" in said
    feed.install_triggers()

    assert [*feed.faulty_triggers()] == []
    assert count() == 2


def test_database_that_was_restored_elsewhere_is_counted_anew(brand, affiliate):
    click(affiliate, NOW - timedelta(days=2))
    count()
    StatisticsState.objects.update(clicks_seen=f"1:{2**60}:")

    assert count() == 2


def test_what_is_no_brand_any_more_is_forgotten(brand, affiliate):
    click(affiliate, NOW - timedelta(days=2))
    count()
    StatisticsChange.objects.create(brand_id=12_345, at=NOW)

    count()

    assert not StatisticsChange.objects.exists()
    assert CountedDay.objects.filter(brand=brand).count() == 2


def test_a_day_is_closed_when_it_is_over(brand, affiliate):
    count(NOW - timedelta(days=3))
    click(affiliate, NOW - timedelta(days=2))
    assert not DailyFigures.objects.exists()

    assert count_next(brand, now=NOW)

    state = StatisticsState.objects.get()
    assert state.open_from == date(2026, 3, 8)
    while count_next(brand, now=NOW):
        pass
    total = DailyFigures.objects.get(dimension="total")
    assert (total.day, total.figures) == (date(2026, 3, 8), Figures(1, 1, 1))


def test_cancelled_refund_counts_on_the_day_of_its_cancellation(
    brand, affiliate, plan, order, till
):
    """By the brand's zone: half past eleven in London is the next day in Berlin."""
    Brand.objects.filter(pk=brand.pk).update(time_zone="Europe/Berlin")
    till.pay()
    till.refund("100.00")
    late = PAID_AT.replace(hour=23, minute=30) + timedelta(days=5)
    count()

    till.cancel("40.00", at=late)
    till.cancel(ref="cancellation-2", at=late)

    count()
    days = (PAID_AT.date(), (late + timedelta(days=1)).date())
    kept = {
        day: DailyFigures.objects.get(
            brand=brand, day=day, dimension="total", currency="EUR"
        )
        for day in days
    }
    names = ("sales", "reversals", "reversed_revenue", "taken_back", "pending")
    assert [[getattr(kept[day], name) for name in names] for day in days] == [
        [1, 1, 10000, 1000, 0],
        [0, -1, -10000, -1000, 1000],
    ]
    assert verified()[0] == 0


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_clicks_beside_a_long_transaction_are_looked_at_once(brand, affiliate):
    """Only its own clicks are late, whenever it ends."""
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("BEGIN")
            cursor.execute("SELECT pg_current_xact_id()")
            seen = click(affiliate, NOW - timedelta(days=2))
            count()
            state = StatisticsState.objects.get()

            assert [*feed.late_clicks(state, NOW)] == []

            of_long = "b" + str(seen.pk)[1:]
            names = [
                field.column
                for field in Click._meta.concrete_fields
                if field.column not in ("id", "created_at")
            ]
            columns = ", ".join(names)
            copied = f"SELECT %s, %s, {columns} FROM affiliates_click"  # noqa: S608
            cursor.execute(
                f"INSERT INTO affiliates_click (id, created_at, {columns}) {copied}",
                [of_long, NOW - timedelta(days=1)],
            )
            count()
            state = StatisticsState.objects.get()
            cursor.execute("COMMIT")

        assert [*feed.late_clicks(state, NOW)] == [NOW - timedelta(days=1)]
        assert count() == 1
    finally:
        other.close()
