"""Empty databases beside the tests' own, of its kind.

The tests' own is not asked for: on PostgreSQL one process migrates it while another one
is at work here.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

from tests.database import database_url


@contextmanager
def empty_database(folder: Path, name: str) -> Iterator[str]:
    """The DATABASE_URL of one that is gone when the block ends."""
    if connection.vendor != "postgresql":
        yield f"sqlite:///{folder}/{name}.sqlite3"
        return
    name = f"{connection.settings_dict['NAME']}_{name}_{os.getpid()}"
    with _created(name):
        yield database_url().rpartition("/")[0] + f"/{name}"


@contextmanager
def copied_database(url: str, folder: Path, name: str) -> Iterator[str]:
    """The DATABASE_URL of a copy that is gone when the block ends."""
    if connection.vendor != "postgresql":
        path = folder / f"{name}.sqlite3"
        shutil.copyfile(url.removeprefix("sqlite:///"), path)
        yield f"sqlite:///{path}"
        return
    origin = url.rpartition("/")[2]
    copy = f"{origin.partition('_copy')[0]}_copy{name}"
    with _created(copy, f'TEMPLATE "{origin}"'):
        yield f"{url.rpartition('/')[0]}/{copy}"


@contextmanager
def _created(name: str, options: str = "") -> Iterator[None]:
    with connection._nodb_cursor() as cursor:
        # Both statements wait for the server's disk, which others write to.
        cursor.execute("SET statement_timeout = 0")
        cursor.execute(f'CREATE DATABASE "{name}" {options}')
        try:
            yield
        finally:
            cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
