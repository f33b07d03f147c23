"""Counts calls in fixed windows, for all processes together.

In the cache, if processes share it. Otherwise each process counts in its memory and
adds its calls to a row of the database, 5 % of the limit at a time: limits below 40 are
exact, and other processes may exceed a larger one by less than 5 % each.
"""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime
from typing import Any

from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache
from django.db import connections, router
from django.utils.crypto import salted_hmac

from affiliates.throttles.models import CallCount
from affiliates.worker.purges import register as register_purge

SHARE = 20
DAY_SECONDS = 86_400
_ADD = (
    "INSERT INTO {table} (key, calls, ends_at) VALUES (%s, %s, %s)"
    " ON CONFLICT (key) DO UPDATE SET calls = {table}.calls + EXCLUDED.calls"
    " RETURNING calls"
)

logger = logging.getLogger(__name__)


def count_call(caller: str, *, limit: int, seconds: int) -> float | None:
    """Counts a call of ``caller``, which names what is limited too.

    Returns the seconds to wait if there were more than ``limit`` in this window, else
    None. Nobody is refused because calls cannot be counted.
    """
    window, passed = divmod(time.time(), seconds)
    key = f"affiliates:throttle:{caller}:{window:.0f}"
    try:
        own = _increment(caches["default"], key, timeout=seconds)
    except Exception:  # noqa: BLE001 - each cache backend has errors of its own
        logger.warning("Throttle not counted: the cache does not answer", exc_info=True)
        return None
    count = own
    if own <= limit and isinstance(caches["default"], LocMemCache):
        ends_at = datetime.fromtimestamp((window + 1) * seconds, tz=UTC)
        count = _count_together(key, own, limit=limit, ends_at=ends_at)
    return None if count <= limit else seconds - passed


@register_purge("counts of calls deleted")
def delete_ended(*, now: datetime) -> int:
    return CallCount.objects.filter(ends_at__lte=now).delete()[0]


def _count_together(key: str, own: int, *, limit: int, ends_at: datetime) -> int:
    """The calls of all processes, of which ``own`` are this one's.

    Those of others are as of this process's last step.
    """
    cache = caches["default"]
    connection: Any = connections[router.db_for_write(CallCount)]
    # A transaction of the host would take the count back, and keep its row locked.
    if connection.in_atomic_block:
        return own
    key_of_others = f"{key}:others"
    others = int(cache.get(key_of_others, 0))
    step = max(1, limit // SHARE)
    if own % step or own + others > limit:
        return own + others
    try:
        total = _add(connection, key, step, ends_at)
    except Exception:  # noqa: BLE001 - a database that fails limits nobody more
        logger.warning("Throttle not shared: the database fails", exc_info=True)
        return own + others
    # Other threads of this process may have added their steps meanwhile.
    added = int(cache.get(key, own)) // step * step
    cache.set(key_of_others, max(others, total - added), DAY_SECONDS)
    return total


def _increment(cache: Any, key: str, *, timeout: int) -> int:
    try:
        return int(cache.incr(key))
    except ValueError:  # the first of its window
        return 1 if cache.add(key, 1, timeout) else int(cache.incr(key))


def _add(connection: Any, key: str, calls: int, ends_at: datetime) -> int:
    digest = salted_hmac("affiliates.throttles", key, algorithm="sha256").hexdigest()
    table = connection.ops.quote_name(CallCount._meta.db_table)
    moment = connection.ops.adapt_datetimefield_value(ends_at)
    with connection.cursor() as cursor:
        cursor.execute(_ADD.format(table=table), [digest, calls, moment])
        ((total,),) = cursor.fetchall()
    return int(total)
