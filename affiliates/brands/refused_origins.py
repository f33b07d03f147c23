"""Records the hosts whose pages are refused, for operators: few, and for a day.

Anybody can send any Origin header. A process writes a host at most once in ten minutes
and at most ten hosts a minute; of all processes' hosts, the latest 50 are kept.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from django.db import Error, connections, router

from affiliates.brands.models.domain import MAX_HOST_LENGTH, BrandDomain
from affiliates.brands.models.refused_origin import RefusedOrigin
from affiliates.core.domains import (
    canonical_host,
    parse_origin,
    registrable_domain,
    split_host,
)
from affiliates.db.deadlines.aside import aside
from affiliates.db.deadlines.deadline import DatabaseAway
from affiliates.telemetry.logs import PerMinute
from affiliates.worker.purges import register as register_purge

MAX_HOSTS = 50
MAX_WRITES_A_MINUTE = 10
SECONDS_BETWEEN = 600.0
SHOWN_FOR = timedelta(days=1)
# The parameter of a brand's form that names a host to add to its domains.
ADDED_HOST = "add_host"

logger = logging.getLogger("affiliates.security")
_writes = PerMinute(MAX_WRITES_A_MINUTE)
# By host: the second in which this process wrote it last.
_written_at: dict[str, float] = {}


class RefusedHost(NamedTuple):
    """``brand_id``: the brand with a domain of the same owner, or None."""

    host: str
    seen_at: datetime
    brand_id: int | None


def record_refused(header: str, *, now: datetime) -> None:
    """Records the host of an Origin header that is no client area.

    Leaves out what no browser sends and what no brand can register. Never raises for
    the database's sake.
    """
    origin = parse_origin(header)
    if origin is None:
        return
    host = f"{origin.host}:{origin.port}" if origin.port else origin.host
    second = now.timestamp()
    if second < _written_at.get(host, 0.0) + SECONDS_BETWEEN:
        return
    alias = router.db_for_write(RefusedOrigin)
    # The host's transaction would take the row back, and keep it locked.
    if connections[alias].in_atomic_block or _writes.take(second) is None:
        return
    if not _can_be_registered(host):
        return
    if len(_written_at) >= MAX_HOSTS:
        _written_at.clear()
    _written_at[host] = second
    logger.warning("Origin refused: %s is no client area", host)
    with suppress(Error, DatabaseAway):
        aside(partial(_write, host, now))


def refused_hosts(*, now: datetime) -> list[RefusedHost]:
    """Returns the hosts refused in the last day, the latest of brands' owners first.

    Without those that are a client area by now, or of a brand that is switched off.
    """
    recent = RefusedOrigin.objects.filter(seen_at__gt=now - SHOWN_FOR)
    rows = list(recent.order_by("-seen_at", "host"))
    if not rows:
        return []
    domains = list(BrandDomain.objects.order_by("pk"))
    areas = {domain.host for domain in domains if domain.is_client_area}
    brands = {registrable_domain(row.host): row.brand_id for row in reversed(domains)}
    hosts = [
        RefusedHost(row.host, row.seen_at, brands.get(registrable_domain(row.host)))
        for row in rows
        if not areas & {row.host, split_host(row.host)[0]}
    ]
    return sorted(hosts, key=lambda refused: refused.brand_id is None)


def hosts_for(brand_id: int, *, now: datetime) -> Sequence[RefusedHost]:
    """Returns the refused hosts that may be the brand's: no other brand's owner's."""
    return [row for row in refused_hosts(now=now) if row.brand_id in (None, brand_id)]


@register_purge("refused origins deleted")
def delete_old(*, now: datetime) -> int:
    old = RefusedOrigin.objects.filter(seen_at__lte=now - SHOWN_FOR)
    return old.delete()[0]


def _can_be_registered(host: str) -> bool:
    try:
        return len(host) <= MAX_HOST_LENGTH and canonical_host(host) == host
    except ValueError:
        return False


def _write(host: str, now: datetime) -> None:
    rows = RefusedOrigin.objects
    rows.bulk_create(
        [RefusedOrigin(host=host, seen_at=now)],
        update_conflicts=True,
        unique_fields=["host"],
        update_fields=["seen_at"],
    )
    latest = rows.order_by("-seen_at", "host").values("host")[:MAX_HOSTS]
    rows.exclude(host__in=latest).delete()
