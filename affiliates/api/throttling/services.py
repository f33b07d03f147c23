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
from functools import lru_cache, partial
from typing import Any

from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache
from django.db import connections, router
from django.utils.crypto import salted_hmac
from django.utils.module_loading import import_string

from affiliates.api.throttling.breaker import Breaker
from affiliates.api.throttling.models import CallCount
from affiliates.api.throttling.own import OwnCounts
from affiliates.db.deadlines.aside import aside
from affiliates.worker.purges import register as register_purge

SHARE = 20
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
    cache = shared_cache()
    if cache is None:
        count = _count_together(caller, window, limit=limit, seconds=seconds)
    else:
        count = _count_in(cache, caller, window, seconds=seconds)
    return None if count <= limit else seconds - passed


def shared_cache() -> Any:
    """The cache, unless it is one of this process alone."""
    # Not the cache itself: a visit pays for finding it.
    backend = caches.settings["default"]["BACKEND"]
    return None if _is_of_one_process(backend) else caches["default"]


@register_purge("counts of calls deleted")
def delete_ended(*, now: datetime) -> int:
    return CallCount.objects.filter(ends_at__lte=now).delete()[0]


@lru_cache
def _is_of_one_process(backend: str) -> bool:
    return issubclass(import_string(backend), LocMemCache)


def _count_together(caller: str, window: float, *, limit: int, seconds: int) -> int:
    """The calls of all processes; those of others as of this process's last step."""
    own, calls = own_counts.add(caller, window)
    known = calls + own.others
    step = max(1, limit // SHARE)
    if known > limit or calls % step:
        return known
    alias = router.db_for_write(CallCount)
    # A transaction of the host would take the count back, and keep its row locked.
    if connections[alias].in_atomic_block:
        return known
    ends_at = datetime.fromtimestamp((window + 1) * seconds, tz=UTC)
    try:
        total = aside(partial(_add, alias, _key(caller, window), step, ends_at))
    except Exception:  # noqa: BLE001 - a database that fails limits nobody more
        logger.warning("Throttle not shared: the database fails", exc_info=True)
        return known
    own_counts.learn(own, total=total, step=step)
    return total


def _count_in(cache: Any, caller: str, window: float, *, seconds: int) -> int:
    """The calls of all processes; while the cache does not answer, this one's alone."""
    if cache_breaker.may_try():
        try:
            count = _increment(cache, _key(caller, window), timeout=seconds)
        except Exception:  # noqa: BLE001 - each cache backend has errors of its own
            if cache_breaker.fail():
                logger.warning("The cache does not answer", exc_info=True)
        else:
            cache_breaker.succeed()
            return count
    return own_counts.add(caller, window)[1]


def _key(caller: str, window: float) -> str:
    return f"affiliates:throttle:{caller}:{window:.0f}"


def _increment(cache: Any, key: str, *, timeout: int) -> int:
    try:
        return int(cache.incr(key))
    except ValueError:  # the first of its window
        return 1 if cache.add(key, 1, timeout) else int(cache.incr(key))


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
own_counts = OwnCounts()
