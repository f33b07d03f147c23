"""``python -m benchmarks.conversions``: orders that come at once, of one affiliate or many.

Each caller converts an order and has its payment reported, over HTTP. Rounds of one
affiliate with 100 callers and of 100 affiliates with one caller each take turns, with
one web worker and with two. Meanwhile it asks PostgreSQL who waits for whom.
"""

from __future__ import annotations

import base64
import os
import secrets
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from statistics import median
from threading import Event
from typing import TYPE_CHECKING

import psycopg

from benchmarks.database import (
    DatabaseUnusable,
    configure_environment,
    migrate_and_fill,
    own_database,
)
from benchmarks.measure import BenchmarkFailed
from benchmarks.running import beside, parse_arguments, say, verdict
from benchmarks.servers import PRODUCT, serve

if TYPE_CHECKING:
    from benchmarks.baskets import Basket

CALLERS = 100
WARM_UP = 100
LEAST_OF_MANY = 0.8
LEAST_OF_TWO_WORKERS = 1.6
# The load generator, two web workers and PostgreSQL.
CORES_FOR_TWO_WORKERS = 4
MOST_QUERIES = 10
SAMPLE_EVERY_SECONDS = 0.01
COUNTER = "the number of an invoice"
WAITING = """
    SELECT pid, waitstart FROM pg_locks
    WHERE NOT granted AND locktype IN ('transactionid', 'tuple') AND waitstart IS NOT NULL
"""
QUERIES = "SELECT pid, query FROM pg_stat_activity WHERE datname = current_database()"


def main() -> int:
    options = parse_arguments("conversions", __doc__, orders=(500, "per round"))
    try:
        with own_database() as url:
            configure_environment(url)
            secret = base64.b64encode(secrets.token_bytes(32)).decode()
            os.environ["PAYMENT_WEBHOOK_SECRET_BENCHMARK"] = f"whsec_{secret}"
            migrate_and_fill()
            is_met = _measure(url, rounds=options.rounds, orders=options.orders)
    except (DatabaseUnusable, BenchmarkFailed, subprocess.SubprocessError) as error:
        sys.stderr.write(f"\n{error}\n")
        return 2
    return 0 if is_met else 1


def _measure(url: str, *, rounds: int, orders: int) -> bool:
    from benchmarks import baskets

    made = baskets.Baskets()
    waited = baskets.convert_beside_a_paused_one(made)
    say(
        "One conversion paused while it decides: another order of the brand converts "
        f"and commits in {waited * 1000:.0f} ms"
    )
    queries = baskets.count_queries(made)
    results = [
        verdict(
            queries <= MOST_QUERIES,
            f"queries per conversion: {queries} (target: at most {MOST_QUERIES})",
        )
    ]
    rates: defaultdict[tuple[int, bool], list[float]] = defaultdict(list)
    waits: Counter[str] = Counter()
    for number in range(rounds):
        for workers in (1, 2) if number % 2 else (2, 1):
            with serve(PRODUCT, workers=workers) as server:
                # An affiliate's first postings may wait for each other: not counted.
                for of_one in (True, False):
                    _send_all(server.port, made.make(WARM_UP, of_one=of_one))
                for of_one in (True, False) if number % 4 in (0, 3) else (False, True):
                    sent = made.make(orders, of_one=of_one)
                    with _sampled(url, waits):
                        began = time.perf_counter()
                        _send_all(server.port, sent)
                        taken = time.perf_counter() - began
                    rates[workers, of_one].append(orders / taken)
    return all([*results, *_judge(rates, waits)])


def _send_all(port: int, sent: list[Basket]) -> None:
    from benchmarks.baskets import convert_and_pay

    shares = [sent[number::CALLERS] for number in range(CALLERS)]

    def call(share: list[Basket]) -> None:
        for basket in share:
            convert_and_pay(port, basket)

    with ThreadPoolExecutor(CALLERS) as pool:
        for _ in pool.map(call, shares):
            pass


def _judge(
    rates: dict[tuple[int, bool], list[float]], waits: Counter[str]
) -> Iterator[bool]:
    for (workers, of_one), found in sorted(rates.items()):
        whose = "one affiliate" if of_one else "100 affiliates"
        say(f"web workers {workers}, {whose}: {median(found):.0f} orders/s")
    for workers in (1, 2):
        ratio = _ratio(rates[workers, True], rates[workers, False])
        yield verdict(
            ratio >= LEAST_OF_MANY,
            f"web workers {workers}, one affiliate against 100: {ratio:.2f} times "
            f"(target: at least {LEAST_OF_MANY})",
        )
    ratio = _ratio(rates[2, False], rates[1, False])
    line = f"two web workers against one: {ratio:.2f} times"
    if (os.cpu_count() or 1) >= CORES_FOR_TWO_WORKERS:
        is_met = ratio >= LEAST_OF_TWO_WORKERS
        yield verdict(is_met, f"{line} (target: at least {LEAST_OF_TWO_WORKERS})")
    else:
        say(f"{line}; no target with fewer than {CORES_FOR_TWO_WORKERS} cores")
    for what, count in waits.most_common():
        say(f"waited for {what}, in samples of all connections: {count}")
    shared = sum(count for what, count in waits.items() if what != COUNTER)
    yield verdict(
        not shared,
        "samples in which an order waited for another one's row, except for the "
        f"number: {shared} (target: 0)",
    )


def _ratio(these: list[float], those: list[float]) -> float:
    """The median of the rounds' own ratios: each pair ran one after another."""
    return median(one / other for one, other in zip(these, those, strict=True))


@contextmanager
def _sampled(url: str, waits: Counter[str]) -> Iterator[None]:
    """Counts the waiting connections, by what they wait for, as the block runs."""

    def sample(is_over: Event) -> None:
        with psycopg.connect(url, autocommit=True) as observer:
            while not is_over.wait(SAMPLE_EVERY_SECONDS):
                waits.update(map(_named, _waiting_queries(observer)))

    with beside(sample):
        yield


def _waiting_queries(observer: psycopg.Connection) -> list[str]:
    """Of those that wait before and after they are read, for the same lock.

    pg_stat_activity alone may show a wait beside the statement before it.
    """
    before = set(observer.execute(WAITING))
    queries: dict[int, str] = dict(observer.execute(QUERIES).fetchall())
    waiting = before.intersection(observer.execute(WAITING))
    return [queries[pid] for pid, _ in waiting if pid in queries]


def _named(query: str) -> str:
    is_number = "portal_invoicecounter" in query
    return COUNTER if is_number else " ".join(query.split())[:90]


if __name__ == "__main__":
    sys.exit(main())
