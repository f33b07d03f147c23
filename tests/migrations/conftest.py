from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.migrations.databases import empty_database


@pytest.fixture
def empty_url(tmp_path: Path, django_db_blocker) -> Iterator[str]:
    """The DATABASE_URL of an empty database."""
    with django_db_blocker.unblock(), empty_database(tmp_path, "empty") as url:
        yield url
