"""Writes clicks: a click is committed when ``write_click`` returns.

The notification of the tracking integration is committed with it, both or neither.

On PostgreSQL requests share commits. A request that finds the table idle writes at
once; later requests wait, and the first of them then writes all of theirs in one
INSERT.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from threading import Lock
from typing import Any

from django.db import (
    DataError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    connections,
    router,
    transaction,
)

from affiliates.conf import conf
from affiliates.visits.click_sql import insert_directly, shared_sql
from affiliates.visits.models import Click
from affiliates.visits.outbox import as_json, queue_directly
from affiliates.visits.rules import ClickRow, DeliveryRow

MAX_WAITING = 500
MAX_BATCH = 32
CONNECT_TIMEOUT_SECONDS = 5
# All waiting visitors share a write, and only deliveries wait for locks.
LOCK_TIMEOUT = "lock_timeout = '1s'"
LOCK_NOT_AVAILABLE = "55P03"

logger = logging.getLogger(__name__)


class ClickStoreUnavailable(Exception):
    """The click cannot be stored at the moment; the same visit may be sent again."""


def write_click(row: ClickRow, delivery: DeliveryRow | None = None) -> None:
    """Writes one click durably, or as a part of the current transaction.

    ``delivery`` is written with it, or left out if the database refuses it.
    """
    connection: Any = connections[router.db_for_write(Click)]
    try:
        _write(row, delivery, connection)
    except (OperationalError, InterfaceError) as error:
        raise ClickStoreUnavailable("The click store cannot be reached.") from error


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
    if delivery is None:
        insert_directly(row, connection)
        return
    with transaction.atomic(using=connection.alias):
        insert_directly(row, connection)
        queue_directly(delivery, connection.alias)


class ClickTable:
    """A separate connection to the clicks, used by one thread at a time."""

    def __init__(self, alias: str) -> None:
        self._alias = alias
        self._wrapper: Any = None
        self._cursor: Any = None

    def insert(
        self, rows: Sequence[ClickRow], deliveries: Sequence[DeliveryRow] = ()
    ) -> None:
        """Insert and commit all rows or none."""
        try:
            self._execute(rows, deliveries)
        except (OperationalError, InterfaceError) as error:
            if getattr(error.__cause__, "sqlstate", None) == LOCK_NOT_AVAILABLE:
                raise
            # The rows may have been committed: the statement skips known ids.
            self.close()
            self._execute(rows, deliveries)

    def close(self) -> None:
        if self._cursor is not None:
            self._cursor.connection.close()
            self._cursor = None

    def _execute(
        self, rows: Sequence[ClickRow], deliveries: Sequence[DeliveryRow]
    ) -> None:
        if self._cursor is None:
            self._wrapper, self._cursor = _connect(self._alias)
        # As text, ids of any size and NULL fit one prepared statement.
        values = [
            str(value) if type(value) is int else value for row in rows for value in row
        ]
        if deliveries:
            values.append(as_json(deliveries))
        statement = shared_sql(self._alias, len(rows), queues=bool(deliveries))
        with self._wrapper.wrap_database_errors:
            if deliveries and _is_pooled(self._wrapper):
                # The session is another client's after this transaction.
                with self._wrapper.connection.transaction():
                    self._cursor.execute(f"SET LOCAL {LOCK_TIMEOUT}")
                    self._cursor.execute(statement, values)
            else:
                self._cursor.execute(statement, values)


def _connect(alias: str) -> tuple[Any, Any]:
    """A new autocommit connection as Django would make it, and its cursor."""
    wrapper: Any = connections[alias].copy()
    options = wrapper.settings_dict["OPTIONS"]
    options.pop("pool", None)
    options.setdefault("connect_timeout", CONNECT_TIMEOUT_SECONDS)
    wrapper.settings_dict["AUTOCOMMIT"] = True
    wrapper.ensure_connection()
    if not _is_pooled(wrapper):
        wrapper.connection.prepare_threshold = 0
        wrapper.connection.execute(f"SET {LOCK_TIMEOUT}")
    return wrapper, wrapper.Database.RawCursor(wrapper.connection)


def _is_pooled(wrapper: Any) -> bool:
    """Whether a pooler keeps neither cursors, prepared statements nor settings."""
    return bool(wrapper.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"))


class CommitLeader:
    """Lets threads that write at the same time share statements and commits.

    At most one thread leads. It writes the waiting rows, its own first, and hands the
    lead to the first thread that came meanwhile. It has no thread or timer of its own:
    an idle leader costs nothing and delays nobody.
    """

    def __init__(self, table: ClickTable) -> None:
        self._table = table
        self._lock = Lock()
        self._waiting: list[_Pending] = []
        self._is_led = False

    def write(self, row: ClickRow, delivery: DeliveryRow | None = None) -> None:
        """Returns when the row is committed; raises the error that prevented it."""
        pending = _Pending(row, delivery)
        if not self._join(pending):
            self._await_turn(pending)
        if not pending.is_settled:
            self._lead(pending)
        if pending.error is not None:
            raise pending.error

    def close(self) -> None:
        self._table.close()

    def _join(self, pending: _Pending) -> bool:
        """Whether the new row's thread leads."""
        with self._lock:
            if len(self._waiting) >= MAX_WAITING:
                raise ClickStoreUnavailable("Too many clicks are waiting.")
            self._waiting.append(pending)
            leads = not self._is_led
            self._is_led = True
            return leads

    def _await_turn(self, pending: _Pending) -> None:
        try:
            pending.turn.acquire()
        except BaseException:
            with self._lock:
                if pending in self._waiting:
                    self._waiting.remove(pending)
            if pending.is_heir:
                self._hand_over([])
            raise

    def _lead(self, own: _Pending) -> None:
        with self._lock:
            batch = self._waiting[:MAX_BATCH]
            del self._waiting[:MAX_BATCH]
        try:
            self._write(batch)
        finally:
            # Only a thread that is being ended leaves rows behind. Another may write
            # them again: a committed id is skipped.
            self._hand_over(
                [one for one in batch if not one.is_settled and one is not own]
            )
            for one in batch:
                if one.is_settled:
                    one.turn.release()

    def _write(self, batch: Sequence[_Pending]) -> None:
        try:
            self._table.insert(
                [one.row for one in batch],
                [one.delivery for one in batch if one.delivery is not None],
            )
        except (OperationalError, InterfaceError) as error:
            for one in batch:
                one.settle(error)
        except Exception as error:  # noqa: BLE001 - raised again where the row came from
            if len(batch) == 1:
                batch[0].settle(error)
                return
            for one in batch:
                self._write([one])
        else:
            for one in batch:
                one.settle(None)

    def _hand_over(self, left_behind: Sequence[_Pending]) -> None:
        with self._lock:
            self._waiting[:0] = left_behind
            self._is_led = bool(self._waiting)
            if self._waiting:
                self._waiting[0].is_heir = True
                self._waiting[0].turn.release()


class _Pending:
    """A row to be written, and the lock on which its thread waits for the leader."""

    __slots__ = ("delivery", "error", "is_heir", "is_settled", "row", "turn")

    def __init__(self, row: ClickRow, delivery: DeliveryRow | None = None) -> None:
        self.row = row
        self.delivery = delivery
        self.error: Exception | None = None
        self.is_settled = False
        self.is_heir = False
        self.turn = Lock()
        self.turn.acquire()

    def settle(self, error: Exception | None) -> None:
        self.error = error
        self.is_settled = True


_leaders: dict[str, CommitLeader] = {}
# A child process must not use its parent's connection or wait for its threads.
os.register_at_fork(after_in_child=_leaders.clear)


def _leader(alias: str) -> CommitLeader:
    leader = _leaders.get(alias)
    if leader is None:
        leader = _leaders.setdefault(alias, CommitLeader(ClickTable(alias)))
    return leader
