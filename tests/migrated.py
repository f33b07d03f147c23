"""A migrated SQLite is kept between runs: migrating an empty one takes seconds each time.

It is found again while no migration has changed. Whatever is kept, ``migrate`` runs on
a copy of it as on any database, and finds nothing left to do.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from django.db.backends.sqlite3.creation import DatabaseCreation
from django.db.migrations.loader import MigrationLoader

from affiliates import roles
from affiliates.conf import conf


@contextmanager
def kept_between_runs() -> Iterator[None]:
    create = DatabaseCreation.create_test_db
    create_empty = DatabaseCreation._create_test_db

    def create_from_kept(self: Any, *arguments: Any, **options: Any) -> str:
        name = create_empty(self, *arguments, **options)
        if _path().exists():
            _fill(self.connection, name)
        return name

    def create_and_keep(self: Any, *arguments: Any, **options: Any) -> str:
        name = create(self, *arguments, **options)
        if not _path().exists():
            _keep(self.connection)
        return name

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseCreation, "_create_test_db", create_from_kept)
        patch.setattr(DatabaseCreation, "create_test_db", create_and_keep)
        yield


@cache
def _path() -> Path:
    digest = hashlib.sha256(sqlite3.sqlite_version.encode())
    for _, migration in sorted(MigrationLoader(None).disk_migrations.items()):
        module = sys.modules[migration.__module__]
        digest.update(Path(str(module.__file__)).read_bytes())
    # What `migrate` writes beside tables: the groups of staff.
    digest.update(Path(str(roles.__file__)).read_bytes())
    digest.update(repr(conf.role_permissions).encode())
    name = f"affiliates-tests-{os.getuid()}-{digest.hexdigest()[:16]}.sqlite3"
    return Path(tempfile.gettempdir()) / name


def _fill(connection: Any, name: str) -> None:
    connection.close()
    connection.settings_dict["NAME"] = name
    connection.ensure_connection()
    with closing(sqlite3.connect(_path())) as migrated:
        migrated.backup(connection.connection)


def _keep(connection: Any) -> None:
    unfinished = _path().with_suffix(f".{os.getpid()}")
    with closing(sqlite3.connect(unfinished)) as migrated:
        connection.connection.backup(migrated)
    unfinished.replace(_path())


def copy_migrated(path: Path) -> None:
    """A migrated SQLite at ``path``, once the session's own database was made."""
    shutil.copyfile(_path(), path)
