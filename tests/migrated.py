"""A migrated database is kept between runs: migrating an empty one takes 10 seconds.

It is found again while no migration has changed: a SQLite in the temporary folder, on
PostgreSQL a template, one of few. ``migrate`` then runs on a copy of it as
on any database, and finds nothing left to do.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import django
import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader

from affiliates.brands import roles
from affiliates.conf import conf


@contextmanager
def kept_between_runs() -> Iterator[None]:
    # Asked of the connection: PostgreSQL's module cannot be imported without its driver.
    creation = type(connection.creation)
    create, create_empty = creation.create_test_db, creation._create_test_db

    def create_from_kept(self: Any, *arguments: Any, **options: Any) -> str:
        name = create_empty(self, *arguments, **options)
        if _path().exists():
            _fill(self.connection, name)
        return name

    def create_and_keep(self: Any, *arguments: Any, **options: Any) -> str:
        if _path().exists():
            return create(self, *arguments, **options)
        with _locked():
            name = create(self, *arguments, **options)
            if not _path().exists():
                _keep(self.connection.connection)
        return name

    def create_from_template(self: Any, *arguments: Any, **options: Any) -> str:
        return _from_template(self, lambda: create(self, *arguments, **options))

    with pytest.MonkeyPatch.context() as patch:
        if connection.vendor == "postgresql":
            patch.setattr(creation, "create_test_db", create_from_template)
        else:
            patch.setattr(creation, "_create_test_db", create_from_kept)
            patch.setattr(creation, "create_test_db", create_and_keep)
        yield


TEMPLATE = "affiliates_tests_"
# Of the portal, of the bare host, and of the same before a migration was changed.
KEPT_TEMPLATES = 4


def _from_template(creation: Any, create: Callable[[], str]) -> str:
    """The first to come migrates; others who need the same wait, and copy."""
    template = TEMPLATE + _digest()
    with creation._nodb_cursor() as cursor:
        # Migrating may take longer than a host lets a statement wait.
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("SET lock_timeout = 0")
        cursor.execute("SELECT pg_advisory_lock(%s)", [_lock_of(template)])
        kept = _templates(cursor)
        creation.connection.settings_dict["TEST"]["TEMPLATE"] = (
            template if template in kept else None
        )
        name = create()
        if template not in kept:
            creation.connection.close()
            for old in kept[KEPT_TEMPLATES - 1 :]:
                _drop_unless_copied(cursor, old)
            cursor.execute(f'CREATE DATABASE "{template}" TEMPLATE "{name}"')
    return name


def _templates(cursor: Any) -> list[str]:
    """Those of this user, newest first: nobody may copy another's."""
    cursor.execute(
        "SELECT datname FROM pg_database WHERE datdba = current_user::regrole"
        " AND starts_with(datname, %s) ORDER BY oid DESC",
        [TEMPLATE],
    )
    return [name for (name,) in cursor.fetchall()]


def _drop_unless_copied(cursor: Any, template: str) -> None:
    cursor.execute("SELECT pg_try_advisory_lock(%s)", [_lock_of(template)])
    if cursor.fetchone() == (True,):
        cursor.execute(f'DROP DATABASE IF EXISTS "{template}"')


def _lock_of(template: str) -> int:
    return int(template.removeprefix(TEMPLATE)[:15], 16)


@contextmanager
def _locked() -> Iterator[None]:
    """The first to come migrates; others who need the same wait, and copy."""
    with _path().with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@cache
def _path() -> Path:
    name = f"affiliates-tests-{os.getuid()}-{_digest()}.sqlite3"
    return Path(tempfile.gettempdir()) / name


@cache
def _digest() -> str:
    versions = (sqlite3.sqlite_version, *django.VERSION[:2])
    digest = hashlib.sha256(repr(versions).encode())
    for _, migration in sorted(MigrationLoader(None).disk_migrations.items()):
        module = sys.modules[migration.__module__]
        digest.update(Path(str(module.__file__)).read_bytes())
    # What `migrate` writes beside tables: the groups of staff.
    digest.update(Path(str(roles.__file__)).read_bytes())
    digest.update(repr(conf.role_permissions).encode())
    return digest.hexdigest()[:16]


def _fill(connection: Any, name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name
    connection.ensure_connection()
    with closing(sqlite3.connect(_path())) as migrated:
        migrated.backup(connection.connection)


def _keep(connection: Any) -> None:
    unfinished = _path().with_suffix(f".{os.getpid()}")
    with closing(sqlite3.connect(unfinished)) as migrated:
        connection.backup(migrated)
        # In the WAL mode of a server's database it could not become one in memory.
        migrated.execute("PRAGMA journal_mode = DELETE")
    unfinished.replace(_path())


def copy_template(name: str) -> bool:
    """Replaces the PostgreSQL ``name`` by a migrated one; False where none was kept yet."""
    template = TEMPLATE + _digest()
    with connection._nodb_cursor() as cursor:  # type: ignore[attr-defined]
        is_kept = template in _templates(cursor)
        if is_kept:
            cursor.execute("SET statement_timeout = 0")
            cursor.execute(f'DROP DATABASE "{name}"')
            cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
    return is_kept


def copy_migrated(path: Path) -> bool:
    """A migrated SQLite at ``path``; False where none was kept yet.

    One is, once the session's own database was made.
    """
    if not _path().exists():
        return False
    shutil.copyfile(_path(), path)
    return True


def copy_or_migrate(path: Path, migrate: Callable[[], object]) -> None:
    """A migrated SQLite at ``path``, which is kept if ``migrate`` has made it."""
    with _locked():
        if copy_migrated(path):
            return
        migrate()
        with closing(sqlite3.connect(path)) as migrated:
            _keep(migrated)
