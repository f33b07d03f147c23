"""What the portal makes of DATABASE_URL, the variables beside it, and REDIS_URL."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from portal import databases
from portal.environment import Environment
from tests.cases import each

SEVERAL = (
    "postgres://web:secret@db1:6432,db2:6432/affiliates"
    "?target_session_attrs=read-write&connect_timeout=2"
)


def completed(monkeypatch, url: str, **variables: str) -> dict[str, Any]:
    for name, value in {"DATABASE_URL": url, **variables}.items():
        monkeypatch.setenv(name, value)
    env = Environment()
    database: dict[str, Any] = env.db("DATABASE_URL")
    databases.complete(database, env)
    return database


def test_sessions_get_their_limits_from_the_portal(monkeypatch):
    limits = {
        "DATABASE_STATEMENT_TIMEOUT": "30",
        "DATABASE_LOCK_TIMEOUT": "0.5",
        "DATABASE_IDLE_TIMEOUT": "60",
    }

    database = completed(monkeypatch, "postgres:///affiliates", **limits)

    assert database["OPTIONS"]["options"] == (
        "-c jit=off -c statement_timeout=30000ms -c lock_timeout=500ms"
        " -c idle_in_transaction_session_timeout=60000ms"
    )
    assert "DISABLE_SERVER_SIDE_CURSORS" not in database


def test_a_pooler_gets_neither_options_nor_cursors(monkeypatch):
    database = completed(monkeypatch, SEVERAL, DATABASE_POOLER="transaction")

    assert database["DISABLE_SERVER_SIDE_CURSORS"] is True
    assert database["OPTIONS"] == {
        "target_session_attrs": "read-write",
        "connect_timeout": 2,
    }
    assert (database["HOST"], database["PORT"]) == ("db1,db2", "6432,6432")


@each(
    ("url", "pooler", "fault"),
    [
        (
            "postgres:///affiliates",
            "session",
            "DATABASE_POOLER is 'session': write transaction, or leave it unset.",
        ),
        (
            "sqlite:///affiliates.sqlite3",
            "transaction",
            "DATABASE_POOLER is set and DATABASE_URL names SQLite: leave it unset.",
        ),
    ],
)
def test_a_pooler_that_cannot_be_is_refused(url, pooler, fault, monkeypatch):
    with pytest.raises(ImproperlyConfigured) as caught:
        completed(monkeypatch, url, DATABASE_POOLER=pooler)

    assert str(caught.value) == fault


@each(
    ("url", "location", "options"),
    [
        ("redis://cache1:6379/0", "redis://cache1:6379/0", {}),
        (
            "rediss://:secret@cache1:6379/0?ssl_ca_certs=/etc/ca.crt",
            "rediss://:secret@cache1:6379/0",
            {"ssl_ca_certs": "/etc/ca.crt"},
        ),
        (
            "redis://cache1?socket_timeout=1.5",
            "redis://cache1",
            {"socket_timeout": 1.5},
        ),
    ],
)
def test_a_cache_has_limits_and_the_options_of_its_url(
    url, location, options, monkeypatch
):
    monkeypatch.setenv("NAME", url)

    cache = Environment().cache_url("NAME")

    limits = {"socket_connect_timeout": 0.25, "socket_timeout": 0.25}
    assert (cache["LOCATION"], cache["OPTIONS"]) == (location, limits | options)
