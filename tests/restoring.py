"""A database of a test's own that is backed up and restored, as an operator does."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.db import connection

from affiliates.db.deadlines.aside import close_aside


class OwnDatabase:
    """``name`` is the database, and on SQLite the path of its file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.backup = f"{name}_backup"

    def back_up(self) -> None:
        _close()
        _copy(self.name, self.backup)

    def restore(self) -> None:
        _close()
        _copy(self.backup, self.name)


@contextmanager
def own_database(folder: Path) -> Iterator[OwnDatabase]:
    """The default database within the block: at first a copy of the tests' own."""
    settings: Any = connection.settings_dict
    usual = settings["NAME"]
    is_file = connection.vendor == "sqlite"
    database = OwnDatabase(str(folder / "own") if is_file else f"{usual}_own")
    kept = None
    if is_file:
        with connection.cursor() as cursor:
            cursor.execute("VACUUM INTO %s", [database.name])
        # In memory, it is there while somebody is connected to it.
        kept, connection.connection = connection.connection, None
        _close()
    else:
        _close()
        _copy(usual, database.name)
    settings["NAME"] = database.name
    try:
        yield database
    finally:
        _close()
        settings["NAME"] = usual
        connection.connection = kept
        if not is_file:
            for copied in (database.name, database.backup):
                _execute(f'DROP DATABASE IF EXISTS "{copied}"')


def _close() -> None:
    """Ends this process's connections, those of its other threads too."""
    connection.close()
    close_aside()


def _copy(source: str, target: str) -> None:
    """Replaces the target. Nobody may be connected to either."""
    if connection.vendor == "sqlite":
        shutil.copyfile(source, target)
        return
    _execute(f'DROP DATABASE IF EXISTS "{target}"')
    _execute(f'CREATE DATABASE "{target}" TEMPLATE "{source}"')


def _execute(statement: str) -> None:
    with connection._nodb_cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute(statement)
