"""The table of faults: what each does to the cluster, and what puts it right again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.processes import tree
from tests.cluster.faults import primary
from tests.cluster.faults.disk import full_disk, why_no_small_disk
from tests.cluster.faults.stand import Fault, Happening, Stand
from tests.cluster.files import WEB
from tests.cluster.running import start_node, start_redis, start_worker
from tests.cluster.topology import Cluster
from tests.deploy.conftest import await_condition

CLOCKS = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
RIGHT, AHEAD = "+0", "+20m"
MIGRATIONS_GIVEN_UP = 40


def kills(*names: str) -> Happening:
    @contextmanager
    def happens(stand: Stand) -> Iterator[None]:
        for name in names:
            stand.cluster.kill(name)
        yield
        for name in names:
            _start(stand.cluster, name)

    return happens


def stops(*names: str) -> Happening:
    return lambda stand: stand.cluster.stopped(*names)


def _start(cluster: Cluster, name: str) -> None:
    if name == "redis":
        start_redis(cluster)
    elif name in WEB:
        cluster.kill(f"worker-{name}")
        start_node(cluster, name)
    else:
        start_worker(cluster, name.removeprefix("worker-"))


@contextmanager
def worker_hangs(stand: Stand) -> Iterator[None]:
    """With sales under way: the other takes them over when their leases have ended."""
    stand.tracker.fault(times=None, delay_s=1.0, on="sale")
    time.sleep(3)
    with stand.cluster.stopped("worker-web1"):
        stand.tracker.clear_faults()
        yield


@contextmanager
def node_by_a_clock(stand: Stand, *, at_first: str) -> Iterator[Path]:
    """web2, whose clock is what is written into the file."""
    cluster = stand.cluster
    clock = cluster.places.folder / "clock"
    clock.write_text(at_first)
    cluster.kill("web2")
    cluster.kill("worker-web2")
    start_node(
        cluster,
        "web2",
        {
            "LD_PRELOAD": str(CLOCKS[-1]),
            "FAKETIME_TIMESTAMP_FILE": str(clock),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        },
        is_awaited=at_first == RIGHT,
    )
    yield clock
    clock.write_text(RIGHT)
    for name in ("web2", "worker-web2"):
        left = tree(cluster.processes[name].pid)
        cluster.kill(name)
        for path in Path("/dev/shm").glob("*faketime_*"):  # noqa: S108 - not ours to choose
            if int(path.name.rpartition("_")[2]) in left:
                path.unlink()
    start_node(cluster, "web2")


@contextmanager
def starts_ahead(stand: Stand) -> Iterator[None]:
    """It refuses to start, until its clock is right."""
    with node_by_a_clock(stand, at_first=AHEAD):
        for name in ("web2", "worker-web2"):
            await_condition(stand.cluster.processes[name].poll)
        yield


@contextmanager
def jumps_ahead(stand: Stand) -> Iterator[None]:
    with node_by_a_clock(stand, at_first=RIGHT) as clock:
        time.sleep(3)
        clock.write_text(AHEAD)
        yield


@contextmanager
def standbys_lag(stand: Stand) -> Iterator[None]:
    cluster = stand.cluster
    standbys = [name for name in cluster.places.databases if name != cluster.primary]
    for name in standbys:
        primary.configure(cluster, name, "SET recovery_min_apply_delay = '30s'")
    yield
    for name in standbys:
        lag = cluster.ask(
            name, "SELECT now() - pg_last_xact_replay_timestamp() > '10s'"
        )
        assert lag == "t", f"{name} does not lag."
        primary.configure(cluster, name, "RESET recovery_min_apply_delay")


@contextmanager
def migration(stand: Stand) -> Iterator[None]:
    """As docs/upgrading.md has it: with little patience for locks, and again."""
    for _ in range(MIGRATIONS_GIVEN_UP):
        try:
            stand.cluster.manage(
                "migrate",
                DJANGO_SETTINGS_MODULE="tests.migrations.later_settings",
                DATABASE_LOCK_TIMEOUT="0.5",
            )
        except RuntimeError as error:
            if "due to lock timeout" not in str(error):
                raise
        else:
            break
    else:
        raise AssertionError("Not migrated.")
    yield


def provider(**fault: Any) -> Happening:
    @contextmanager
    def happens(stand: Stand) -> Iterator[None]:
        stand.tracker.fault(times=None, **fault)
        yield
        stand.tracker.clear_faults()

    return happens


def why_no_clock() -> str:
    return "" if CLOCKS else "Debian's faketime"


# First what the provider is long in hearing of: the rest of the time counts.
FAULTS = (
    Fault(
        name="clock of a running node jumps 20 minutes ahead",
        happens=jumps_ahead,
        needs=why_no_clock,
    ),
    Fault(
        name="clock of a node 20 minutes ahead",
        happens=starts_ahead,
        needs=why_no_clock,
    ),
    Fault(name="provider silent", happens=provider(delay_s=60.0, close_before=True)),
    Fault(name="provider slow", happens=provider(delay_s=3.0)),
    Fault(name="provider wrong: 500 for all", happens=provider(status=500)),
    Fault(
        name="provider wrong: no answer to sales",
        happens=provider(close_after_processing=True, on="sale"),
    ),
    Fault(name="worker hangs beyond its lease", happens=worker_hangs, seconds=40.0),
    Fault(name="workers killed", happens=kills("worker-web1", "worker-web2")),
    Fault(name="web node killed", happens=kills("web2")),
    Fault(name="web node hangs", happens=stops("web1")),
    Fault(name="Redis killed", happens=kills("redis")),
    Fault(name="Redis hangs", happens=stops("redis")),
    Fault(name="standbys 30 s behind", happens=standbys_lag, seconds=20.0),
    Fault(name="migration", happens=migration, seconds=0.0),
    Fault(name="disk of the primary full", happens=full_disk, needs=why_no_small_disk),
    Fault(name="primary hangs", happens=primary.hangs),
    Fault(name="primary killed, started again", happens=primary.killed, seconds=5.0),
    Fault(
        name="primary lost, synchronous standby promoted",
        happens=partial(primary.lost, is_synchronous=True),
        repair=primary.rejoin,
        seconds=5.0,
    ),
    Fault(
        name="primary lost, asynchronous standby promoted",
        happens=partial(primary.lost, is_synchronous=False),
        repair=primary.rejoin,
        seconds=5.0,
        loses_lag=True,
    ),
)
