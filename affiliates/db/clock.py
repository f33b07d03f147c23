"""Compares this machine's clock with the database's, which all machines share.

Cookies and payment webhooks of a machine whose clock is minutes off are refused by
others, and clicks are credited in the wrong order.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any

from django.db import connection

from affiliates.conf import conf

PATIENCE_SECONDS = 5


class WrongClock(Exception):
    """This machine's clock is too far from the database's."""


def clock_skew(database: Any) -> timedelta:
    """By how much the clocks differ at least, ahead or behind. SQLite uses this one."""
    if database.vendor != "postgresql":
        return timedelta()
    before = datetime.now(tz=UTC)
    with database.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        (there,) = cursor.fetchone()
    after = datetime.now(tz=UTC)
    skew: timedelta = max(there - after, before - there, timedelta())
    return skew


def is_wrong(skew: timedelta) -> bool:
    limit = conf.max_clock_skew_seconds
    return limit > 0 and skew > timedelta(seconds=limit)


def refuse_wrong_clock() -> None:
    """Raises WrongClock; for ``wsgi.py`` or ``asgi.py``, after the application is made.

    A database that does not answer within 5 seconds refuses nobody.
    """
    skew = _within(PATIENCE_SECONDS, _skew_of_own_connection)
    if is_wrong(skew):
        raise WrongClock(
            "The clocks of this machine and of the database are "
            f"{skew.total_seconds():,.0f} seconds apart, and "
            f"AFFILIATES_MAX_CLOCK_SKEW_SECONDS is {conf.max_clock_skew_seconds:g}. "
            "Have both set by NTP."
        )


def _skew_of_own_connection() -> timedelta:
    # Nothing is left open that a process forked later would share.
    database: Any = connection.copy()
    try:
        return clock_skew(database)
    except Exception:  # noqa: BLE001 - whatever is wrong with it, requests will say so
        return timedelta()
    finally:
        database.close()


def _within(seconds: float, look: Callable[[], timedelta]) -> timedelta:
    skews = [timedelta()]

    def run() -> None:
        skews.append(look())

    # ASGI servers may import the application inside their event loop.
    thread = Thread(target=run, daemon=True)
    thread.start()
    thread.join(seconds)
    return skews[-1]
