"""On PostgreSQL: a table by months, made of an empty and of a full one, and dropped."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Event
from uuid import UUID

import pytest
from django.db import DatabaseError, connection, connections, transaction

from affiliates.core.days import month_start, months_later
from affiliates.core.ids import new_id
from affiliates.db.partitions import building, parts, replacing
from affiliates.db.partitions.building import LockUnavailable
from affiliates.db.partitions.parts import default_part, kept_part, month_part
from affiliates.privacy.retention.services import TABLE, partition_clicks, purge_clicks
from affiliates.visits.models import Click
from affiliates.visits.writer import write_click
from tests.affiliates.privacy.retention.clicks import click_at, put_back_partitions
from tests.affiliates.visits.writing import make_row
from tests.factories.affiliates import BrandFactory
from tests.races import needs_postgresql

pytestmark = [needs_postgresql, pytest.mark.django_db(transaction=True)]

NOW = datetime.now(UTC)
THIS_MONTH = month_start(NOW)
OLD = months_later(THIS_MONTH, -14)
FILL = """
INSERT INTO affiliates_click
    (id, created_at, brand_id, affiliate_id, visitor_id, source, affiliate_status,
     own_program, is_repeat, bot_signs, visit_url, referrer_url, user_agent, ip_prefix,
     redirect_reason, refused_redirect, external_affiliate)
SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0')
        || '7000' || lpad(to_hex((random() * 9e15)::bigint), 16, '8'))::uuid,
       at, %s, %s, gen_random_uuid(), 'path', 'active', true, false, '',
       'https://shop.example.com/', '', '', '', 'permitted', '', ''
FROM generate_series(%s::timestamptz, %s::timestamptz, %s::interval) AS at
"""


@pytest.fixture(autouse=True)
def _put_back():
    yield
    put_back_partitions()


def run(sql, *values):
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.fetchall() if cursor.description else []


def make_plain():
    """The table as Django made it, with the names of its indexes."""
    names = run(
        "SELECT c.relname, pg_get_indexdef(c.oid) FROM pg_index JOIN pg_class c"
        " ON c.oid = indexrelid WHERE indrelid = %s::regclass AND NOT indisprimary",
        TABLE,
    )
    columns = "INCLUDING DEFAULTS INCLUDING CONSTRAINTS"
    run(f"CREATE TABLE plain (LIKE {TABLE} {columns})")
    run(f"DROP TABLE {TABLE}")
    run(f"ALTER TABLE plain RENAME TO {TABLE}")
    run(f"ALTER TABLE {TABLE} ADD CONSTRAINT {TABLE}_pkey PRIMARY KEY (id)")
    for _, definition in names:
        run(definition.replace(" ON ONLY ", " ON "))


def fill(affiliate, first, end, every):
    run(FILL, affiliate.brand_id, affiliate.pk, first, end, every)
    return Click.objects.count()


def rows_by_part():
    rows = run(f"SELECT tableoid::regclass::text, count(*) FROM {TABLE} GROUP BY 1")  # noqa: S608
    return dict(rows)


def indexes():
    found = run(
        "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = %s ORDER BY 1",
        TABLE,
    )
    # PostgreSQL writes conditions otherwise when it reads its own text.
    return [(name, definition.partition(" WHERE ")[0]) for name, definition in found]


def name_of(month):
    return month_part(TABLE, month).name


def test_migrated_table_has_this_month_and_the_next_ones(affiliate):
    names = [part.name for part in parts.parts_of(connection, TABLE)]

    months = [name_of(months_later(THIS_MONTH, count)) for count in range(4)]
    assert names == [*months, default_part(TABLE).name]
    click_at(affiliate, NOW)
    click_at(affiliate, months_later(THIS_MONTH, 6))
    assert rows_by_part() == {name_of(THIS_MONTH): 1, default_part(TABLE).name: 1}


def test_months_are_created_ahead(affiliate):
    later = months_later(THIS_MONTH, 2)

    assert partition_clicks(now=later) == "2 months of clicks partitioned."

    click_at(affiliate, months_later(THIS_MONTH, 5))
    assert rows_by_part() == {name_of(months_later(THIS_MONTH, 5)): 1}
    assert partition_clicks(now=later) == ""


def test_clicks_of_months_that_had_no_partition_move_to_one(affiliate):
    month = months_later(THIS_MONTH, 5)
    click_at(affiliate, month)

    assert partition_clicks(now=month) == "4 months of clicks partitioned."

    assert rows_by_part() == {name_of(month): 1}


def test_id_is_unique_over_all_partitions(affiliate, settings):
    settings.AFFILIATES_CLICK_WRITER = "leader"
    row = make_row(affiliate.pk)
    for _ in range(2):
        write_click(row)

    assert [click.pk for click in Click.objects.all()] == [row.id]


def test_full_table_is_partitioned_while_visits_go_on(affiliate, monkeypatch, settings):
    settings.AFFILIATES_CLICK_WRITER = "leader"
    monkeypatch.setattr(replacing, "ROWS_AT_ONCE", 500)
    before = indexes()
    make_plain()
    first = months_later(THIS_MONTH, -2)
    count = fill(affiliate, first, NOW, "10 minutes")
    is_done, written = Event(), []

    def visit():
        mine = []
        while not is_done.is_set():
            row = make_row(affiliate.pk, id=new_id())
            write_click(row)
            mine.append(row.id)
        return mine

    with ThreadPoolExecutor(4) as pool:
        visitors = [pool.submit(visit) for _ in range(4)]
        try:
            said = partition_clicks(now=NOW)
        finally:
            is_done.set()
        written = [id_ for one in visitors for id_ in one.result()]

    assert said == "6 months of clicks partitioned."
    assert len(written) > 100
    assert Click.objects.count() == count + len(written)
    assert Click.objects.filter(pk__in=written).count() == len(written)
    months = [months_later(first, number) for number in range(3)]
    assert sorted(rows_by_part()) == [name_of(month) for month in months]
    assert indexes() == before
    assert partition_clicks(now=NOW) == ""


def test_old_months_are_dropped_but_for_the_clicks_that_orders_came_by(
    affiliate, order
):
    building.create_months(
        connection, TABLE, [OLD, months_later(OLD, 1), months_later(OLD, -1)]
    )
    kept = click_at(affiliate, OLD)
    earlier = click_at(affiliate, months_later(OLD, -1))
    click_at(affiliate, OLD)
    young = click_at(affiliate, months_later(OLD, 1))
    type(order).objects.update(click_id=kept.pk)

    said = purge_clicks(now=NOW)

    end = month_part(TABLE, OLD).end
    assert said == "2 months of clicks dropped."
    found = parts.parts_of(connection, TABLE)
    assert kept_part(TABLE, end) in found
    assert name_of(OLD) not in [part.name for part in found]
    left = set(Click.objects.filter(created_at__lt=THIS_MONTH))
    assert {kept, young} <= left
    assert earlier not in left
    assert rows_by_part()[kept_part(TABLE, end).name] == 1

    # The next month joins those that were kept before.
    assert purge_clicks(now=months_later(NOW.replace(day=1), 1)) == (
        "1 months of clicks dropped."
    )
    assert rows_by_part()[kept_part(TABLE, end).name] == 1
    assert kept in Click.objects.all()
    assert young not in Click.objects.all()


def test_month_that_one_brand_keeps_is_not_dropped(affiliate):
    BrandFactory(client_area="other.example.com", click_months=0)
    building.create_months(connection, TABLE, [OLD])
    click_at(affiliate, OLD)

    assert purge_clicks(now=NOW) == "1 clicks deleted."

    assert month_part(TABLE, OLD) in parts.parts_of(connection, TABLE)


def test_click_that_comes_while_its_month_is_rebuilt_is_copied(affiliate):
    building.create_months(connection, TABLE, [OLD])
    part = month_part(TABLE, OLD)
    clicks = [click_at(affiliate, OLD)]

    def insert_one():
        clicks.append(click_at(affiliate, OLD))
        return False

    seconds = replacing.replace(
        connection, TABLE, [part], [part], should_stop=insert_one
    )

    assert 0 < seconds < 1
    assert len(clicks) == 2
    assert set(Click.objects.all()) == set(clicks)
    assert rows_by_part() == {part.name: 2}


def test_click_cannot_be_changed_while_its_month_is_rebuilt(affiliate):
    building.create_months(connection, TABLE, [OLD])
    part = month_part(TABLE, OLD)
    click = click_at(affiliate, OLD, country="DE")

    def change():
        with pytest.raises(DatabaseError, match="try again later"):
            Click.objects.update(country="FR")
        with pytest.raises(DatabaseError, match="try again later"):
            Click.objects.all().delete()
        return False

    replacing.replace(connection, TABLE, [part], [part], should_stop=change)

    assert [one.country for one in Click.objects.filter(pk=click.pk)] == ["DE"]
    assert Click.objects.update(country="FR") == 1


def test_stopped_run_leaves_the_partitions_as_they_were(affiliate):
    building.create_months(connection, TABLE, [OLD])
    part = month_part(TABLE, OLD)
    click = click_at(affiliate, OLD)

    assert (
        replacing.replace(connection, TABLE, [part], [part], should_stop=lambda: True)
        is None
    )

    later = click_at(affiliate, OLD)
    assert rows_by_part() == {part.name: 2}
    assert replacing.replace(connection, TABLE, [part], [part]) > 0
    assert set(Click.objects.all()) == {click, later}
    assert run(f"SELECT relname FROM pg_class WHERE relname = 'new_{part.name}'") == []  # noqa: S608
    assert run("SELECT 1 FROM pg_proc WHERE proname = 'affiliates_click_copies'") == []


def test_long_read_delays_the_exchange_and_no_visit(affiliate, monkeypatch):
    monkeypatch.setattr(building, "MAX_ATTEMPTS", 2)
    monkeypatch.setattr(building, "PAUSE_SECONDS", 0)
    building.create_months(connection, TABLE, [OLD])
    part = month_part(TABLE, OLD)
    click_at(affiliate, OLD)
    reader = connections.create_connection("default")
    try:
        with reader.cursor() as cursor:
            cursor.execute(f"BEGIN; SELECT count(*) FROM {TABLE}")  # noqa: S608

            with pytest.raises(LockUnavailable, match="could not be locked"):
                replacing.replace(connection, TABLE, [part], [part])

            write_click(make_row(affiliate.pk))
    finally:
        reader.close()
    assert Click.objects.count() == 2
    assert replacing.replace(connection, TABLE, [part], [part]) > 0


@pytest.mark.parametrize("id_", [UUID(int=1), UUID(int=(1 << 128) - 1)])
def test_click_with_an_id_of_no_time_is_stored_and_stays(id_, affiliate):
    click_at(affiliate, NOW)
    click = click_at(affiliate, NOW)
    Click.objects.filter(pk=click.pk).delete()
    click.pk = id_
    click.save(force_insert=True)

    partition_clicks(now=NOW)

    assert Click.objects.filter(pk=id_).exists()
    with transaction.atomic():
        assert Click.objects.count() == 2
