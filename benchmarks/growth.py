"""Measures what many clicks cost: an insert beside them, and dropping their oldest month.

    python -m benchmarks.growth                       0, 5 and 50 million clicks
    python -m benchmarks.growth --clicks 20000000     where disk or time is short

Each number of clicks has a database of its own, made and dropped here; a million clicks
take 0.5 GB. They are measured in turns, and the ratios count: CPU of PostgreSQL's process
for an insert. The clicks are of the last months, as many in each month: more clicks are
more months, at most 13 beside this one. At last the oldest month of most clicks is dropped
as the worker does it, while clicks are inserted: how long did one of them wait?
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from typing import Any

import psycopg

from benchmarks.database import (
    AFFILIATES,
    LINKS,
    DatabaseUnusable,
    configure_environment,
    own_database,
)
from benchmarks.running import ROOT, beside, say

MONTHS = 13
ROUNDS = 15
INSERTS = 400
ROWS_AT_ONCE = 250_000
MAX_INSERT_RATIO = 1.10
MAX_WAIT_SECONDS = 1.0
EVERY_SECONDS = 0.005
NANOSECONDS_PER_MS = 1_000_000

_FILL = f"""
INSERT INTO affiliates_click (id, created_at, brand_id, affiliate_id, link_id,
    external_affiliate, visitor_id, source, affiliate_status, own_program, is_repeat,
    bot_signs, visit_url, referrer_url, user_agent, ip_prefix, redirect_reason,
    refused_redirect)
SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7'
        || substr(md5(random()::text), 1, 3) || '8' || substr(md5(at::text), 1, 15))::uuid,
    at, 1, 1 + abs(n) %% {AFFILIATES}, 1 + abs(n) %% {LINKS}, '', gen_random_uuid(), 'path',
    'active', true, n %% 20 = 0, CASE WHEN n %% 10 = 0 THEN 'user_agent' ELSE '' END,
    'https://shop.example.com/aff/' || md5(n::text), 'https://blog.example.org/',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/126.0 Safari/537.36',
    '203.0.113.0/24', 'no_redirect', ''
FROM (SELECT n, %s::timestamptz + n * %s::interval AS at
      FROM generate_series(%s::bigint, %s::bigint) n) AS clicks
"""  # noqa: S608


def main() -> int:
    options = _parse_arguments()
    counts = [0, options.base, options.clicks]
    try:
        with ExitStack() as stack:
            urls = [stack.enter_context(own_database(f"_{count}")) for count in counts]
            return 0 if _measure(dict(zip(counts, urls, strict=True))) else 1
    except DatabaseUnusable as error:
        sys.stderr.write(f"{error}\n")
        return 2


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.growth", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--clicks", type=int, default=50_000_000)
    parser.add_argument("--base", type=int, default=5_000_000, help="compared with")
    return parser.parse_args()


def _measure(urls: Mapping[int, str]) -> bool:
    most = max(urls)
    for count, url in urls.items():
        began = time.perf_counter()
        configure_environment(url)
        _run("-c", "from benchmarks.database import migrate_and_fill as m; m()")
        _fill(url, count, per_month=most // MONTHS)
        say(f"{count:,} clicks made in {time.perf_counter() - began:.0f} s")
    return all([_compare_inserts(urls), _drop_a_month(urls[most])])


def _fill(url: str, count: int, *, per_month: int) -> None:
    """The newest clicks are of now, and older ones as far back as they reach."""
    now = datetime.now(UTC)
    configure_environment(url)
    _run("-c", _CREATE_MONTHS)
    step = 30.4 * 86_400 / max(per_month, 1)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET synchronous_commit = off")
        for start in range(-count, 0, ROWS_AT_ONCE):
            end = min(start + ROWS_AT_ONCE, 0) - 1
            values = [now, f"{step} seconds", start, end]
            connection.execute(_FILL, values)
        connection.execute("VACUUM ANALYZE affiliates_click")


_CREATE_MONTHS = f"""
import django; django.setup()
from django.db import connection
from django.utils import timezone
from affiliates.db.partitions import building
from affiliates.core.days import month_start, months_later
this = month_start(timezone.now())
months = [months_later(this, -number) for number in range({MONTHS + 1})]
building.create_months(connection, "affiliates_click", months)
"""


def _compare_inserts(urls: Mapping[int, str]) -> bool:
    import django

    django.setup()

    from affiliates.core.ids import new_id
    from affiliates.visits.click_sql import shared_sql
    from affiliates.visits.rules import ClickRow

    statement = shared_sql("default", 1, queues=False)
    taken: dict[int, list[float]] = {count: [] for count in urls}
    with ExitStack() as stack:
        cursors = {}
        for count, url in urls.items():
            connection = stack.enter_context(psycopg.connect(url, autocommit=True))
            connection.prepare_threshold = 0
            cursors[count] = psycopg.RawCursor(connection)
        for number in range(ROUNDS):
            for count, cursor in cursors.items():
                stat = _stat_of(cursor)
                before = _nanoseconds(stat)
                for _ in range(INSERTS):
                    row = _click_row(ClickRow, new_id)
                    cursor.execute(statement, row)
                cost = (_nanoseconds(stat) - before) / INSERTS / NANOSECONDS_PER_MS
                # The first round fills the caches.
                taken[count] += [cost] if number else []
    costs = {count: statistics.median(rounds) for count, rounds in taken.items()}
    empty = costs[0]
    for count, cost in costs.items():
        say(f"an insert beside {count:,} clicks: {cost:.3f} ms, {cost / empty:.2f}")
    worst = max(costs.values()) / empty
    return _judge("the insert's ratio", worst, MAX_INSERT_RATIO)


_DROP_A_MONTH = f"""
import django; django.setup()
from django.utils import timezone
from affiliates.models import Brand
from affiliates.privacy.retention import services
Brand.objects.update(click_months={MONTHS - 1}, other_click_months={MONTHS - 1})
print(services.purge_clicks(now=timezone.now()))
"""


def _drop_a_month(url: str) -> bool:
    configure_environment(url)
    waits: list[float] = []
    with _inserting(url, waits):
        began = time.perf_counter()
        said = _run("-c", _DROP_A_MONTH).strip()
        taken = time.perf_counter() - began
    say(
        f"{said} With their statistics in {taken:.0f} s, while {len(waits):,} clicks were inserted"
    )
    return _judge("the longest wait of an insert, s", max(waits), MAX_WAIT_SECONDS)


@contextmanager
def _inserting(url: str, waits: list[float]) -> Iterator[None]:
    """Adds how long each of the clicks waits that are inserted as the block runs."""
    from affiliates.core.ids import new_id
    from affiliates.visits.click_sql import shared_sql
    from affiliates.visits.rules import ClickRow

    statement = shared_sql("default", 1, queues=False)

    def insert(is_over: Event) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            cursor = psycopg.RawCursor(connection)
            while not is_over.wait(EVERY_SECONDS):
                row = _click_row(ClickRow, new_id)
                began = time.perf_counter()
                cursor.execute(statement, row)
                waits.append(time.perf_counter() - began)

    with beside(insert):
        yield


def _click_row(kind: Any, new_id: Any) -> list[Any]:
    row = kind(
        id=new_id(),
        created_at=datetime.now(UTC),
        brand_id=1,
        affiliate_id=7,
        link_id=7,
        integration_id=None,
        external_affiliate="",
        visitor_id=new_id(),
        source="path",
        affiliate_status="active",
        own_program=True,
        is_repeat=False,
        bot_signs="",
        visit_url="https://shop.example.com/aff/1",
        referrer_url="https://blog.example.org/",
        user_agent="Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36",
        ip_prefix="203.0.113.0/24",
        redirect_reason="no_redirect",
        refused_redirect="",
    )
    return [str(value) if type(value) is int else value for value in row]


def _run(*arguments: str) -> str:
    """What a process of our own prints, on the database of the environment."""
    process = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, *arguments],
        cwd=ROOT,
        env=os.environ,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return process.stdout


def _stat_of(cursor: Any) -> Path:
    cursor.execute("SELECT pg_backend_pid()")
    return Path(f"/proc/{cursor.fetchone()[0]}/schedstat")


def _nanoseconds(stat: Path) -> int:
    return int(stat.read_text().split()[0])


def _judge(what: str, value: float, most: float) -> bool:
    say(f"{what}: {value:.2f} (target: at most {most:.2f})")
    return value <= most


if __name__ == "__main__":
    raise SystemExit(main())
