"""The tests' own database, for the processes that a test starts."""

from __future__ import annotations

from urllib.parse import quote

from django.db import connection


def database_url() -> str:
    """What DATABASE_URL must be for a process to work on it; PostgreSQL only."""
    database = connection.settings_dict
    user, password, host = (
        quote(database[part] or "", safe="") for part in ("USER", "PASSWORD", "HOST")
    )
    return f"postgres://{user}:{password}@{host}:{database['PORT']}/{database['NAME']}"
