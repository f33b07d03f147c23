from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait

import pytest
from django.db import DataError, IntegrityError, connection, transaction

from affiliates.visits.commits.leader import ClickStoreUnavailable
from affiliates.visits.commits.table import ClickTable
from affiliates.visits.models import Click
from affiliates.visits.writer import (
    close_click_connections,
    write_click,
)
from tests.affiliates.visits.writing import (
    GatedTable,
    errors_of,
    eventually,
    held_for_update,
    make_row,
    needs_shared_commits,
    stored_rows,
    write_behind_a_leader,
)

pytestmark = needs_shared_commits


@pytest.fixture
def shared_writes(transactional_db, settings) -> Iterator[None]:
    settings.AFFILIATES_CLICK_WRITER = "leader"
    yield
    close_click_connections()


@pytest.mark.parametrize("writer", ["leader", "direct"])
@pytest.mark.parametrize("_case", ["affiliate", "link", "brand"])
def test_a_click_waits_for_no_row_that_it_names(
    shared_writes, settings, link, writer, _case
):
    settings.AFFILIATES_CLICK_WRITER = writer
    affiliate = link.affiliate
    rows = {"affiliate": affiliate, "link": link, "brand": affiliate.brand}
    row = make_row(affiliate.pk, link_id=link.pk, brand_id=affiliate.brand_id)

    with held_for_update(rows[_case]), connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '1s'")
        write_click(row)
        cursor.execute("SET lock_timeout = '0'")

    assert stored_rows() == [row]


def other_connections() -> int:
    """Those that were closed a moment ago may still be among them."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            " AND backend_type = 'client backend'"
        )
        (count,) = cursor.fetchone()
    return int(count)


def terminate_other_connections() -> int:
    with connection.cursor() as cursor:
        # Returns once they are gone, or after the minute.
        cursor.execute(
            "SELECT count(pg_terminate_backend(pid, 60000)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        (count,) = cursor.fetchone()
    return int(count)


@pytest.mark.parametrize("link_id", [40_000, None])
def test_a_shared_write_stores_every_value(shared_writes, affiliate, link_id):
    row = make_row(affiliate.pk, link_id=link_id)

    write_click(row)

    assert stored_rows() == [row]


def test_a_click_is_committed_when_the_call_returns(shared_writes, affiliate):
    other = connection.copy()
    try:
        for count in range(1, 4):
            write_click(make_row(affiliate.pk))

            with other.cursor() as cursor:
                cursor.execute("SELECT count(*) FROM affiliates_click")
                assert cursor.fetchone() == (count,)
    finally:
        other.close()


def test_a_transaction_writes_on_its_own_connection(shared_writes, affiliate):
    with transaction.atomic():
        write_click(make_row(affiliate.pk))
        transaction.set_rollback(True)

    assert stored_rows() == []
    eventually(lambda: other_connections() == 0)


def test_32_threads_write_50_rows_each(shared_writes, affiliate):
    rows = [make_row(affiliate.pk) for _ in range(1_600)]

    with ThreadPoolExecutor(max_workers=32) as pool:
        list(pool.map(write_click, rows))

    assert sorted(stored_rows()) == sorted(rows)


@pytest.mark.parametrize(
    ("_case", "changes", "error"),
    [
        ("too long", {"source": "x" * 21}, DataError),
        ("NUL", {"visit_url": "a\x00b"}, DataError),
        ("lone surrogate", {"user_agent": "\ud800"}, UnicodeEncodeError),
        ("missing value", {"source": None}, IntegrityError),
    ],
)
def test_a_row_postgresql_refuses_fails_alone(
    shared_writes, affiliate, _case, changes, error
):
    table = GatedTable()
    first, *rest = [make_row(affiliate.pk) for _ in range(5)]
    rest[1] = rest[1]._replace(**changes)

    futures = write_behind_a_leader(table, rest, first=first)

    table.close()
    assert errors_of(futures) == [None, None, error, None, None]
    assert sorted(stored_rows()) == sorted([first, rest[0], *rest[2:]])


def test_a_lost_connection_loses_no_click_and_doubles_none(shared_writes, affiliate):
    rows = [make_row(affiliate.pk) for _ in range(1_600)]
    terminated = 0

    with ThreadPoolExecutor(max_workers=16) as pool:
        futures = [pool.submit(write_click, row) for row in rows]
        while wait(futures, timeout=0).not_done:
            terminated += terminate_other_connections()
            stored = Click.objects.count()
            # A write is tried twice: the second try is left alone.
            eventually(
                lambda stored=stored: (
                    Click.objects.count() > stored
                    or all(future.done() for future in futures)
                )
            )

    assert errors_of(futures) == [None] * 1_600
    assert terminated > 0
    assert sorted(stored_rows()) == sorted(rows)


def test_writing_a_committed_row_again_is_harmless(shared_writes, affiliate):
    rows = [make_row(affiliate.pk) for _ in range(3)]
    table = ClickTable("default")

    table.insert(rows[:2])
    table.insert(rows)

    table.close()
    assert sorted(stored_rows()) == sorted(rows)


def test_clicks_are_written_again_once_the_database_is_back(
    shared_writes, affiliate, monkeypatch
):
    row = make_row(affiliate.pk)
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "HOST", "/nonexistent")
        with pytest.raises(ClickStoreUnavailable):
            write_click(make_row(affiliate.pk))

    write_click(row)

    assert stored_rows() == [row]


def test_a_forked_process_opens_its_own_connection(shared_writes, affiliate):
    before, in_child, after = [make_row(affiliate.pk) for _ in range(3)]
    write_click(before)

    child = os.fork()
    if child == 0:
        code = 1
        try:
            write_click(in_child)
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    write_click(after)

    assert status == 0
    eventually(lambda: other_connections() == 1)
    assert sorted(stored_rows()) == sorted([before, in_child, after])
