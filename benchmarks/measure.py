"""One variant's server under load, and what that cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import orjson

from benchmarks import processes
from benchmarks.bodies import DISTINCT_VISITS, write_visits
from benchmarks.database import DatabaseUnusable, Observer
from benchmarks.load import CONNECTIONS, TIMEOUT_SECONDS, run_load, send_visit
from benchmarks.servers import PRODUCT, Server, Variant, serve

# Enough for every process to have met nearly every link and user agent.
WARM_UP_VISITS = 3 * DISTINCT_VISITS
MAX_WARM_UP_SECONDS = 10
ANSWER_FIELDS = {"redirect_url", "referral_cookie", "referral_cookie_max_age"}
MEMORY_VISITS = 100_000
MEMORY_DISTINCT_VISITS = 20_000
MEMORY_STEP_SECONDS = 5
QUIET_SECONDS = 0.5
MAX_SETTLE_SECONDS = 20
MEGABYTE = 1_000_000


class BenchmarkFailed(Exception):
    """A variant does not do what is being measured; the message says what happened."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What became of the first visit: every variant must do the same with it."""

    redirect_url: str
    stored: tuple[object, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One variant under load once. CPU is in milliseconds per recorded visit.

    ``queued`` counts what is to be delivered to the tracking integration.
    """

    visits_per_second: float
    p50_ms: float
    p99_ms: float
    server_cpu_ms: float
    postgresql_cpu_ms: float
    acknowledged: int
    recorded: int
    queued: int
    failed: int
    sample: Sample

    @property
    def total_cpu_ms(self) -> float:
        return self.server_cpu_ms + self.postgresql_cpu_ms

    @property
    def is_one_row_per_visit(self) -> bool:
        """Visits under way when the clients stop are recorded but not acknowledged."""
        return 0 <= self.recorded - self.acknowledged <= CONNECTIONS


def measure_round(
    variant: Variant, *, seconds: int, visits: Path, observer: Observer
) -> Round:
    """Start the variant's server, warm it up, load it, stop it."""
    observer.clear_clicks()
    observer.switch_integration(is_on=variant.is_tracked)
    with serve(variant) as server:
        sample = take_sample(variant, server, visits, observer)
        warmed = warm_up(server, visits)
        return measure_load(
            server,
            seconds=seconds,
            visits=visits,
            offset=warmed,
            observer=observer,
            sample=sample,
        )


def measure_load(
    server: Server,
    *,
    seconds: int,
    visits: Path,
    offset: int,
    observer: Observer,
    sample: Sample,
) -> Round:
    """Load a server that is warm."""
    recorded_before = _settled_count(observer)
    queued_before = observer.count_deliveries()
    cpu_before = _cpu_seconds(server, observer)
    load = run_load(port=server.port, seconds=seconds, visits=visits, offset=offset)
    recorded = _settled_count(observer) - recorded_before
    cpu_after = _cpu_seconds(server, observer)
    if not recorded:
        raise BenchmarkFailed("No visit was recorded.")
    return Round(
        visits_per_second=load.answered / load.seconds,
        p50_ms=load.p50_ms,
        p99_ms=load.p99_ms,
        server_cpu_ms=(cpu_after[0] - cpu_before[0]) / recorded * 1000,
        postgresql_cpu_ms=(cpu_after[1] - cpu_before[1]) / recorded * 1000,
        acknowledged=load.answered,
        recorded=recorded,
        queued=observer.count_deliveries() - queued_before,
        failed=load.failed,
        sample=sample,
    )


def measure_memory(
    *,
    folder: Path,
    link_hashes: Sequence[str],
    observer: Observer,
    report: Callable[[int], None],
) -> tuple[float, float]:
    """Resident MB of the product's one web process at first and after 100,000 visits.

    ``report`` is told the visits recorded so far.
    """
    visits = folder / "memory-visits"
    write_visits(visits, link_hashes=link_hashes, count=MEMORY_DISTINCT_VISITS)
    observer.clear_clicks()
    with serve(PRODUCT, workers=1) as server:
        take_sample(PRODUCT, server, visits, observer)
        at_first = _largest_process(server)
        while (recorded := observer.count_clicks()) < MEMORY_VISITS:
            report(recorded)
            run_load(
                port=server.port,
                seconds=MEMORY_STEP_SECONDS,
                visits=visits,
                offset=recorded,
            )
        return at_first, _largest_process(server)


def take_sample(
    variant: Variant, server: Server, visits: Path, observer: Observer
) -> Sample:
    """One visit must be answered as the interface document says, and stored once."""
    with visits.open(encoding="utf-8") as lines:
        line = lines.readline()
    connection = HTTPConnection("127.0.0.1", server.port, timeout=TIMEOUT_SECONDS)
    status, content = send_visit(connection, line)
    connection.close()
    data = orjson.loads(content).get("data", {}) if status == 200 else {}
    stored = observer.stored_clicks()
    if set(data) != ANSWER_FIELDS or len(stored) != 1:
        raise BenchmarkFailed(
            f"{variant.name} answered a visit with {status} and stored {len(stored)} "
            f"clicks: {content[:500]!r}"
        )
    return Sample(data["redirect_url"], stored[0])


def warm_up(server: Server, visits: Path) -> int:
    """Load the server until its caches are filled; return the visits answered."""
    answered = 0
    for _ in range(MAX_WARM_UP_SECONDS):
        if answered >= WARM_UP_VISITS:
            break
        load = run_load(port=server.port, seconds=1, visits=visits, offset=answered)
        answered += load.answered
    return answered


def _settled_count(observer: Observer) -> int:
    """The clicks recorded once the last requests under way have ended."""
    deadline = time.monotonic() + MAX_SETTLE_SECONDS
    count = observer.count_clicks()
    while time.monotonic() < deadline:
        time.sleep(QUIET_SECONDS)
        previous, count = count, observer.count_clicks()
        if count == previous:
            break
    return count


def _cpu_seconds(server: Server, observer: Observer) -> tuple[float, float]:
    postgresql = observer.process_ids()
    if not all(processes.is_postgresql(pid) for pid in postgresql):
        raise DatabaseUnusable(
            "PostgreSQL runs on another machine or in a container, where its CPU time "
            "cannot be read. Set DATABASE_URL to one that runs here."
        )
    return processes.tree_cpu_seconds(server.pid), processes.cpu_seconds(postgresql)


def _largest_process(server: Server) -> float:
    sizes = [processes.resident_bytes(pid) for pid in processes.tree(server.pid)]
    return max(sizes) / MEGABYTE
