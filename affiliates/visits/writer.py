"""Writes clicks: a click is committed when ``write_click`` returns.

The notification of the tracking integration is committed with it, both or neither.

On PostgreSQL requests share commits. A request that finds the table idle writes at
once; later requests wait, and the first of them then writes all of theirs in one
INSERT.

Nobody waits longer than until the visit's deadline. A row that was not confirmed by then
may have been written or not; written again under its id, it is written once.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from django.db import (
    DataError,
    Error,
    IntegrityError,
    connections,
    router,
    transaction,
)

from affiliates.conf import conf
from affiliates.db.deadlines.aside import aside
from affiliates.db.deadlines.deadline import DatabaseAway, Deadline, seconds_left
from affiliates.visits.click_sql import insert_directly
from affiliates.visits.commits.leader import ClickStoreUnavailable, CommitLeader
from affiliates.visits.commits.table import ClickTable
from affiliates.visits.models import Click
from affiliates.visits.outbox import queue_directly
from affiliates.visits.rules import ClickRow, DeliveryRow

SQLITE_TIMEOUT_SECONDS = 5.0

logger = logging.getLogger(__name__)


def write_click(row: ClickRow, delivery: DeliveryRow | None = None) -> None:
    """Writes one click durably, or as a part of the current transaction.

    ``delivery`` is written with it, or left out if the database refuses it. A row that
    is there already stays as it is. Raises ClickStoreUnavailable if it cannot be written
    by the deadline.
    """
    connection: Any = connections[router.db_for_write(Click)]
    with Deadline(conf.visit_deadline_seconds):
        try:
            _write(row, delivery, connection)
        except (DataError, IntegrityError):
            raise
        except (Error, DatabaseAway) as error:
            raise ClickStoreUnavailable("The click cannot be stored.") from error


def close_click_connections() -> None:
    """Closes this process's connections; the next click connects again."""
    while _leaders:
        _leaders.popitem()[1].close()


def _shares_commits(connection: Any) -> bool:
    # Only psycopg 3 is supported; a host on psycopg2 writes directly.
    return conf.click_writer != "direct" and connection.Database.__name__ == "psycopg"


def _write(row: ClickRow, delivery: DeliveryRow | None, connection: Any) -> None:
    write = _write_directly
    if _shares_commits(connection) and not connection.in_atomic_block:
        write = _write_in_turn
    try:
        write(row, delivery, connection)
    except (DataError, IntegrityError) as error:
        if delivery is None:
            raise
        # Its integration may have been deleted since this process last looked.
        write(row, None, connection)
        # Without the database's message: it may quote the visitor's address.
        logger.error(
            "A click could not be queued for its tracking integration.",
            extra={
                "click_id": str(row.id),
                "integration_id": delivery.integration_id,
                "error": type(error).__name__,
            },
        )


def _write_in_turn(
    row: ClickRow, delivery: DeliveryRow | None, connection: Any
) -> None:
    _leader(connection.alias).write(row, delivery)


def _write_directly(
    row: ClickRow, delivery: DeliveryRow | None, connection: Any
) -> None:
    insert = partial(_insert, row, delivery, connection.alias)
    if connection.in_atomic_block:
        insert()
    elif connection.vendor == "sqlite":
        with _locks_awaited_until_the_deadline(connection):
            insert()
    else:
        aside(insert)


def _insert(row: ClickRow, delivery: DeliveryRow | None, alias: str) -> None:
    connection: Any = connections[alias]
    if delivery is None:
        insert_directly(row, connection)
        return
    with transaction.atomic(using=alias):
        insert_directly(row, connection)
        queue_directly(delivery, alias)


@contextmanager
def _locks_awaited_until_the_deadline(connection: Any) -> Iterator[None]:
    """SQLite's file is waited for no longer, on this thread's connection."""
    connection.ensure_connection()
    raw = connection.connection
    options = connection.settings_dict["OPTIONS"]
    usual = options.get("timeout", SQLITE_TIMEOUT_SECONDS)
    raw.execute(f"PRAGMA busy_timeout = {int((seconds_left() or 0) * 1000)}")
    try:
        yield
    finally:
        if connection.connection is raw:
            raw.execute(f"PRAGMA busy_timeout = {int(usual * 1000)}")


_leaders: dict[str, CommitLeader] = {}
# A child process must not use its parent's connection or wait for its threads.
os.register_at_fork(after_in_child=_leaders.clear)


def _leader(alias: str) -> CommitLeader:
    leader = _leaders.get(alias)
    if leader is None:
        leader = _leaders.setdefault(alias, CommitLeader(ClickTable(alias)))
    return leader
