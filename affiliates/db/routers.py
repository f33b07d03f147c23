"""Lets reports read from a standby: AFFILIATES_REPORTS_DATABASE and this router.

A decision must not read from a standby, which may be behind. So only reports do, each
by ``from_reports_database``; all other reads and all writes stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS

from affiliates.conf import conf
from affiliates.db.reading import read_from


@contextmanager
def from_reports_database() -> Iterator[None]:
    """A block or function whose reads of our tables may be some seconds old.

    Querysets are made and read inside it. A write or a lock inside it fails.
    """
    with read_from(conf.reports_database):
        yield


class ReportsRouter:
    """For DATABASE_ROUTERS. Nothing is written to the standby or migrated there."""

    def db_for_write(self, model: Any, **hints: Any) -> str | None:
        # A row that a report read would be written where it was read.
        instance = hints.get("instance")
        is_read_there = instance is not None and self._is_reports(instance._state.db)
        return DEFAULT_DB_ALIAS if is_read_there else None

    def allow_relation(self, row: Any, other: Any, **hints: Any) -> bool | None:
        aliases = {row._state.db, other._state.db}
        return True if any(map(self._is_reports, aliases)) else None

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool | None:
        return False if self._is_reports(db) else None

    def _is_reports(self, alias: str | None) -> bool:
        return alias is not None and alias == conf.reports_database != DEFAULT_DB_ALIAS
