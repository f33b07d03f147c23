"""The demonstration's year as the tests' database."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connection, connections

from portal import settings as portal_settings
from tests.browser.kept_year import copy_year, environment_of_year


@pytest.fixture
def year(db: None, tmp_path: Path, settings: Any) -> Iterator[None]:
    """On SQLite the kept one; PostgreSQL writes rows in another way."""
    if connection.vendor == "postgresql":
        call_command("seed_demo", "--year", stdout=StringIO())
        yield
        return
    path = tmp_path / "year.sqlite3"
    copy_year(path)
    environment = environment_of_year(path)
    settings.SECRET_KEY = environment["SECRET_KEY"]
    settings.AFFILIATES_COOKIE_KEYS = environment["AFFILIATES_COOKIE_KEYS"]
    settings.MEDIA_ROOT = environment["MEDIA_ROOT"]
    settings.PASSWORD_HASHERS = portal_settings.PASSWORD_HASHERS
    original = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = opened = original.copy()
    opened.settings_dict["NAME"] = str(path)
    yield
    opened.close()
    connections[DEFAULT_DB_ALIAS] = original
