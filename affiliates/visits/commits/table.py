"""The clicks as the threads that share commits write them: on a connection of their own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import InterfaceError, OperationalError, connections

from affiliates.conf import conf
from affiliates.db.deadlines.aside import aside
from affiliates.db.deadlines.deadline import DatabaseAway, is_over
from affiliates.visits.click_sql import shared_sql
from affiliates.visits.outbox import as_json
from affiliates.visits.rules import ClickRow, DeliveryRow

# Of the deadline: the rest is for everything else.
LOCK_SHARE = 0.8
LOCK_NOT_AVAILABLE = "55P03"


class ClickTable:
    """A separate connection to the clicks, used by one thread at a time."""

    def __init__(self, alias: str) -> None:
        self._alias = alias
        self._wrapper: Any = None
        self._cursor: Any = None

    def insert(
        self, rows: Sequence[ClickRow], deliveries: Sequence[DeliveryRow] = ()
    ) -> None:
        """Insert and commit all rows or none.

        Raises DatabaseAway once the deadline has passed.
        """
        for is_last in (False, True):
            try:
                self._execute(rows, deliveries)
            except (OperationalError, InterfaceError) as error:
                if getattr(error.__cause__, "sqlstate", None) == LOCK_NOT_AVAILABLE:
                    raise
                # The rows may have been committed: the statement skips known ids.
                self.close()
                if is_over():
                    raise DatabaseAway("The click was not written in time.") from error
                if is_last:
                    raise
            else:
                return

    def close(self) -> None:
        if self._cursor is not None:
            self._cursor.connection.close()
            self._cursor = None

    def _execute(
        self, rows: Sequence[ClickRow], deliveries: Sequence[DeliveryRow]
    ) -> None:
        if self._cursor is None:
            self._wrapper, self._cursor = aside(partial(_connect, self._alias))
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
                    self._cursor.execute(f"SET LOCAL {_lock_timeout()}")
                    self._cursor.execute(statement, values)
            else:
                self._cursor.execute(statement, values)


def _connect(alias: str) -> tuple[Any, Any]:
    """A new autocommit connection as Django would make it, and its cursor."""
    wrapper: Any = connections[alias].copy()
    wrapper.settings_dict["OPTIONS"].pop("pool", None)
    wrapper.settings_dict["AUTOCOMMIT"] = True
    wrapper.ensure_connection()
    if not _is_pooled(wrapper):
        wrapper.connection.prepare_threshold = 0
        wrapper.connection.execute(f"SET {_lock_timeout()}")
    return wrapper, wrapper.Database.RawCursor(wrapper.connection)


def _lock_timeout() -> str:
    """All waiting visitors share a write: it waits for locks for a part of the deadline."""
    return f"lock_timeout = '{int(conf.visit_deadline_seconds * LOCK_SHARE * 1000)}ms'"


def _is_pooled(wrapper: Any) -> bool:
    """Whether a pooler keeps neither cursors, prepared statements nor settings."""
    return bool(wrapper.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"))
