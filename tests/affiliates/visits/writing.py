"""What the tests of the click writer share."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Event
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.db.models import Model

from affiliates.core.ids import new_id
from affiliates.visits.commits.leader import CommitLeader
from affiliates.visits.commits.table import ClickTable
from affiliates.visits.models import Click
from affiliates.visits.rules import ClickRow, DeliveryRow

VISITOR = UUID("01920000-0000-7000-8000-000000000001")
DEADLINE_SECONDS = 60

needs_shared_commits = pytest.mark.skipif(
    connection.vendor != "postgresql",
    reason="commits are shared on PostgreSQL only: set DATABASE_URL to one",
)


def make_row(affiliate_id: int = 7, **changes: Any) -> ClickRow:
    row = ClickRow(
        id=new_id(),
        created_at=datetime(2026, 3, 1, 12, 30, 15, tzinfo=UTC),
        brand_id=3,
        affiliate_id=affiliate_id,
        link_id=40_000,
        integration_id=None,
        external_affiliate="",
        visitor_id=VISITOR,
        source="path",
        affiliate_status="active",
        own_program=True,
        is_repeat=False,
        bot_signs="user_agent,prefetch",
        visit_url="https://shop.example.com/aff/1?q=%C3%A9&p=50%",
        referrer_url="https://blog.example.org/é'\"",
        user_agent="Mozilla/5.0",
        ip_prefix="203.0.113.0/24",
        redirect_reason="permitted",
        refused_redirect="",
    )
    return row._replace(**changes)


def stored_rows() -> list[ClickRow]:
    return [
        ClickRow(*values) for values in Click.objects.values_list(*ClickRow._fields)
    ]


def eventually(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        time.sleep(0.001)


class GatedTable(ClickTable):
    """Holds every insert until ``release``."""

    def __init__(self) -> None:
        super().__init__("default")
        self.is_entered = Event()
        self.release = Event()

    def insert(
        self, rows: Sequence[ClickRow], deliveries: Sequence[DeliveryRow] = ()
    ) -> None:
        self.is_entered.set()
        assert self.release.wait(DEADLINE_SECONDS)
        super().insert(rows, deliveries)


def write_behind_a_leader(
    table: GatedTable,
    rows: Iterable[ClickRow],
    *,
    first: ClickRow,
    deliveries: Mapping[UUID, DeliveryRow] | None = None,
) -> list[Future[None]]:
    """Write ``first`` alone, and all the others, in order, while it is being written.

    ``deliveries`` are queued with the clicks of these ids.
    """
    queued = deliveries or {}
    leader = CommitLeader(table)
    with ThreadPoolExecutor(max_workers=64) as pool:
        futures = [pool.submit(leader.write, first)]
        assert table.is_entered.wait(DEADLINE_SECONDS)
        for row in rows:
            futures.append(pool.submit(leader.write, row, queued.get(row.id)))
            eventually(lambda: len(leader._waiting) == len(futures) - 1)
        table.release.set()
        done, late = wait(futures, timeout=DEADLINE_SECONDS)
        assert not late
    assert not leader._is_led
    return futures


def errors_of(futures: Sequence[Future[None]]) -> list[type[BaseException] | None]:
    errors = [future.exception() for future in futures]
    return [None if error is None else type(error) for error in errors]


@contextmanager
def held_for_update(row: Model) -> Iterator[None]:
    """Somebody left a transaction open that holds the row."""
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("BEGIN")
            table = connection.ops.quote_name(row._meta.db_table)
            cursor.execute(f"SELECT 1 FROM {table} WHERE id = {row.pk} FOR UPDATE")  # noqa: S608 - no value from outside
        yield
    finally:
        other.close()
