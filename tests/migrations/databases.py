"""Empty databases beside the tests' own, of its kind."""

from __future__ import annotations

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
    name = f"{connection.settings_dict['NAME']}_{name}"
    with connection.cursor() as cursor:
        cursor.execute(f'DROP DATABASE IF EXISTS "{name}"')
        cursor.execute(f'CREATE DATABASE "{name}"')
        try:
            yield database_url().rpartition("/")[0] + f"/{name}"
        finally:
            cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
