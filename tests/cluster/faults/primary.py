"""What happens to the primary, and what an operator then does."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from tests.cluster.databases import make_standby, newest_standby, promote, start_pooler
from tests.cluster.faults.stand import Stand
from tests.cluster.files import WEB
from tests.cluster.running import start_worker
from tests.cluster.topology import Cluster

# What is acknowledged in it is on no standby.
LAG_SECONDS = 4
# Numbers of invoices left out by the recovery: the default of the command.
SKIPPED = 1_000


@contextmanager
def hangs(stand: Stand) -> Iterator[None]:
    with stand.cluster.stopped(stand.cluster.primary):
        yield


@contextmanager
def killed(stand: Stand) -> Iterator[None]:
    stand.cluster.kill(stand.cluster.primary)
    yield
    stand.cluster.start_database(stand.cluster.primary)


@contextmanager
def lost(stand: Stand, *, is_synchronous: bool) -> Iterator[None]:
    """With its pooler, and the newest standby is promoted: docs/many.md, steps 1 to 4."""
    cluster = stand.cluster
    stand.lost = cluster.primary
    if not is_synchronous:
        _lag(cluster)
    cluster.kill(stand.lost)
    cluster.kill(f"pgbouncer-{stand.lost}")
    for name in WEB:
        cluster.kill(f"worker-{name}")
    yield
    new = newest_standby(cluster, stand.lost)
    stand.promoted_at = datetime.now(tz=UTC)
    promote(cluster, new)
    if not is_synchronous:
        for name in _standbys(cluster, lost=stand.lost):
            configure(cluster, name, "RESET primary_conninfo")
    cluster.manage(
        "affiliates_after_restore",
        stand.promoted_at.isoformat(),
        f"--numbers={0 if is_synchronous else SKIPPED}",
        "--yes",
    )
    start_pooler(cluster, new)
    for name in WEB:
        start_worker(cluster, name)


def rejoin(stand: Stand) -> None:
    """Step 5: the machine that was lost is a standby."""
    cluster = stand.cluster
    make_standby(cluster, stand.lost)
    start_pooler(cluster, stand.lost)
    cluster.await_standbys(2)


def configure(cluster: Cluster, name: str, change: str) -> None:
    cluster.ask(name, f"ALTER SYSTEM {change}")
    cluster.ask(name, "SELECT pg_reload_conf()")


def _lag(cluster: Cluster) -> None:
    """Nobody waits for the standbys, and they receive nothing more."""
    configure(cluster, cluster.primary, "SET synchronous_standby_names = ''")
    for name in _standbys(cluster, lost=cluster.primary):
        configure(cluster, name, "SET primary_conninfo = ''")
    cluster.await_standbys(0)
    time.sleep(LAG_SECONDS)


def _standbys(cluster: Cluster, *, lost: str) -> list[str]:
    return [name for name in cluster.places.databases if name != lost]
