"""``python -m benchmarks.soak``: half of what the machine can do, for half an hour.

Visits, one in eight of a tracking integration's, orders, payments and refunds over HTTP,
while the worker delivers, counts and sends. First it finds out how many of each go through
when nobody waits; then half as many are sent, evenly. What counts is the memory of the
processes and the slowest hundredth of the visits, at the end beside the beginning; at last
everything must agree.
"""

from __future__ import annotations

import argparse
import base64
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from threading import Event
from typing import TYPE_CHECKING

from benchmarks import processes, running
from benchmarks.bodies import write_visits
from benchmarks.database import (
    DatabaseUnusable,
    configure_environment,
    migrate_and_fill,
    own_database,
)
from benchmarks.load import TIMEOUT_SECONDS, send_visit
from benchmarks.running import beside, say, simulator, verdict
from benchmarks.servers import PRODUCT, serve

if TYPE_CHECKING:
    from benchmarks.baskets import Basket

VISITORS, BUYERS = 8, 4
TRACKED_OF, REFUNDED_OF = 8, 10
FULL_SECONDS = 30
WARM_UP_MINUTES = 3
COMPARED_MINUTES = 3
MAX_GROWTH, MAX_SLOWER = 1.05, 1.2
MAX_DRAIN_SECONDS = 300
MEGABYTE = 1_000_000


@dataclass(slots=True)
class Minute:
    """Seconds that each visit took, and bytes of the largest process of each kind."""

    taken: list[float] = field(default_factory=list)
    orders: int = 0
    memory: dict[str, int] = field(default_factory=dict)

    @property
    def p99(self) -> float:
        return quantiles(self.taken, n=100)[98]


def main() -> int:
    options = _parse_arguments()
    try:
        with (
            own_database() as url,
            simulator() as address,
            TemporaryDirectory() as folder,
        ):
            configure_environment(url)
            os.environ.update(
                EMAIL_URL="dummymail://",
                AFFILIATES_TRACKING_ALLOWED_HOSTS=address.partition("//")[2],
                PAYMENT_WEBHOOK_SECRET_BENCHMARK="whsec_"
                + base64.b64encode(secrets.token_bytes(32)).decode(),
            )
            visits = _prepare(address, Path(folder))
            return 0 if _soak(visits, minutes=options.minutes) else 1
    except DatabaseUnusable as error:
        sys.stderr.write(f"{error}\n")
        return 2


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.soak", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--minutes", type=int, default=30)
    return parser.parse_args()


def _prepare(address: str, folder: Path) -> list[str]:
    hashes = migrate_and_fill()
    from affiliates.outbox.models.integration import TrackingIntegration

    TrackingIntegration.objects.update(
        address=address, is_active=True, requests_per_second=1000
    )
    lines = []
    for is_tracked in (False, True):
        path = folder / f"visits-{is_tracked}"
        write_visits(path, link_hashes=hashes, is_tracked=is_tracked)
        lines.append(path.read_text(encoding="utf-8").splitlines())
    plain, tracked = lines
    return [
        (plain if number % TRACKED_OF else tracked)[number]
        for number in range(len(plain))
    ]


def _soak(visits: Sequence[str], *, minutes: int) -> bool:
    from benchmarks.baskets import Baskets

    made = Baskets()
    with ExitStack() as stack:
        server = stack.enter_context(serve(PRODUCT))
        worker = stack.enter_context(
            running.python("manage.py", "affiliates_worker", environment={})
        )
        load = Load(server.port, visits, made.make)
        full = load.run(FULL_SECONDS)
        rates = len(full.taken) / FULL_SECONDS / 2, full.orders / FULL_SECONDS / 2
        say("sent from now on: {:.0f} visits/s and {:.1f} orders/s".format(*rates))
        found = []
        for number in range(1, minutes + 1):
            minute = load.run(60, *rates)
            minute.memory = {
                "web": _largest(server.pid),
                "worker": _largest(worker.pid),
            }
            found.append(minute)
            told = [
                f"{name} {size / MEGABYTE:.1f} MB"
                for name, size in minute.memory.items()
            ]
            say(
                f"minute {number}: {len(minute.taken):,} visits, 99 of 100 in "
                f"{minute.p99 * 1000:.1f} ms, {minute.orders} orders; {', '.join(told)}"
            )
        is_drained = _await_empty_outbox()
    return all([*_judge(found), is_drained, *_verify()])


class Load:
    """Visitors and buyers: as fast as they are answered, or so many a second."""

    def __init__(
        self, port: int, visits: Sequence[str], make: Callable[[int], list[Basket]]
    ) -> None:
        self._port, self._visits, self._make = port, visits, make
        self._sent = count()

    def run(
        self, seconds: int, visits_rate: float = 0, orders_rate: float = 0
    ) -> Minute:
        minute = Minute()
        baskets = iter(self._make(int(orders_rate * seconds) or 100 * seconds))
        end = time.perf_counter() + seconds
        with ExitStack() as stack:
            for _ in range(VISITORS):
                pace = _pace(visits_rate / VISITORS, end)
                visit = partial(self._visit, pace, minute)
                stack.enter_context(beside(visit))
            for _ in range(BUYERS):
                pace = _pace(orders_rate / BUYERS, end)
                buy = partial(self._buy, pace, baskets, minute)
                stack.enter_context(beside(buy))
        return minute

    def _visit(self, pace: Iterator[None], minute: Minute, _over: Event) -> None:
        connection = HTTPConnection("127.0.0.1", self._port, timeout=TIMEOUT_SECONDS)
        for _ in pace:
            line = self._visits[next(self._sent) % len(self._visits)]
            began = time.perf_counter()
            status, content = send_visit(connection, line)
            minute.taken.append(time.perf_counter() - began)
            if status != 200:
                raise RuntimeError(f"A visit was answered {status}: {content[:300]!r}")
        connection.close()

    def _buy(
        self,
        pace: Iterator[None],
        baskets: Iterator[Basket],
        minute: Minute,
        _over: Event,
    ) -> None:
        from benchmarks.baskets import convert_and_pay

        for _, basket in zip(pace, baskets, strict=False):
            minute.orders += 1
            is_refunded = minute.orders % REFUNDED_OF == 0
            convert_and_pay(self._port, basket, is_refunded=is_refunded)


def _pace(rate: float, end: float) -> Iterator[None]:
    """As often as it is asked, or so many times a second; until ``end``."""
    due = time.perf_counter() + secrets.randbelow(100) / 100 / max(rate, 1)
    while (now := time.perf_counter()) < end:
        if rate and now < due:
            time.sleep(min(due - now, end - now))
            continue
        due += 1 / rate if rate else 0
        yield


def _largest(root: int) -> int:
    return max(map(processes.resident_bytes, processes.tree(root)))


def _await_empty_outbox() -> bool:
    from affiliates.outbox.models.delivery import Delivery

    waiting = Delivery.objects.filter(state="waiting")
    began = time.perf_counter()
    while (left := waiting.count()) and time.perf_counter() - began < MAX_DRAIN_SECONDS:
        time.sleep(1)
    return verdict(
        not left,
        f"deliveries left {time.perf_counter() - began:.0f} s after the last visit: {left}",
    )


def _judge(minutes: Sequence[Minute]) -> Iterator[bool]:
    first = minutes[WARM_UP_MINUTES:][:COMPARED_MINUTES] or minutes[:1]
    last = minutes[-COMPARED_MINUTES:]
    for name in first[0].memory:
        before, after = (median(m.memory[name] for m in some) for some in (first, last))
        yield verdict(
            after <= before * MAX_GROWTH,
            f"memory of the largest {name} process: {before / MEGABYTE:.1f} to "
            f"{after / MEGABYTE:.1f} MB, {after / before:.3f} times (at most {MAX_GROWTH})",
        )
    before, after = (median(m.p99 for m in some) for some in (first, last))
    yield verdict(
        after <= before * MAX_SLOWER,
        f"99 of 100 visits: {before * 1000:.1f} ms to {after * 1000:.1f} ms, "
        f"{after / before:.2f} times (at most {MAX_SLOWER})",
    )


def _verify() -> Iterator[bool]:
    for command in (["verify_ledger", "--deep"], ["verify_statistics"]):
        done = subprocess.run(  # noqa: S603 - our own command
            [sys.executable, "manage.py", *command],
            cwd=running.ROOT,
            check=False,
            stdout=subprocess.PIPE,
            text=True,
        )
        yield verdict(
            not done.returncode, f"{' '.join(command)}: {done.stdout.strip()[-200:]}"
        )


if __name__ == "__main__":
    raise SystemExit(main())
