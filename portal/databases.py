"""Completes the database that DATABASE_URL names, by the other variables."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ImproperlyConfigured

from portal.environment import Environment

SQLITE = "django.db.backends.sqlite3"
TRANSACTION = "transaction"
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
}


def complete(database: dict[str, Any], env: Environment) -> None:
    """Raises ImproperlyConfigured if DATABASE_POOLER cannot be used."""
    pooler = env.str("DATABASE_POOLER", default="")
    if pooler not in ("", TRANSACTION):
        raise ImproperlyConfigured(
            f"DATABASE_POOLER is {pooler!r}: write {TRANSACTION}, or leave it unset."
        )
    if database["ENGINE"] == SQLITE:
        if pooler:
            raise ImproperlyConfigured(
                "DATABASE_POOLER is set and DATABASE_URL names SQLite: leave it unset."
            )
        database["OPTIONS"] = dict(SQLITE_OPTIONS)
        return
    database["CONN_MAX_AGE"] = env.int("CONN_MAX_AGE", default=600)
    database["CONN_HEALTH_CHECKS"] = True
    if pooler:
        # Cursors and prepared statements outlive a transaction, and so would the
        # options of a session: the pooler gives those (deploy/many/pgbouncer.ini).
        database["DISABLE_SERVER_SIDE_CURSORS"] = True
    else:
        database.setdefault("OPTIONS", {}).setdefault("options", _session(env))


def _session(env: Environment) -> str:
    # So that nobody holds or awaits a lock, and with it others, for long: in seconds.
    limits = {
        "statement_timeout": env.int("DATABASE_STATEMENT_TIMEOUT", default=30),
        "lock_timeout": env.float("DATABASE_LOCK_TIMEOUT", default=10),
        "idle_in_transaction_session_timeout": env.int(
            "DATABASE_IDLE_TIMEOUT", default=60
        ),
    }
    # Compiling a page's query takes longer than the query.
    return "-c jit=off " + " ".join(
        f"-c {name}={limit * 1000:.0f}ms" for name, limit in limits.items()
    )
