"""Nobody holds or awaits a lock of PostgreSQL for long."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from django.db import connection

import manage
from tests.races import needs_postgresql

ROOT = Path(__file__).resolve().parents[2]


@needs_postgresql
@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("statement_timeout", "30s"),
        ("lock_timeout", os.environ["DATABASE_LOCK_TIMEOUT"] + "s"),
        ("idle_in_transaction_session_timeout", "1min"),
    ],
)
def test_sessions_have_timeouts(db, setting, value):
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT current_setting(%s)::interval = %s::interval", [setting, value]
        )

        assert cursor.fetchone() == (True,)


def test_a_command_may_take_long(monkeypatch):
    ran_with = {}
    monkeypatch.setenv("SECRET_KEY", "x")
    monkeypatch.delenv("DATABASE_STATEMENT_TIMEOUT", raising=False)
    monkeypatch.setenv("DATABASE_IDLE_TIMEOUT", "5")
    monkeypatch.setattr(
        manage, "execute_from_command_line", lambda _: ran_with.update(os.environ)
    )

    manage.main()

    assert ran_with["DATABASE_STATEMENT_TIMEOUT"] == "0"
    assert ran_with["DATABASE_IDLE_TIMEOUT"] == "5"
    monkeypatch.delenv("DATABASE_STATEMENT_TIMEOUT")


def test_whoever_locks_a_row_keeps_nobody_from_naming_it():
    """FOR UPDATE keeps foreign keys waiting, FOR NO KEY UPDATE does not."""
    locks = [
        (path.name, arguments)
        for app in ("affiliates", "portal")
        for path in (ROOT / app).rglob("*.py")
        for arguments in re.findall(
            r"select_for_update\(([^()]*(?:\([^()]*\)[^()]*)*)\)", path.read_text()
        )
    ]

    assert len(locks) > 15
    assert [one for one in locks if "no_key=True" not in one[1]] == []
