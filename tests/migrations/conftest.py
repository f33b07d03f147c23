from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.migrated import copy_template
from tests.migrations.databases import empty_database


@pytest.fixture
def empty_url(tmp_path: Path, django_db_blocker) -> Iterator[str]:
    """The DATABASE_URL of an empty database."""
    with django_db_blocker.unblock(), empty_database(tmp_path, "empty") as url:
        yield url


@pytest.fixture
def migrated_url(django_db_setup: None, empty_url: str, django_db_blocker) -> str:
    """The DATABASE_URL of a migrated PostgreSQL, or of an empty one if none was kept."""
    with django_db_blocker.unblock():
        copy_template(empty_url.rpartition("/")[2])
    return empty_url
