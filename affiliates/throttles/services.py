"""Counts calls in fixed windows, for all processes together.

In the cache, if processes share it. Otherwise each process counts in its memory and
adds its calls to a row of the database, 5 % of the limit at a time: limits below 40 are
exact, and other processes may exceed a larger one by less than 5 % each. While the cache
does not answer, each process counts for itself.
"""

from __future__ import annotations

import logging
import time
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache
from django.db import connections, router
from django.utils.crypto import salted_hmac

from affiliates.throttles.breaker import Breaker
from affiliates.throttles.models import CallCount
from affiliates.waiting.aside import aside
from affiliates.worker.purges import register as register_purge

SHARE = 20
DAY_SECONDS = 86_400
# Of those that a process counts for itself.
MAX_CALLERS = 100_000
_ADD = (
    "INSERT INTO {table} (key, calls, ends_at) VALUES (%s, %s, %s)"
    " ON CONFLICT (key) DO UPDATE SET calls = {table}.calls + EXCLUDED.calls"
    " RETURNING calls"
)

logger = logging.getLogger(__name__)


def count_call(caller: str, *, limit: int, seconds: int) -> float | None:
    """Counts a call of ``caller``, which names what is limited too.

    Returns the seconds to wait if there were more than ``limit`` in this window, else
    None.
    """
    window, passed = divmod(time.time(), seconds)
    key = f"affiliates:throttle:{caller}:{window:.0f}"
    own = count = _increment(key, timeout=seconds)
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
    alias = router.db_for_write(CallCount)
    # A transaction of the host would take the count back, and keep its row locked.
    if connections[alias].in_atomic_block:
        return own
    key_of_others = f"{key}:others"
    others = int(cache.get(key_of_others, 0))
    step = max(1, limit // SHARE)
    if own % step or own + others > limit:
        return own + others
    try:
        total = aside(partial(_add, alias, key, step, ends_at))
    except Exception:  # noqa: BLE001 - a database that fails limits nobody more
        logger.warning("Throttle not shared: the database fails", exc_info=True)
        return own + others
    # Other threads of this process may have added their steps meanwhile.
    added = int(cache.get(key, own)) // step * step
    cache.set(key_of_others, max(others, total - added), DAY_SECONDS)
    return total


def _increment(key: str, *, timeout: int) -> int:
    if cache_breaker.may_try():
        try:
            count = _increment_or_add(caches["default"], key, timeout=timeout)
        except Exception:  # noqa: BLE001 - each cache backend has errors of its own
            if cache_breaker.fail():
                logger.warning("The cache does not answer", exc_info=True)
        else:
            cache_breaker.succeed()
            return count
    return _increment_or_add(_own_counts, key, timeout=timeout)


def _increment_or_add(counts: Any, key: str, *, timeout: int) -> int:
    try:
        return int(counts.incr(key))
    except ValueError:  # the first of its window
        return 1 if counts.add(key, 1, timeout) else int(counts.incr(key))


def _add(alias: str, key: str, calls: int, ends_at: datetime) -> int:
    connection: Any = connections[alias]
    digest = salted_hmac("affiliates.throttles", key, algorithm="sha256").hexdigest()
    table = connection.ops.quote_name(CallCount._meta.db_table)
    moment = connection.ops.adapt_datetimefield_value(ends_at)
    with connection.cursor() as cursor:
        cursor.execute(_ADD.format(table=table), [digest, calls, moment])
        ((total,),) = cursor.fetchall()
    return int(total)


cache_breaker = Breaker()
_own_counts = LocMemCache(
    "affiliates.throttle", {"OPTIONS": {"MAX_ENTRIES": MAX_CALLERS}}
)
