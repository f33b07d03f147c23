"""``python -m benchmarks.outbox``: a million deliveries, finished and waiting.

Prints how long the sweep takes over the finished ones, how much memory a worker holds
while it works through the waiting ones, and how many it delivers in a second: to a
provider that answers at once, and to one that answers in 100 ms. The provider is the
simulator, in a process of its own on this machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
import urllib.request
from contextlib import ExitStack

import orjson
import psycopg

from benchmarks import processes, running
from benchmarks.database import DatabaseUnusable, configure_environment, own_database

ROWS = 1_000_000
VISITORS = 500_000
SWEEPS = 50
MAX_SWEEP_MS = 10.0
MAX_MEMORY_MB = 150
SLOW_SECONDS = 0.1
MIN_SLOW_RATE = 100
MEGABYTE = 1_000_000
SETTLE_SECONDS = 5

_FILL = """
INSERT INTO affiliates_delivery (
    brand_id, integration_id, operation, key, visitor_ref, order_ref, payload, state,
    attempt_count, next_at, outcome, detail, remote_ref, created_at, finished_at)
SELECT i.brand_id, i.id, 'click', %(prefix)s || n, lpad(to_hex(n %% %(visitors)s), 32, '0'),
    '', jsonb_build_object(
        'click_id', n::text, 'occurred_at', now()::text,
        'page', 'https://shop.example.com/plans', 'query', 'a_aid=testaff&data1=' || n,
        'fragment', '', 'affiliate', 'testaff', 'referrer', 'https://blog.example.org/',
        'ip', '203.0.113.7', 'user_agent', 'Mozilla/5.0 (X11)'),
    %(state)s::text, 0, CASE WHEN %(state)s::text = 'waiting' THEN now() END, '', '', '', now(),
    CASE WHEN %(state)s::text = 'waiting' THEN NULL ELSE now() END
FROM affiliates_trackingintegration i, generate_series(1, %(rows)s) n
"""


def main() -> int:
    options = _parse_arguments()
    try:
        with own_database() as url, running.simulator() as address:
            configure_environment(url)
            os.environ["AFFILIATES_TRACKING_ALLOWED_HOSTS"] = address.partition("//")[2]
            _prepare(address)
            with psycopg.connect(url, autocommit=True) as connection:
                return 0 if _measure(connection, address, options.seconds) else 1
    except DatabaseUnusable as error:
        sys.stderr.write(f"{error}\n")
        return 2


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.outbox", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--seconds", type=int, default=20, help="delivering per round (default 20)"
    )
    return parser.parse_args()


def _prepare(address: str) -> None:
    """Makes the tables, a brand and its integration with the tracker."""
    import django

    django.setup()

    from django.core.management import call_command

    from affiliates.brands.models.brand import Brand
    from affiliates.outbox.models.integration import TrackingIntegration

    call_command("migrate", verbosity=0)
    brand = Brand.objects.create(
        name="Benchmark", default_redirect_url="https://shop.example.com/"
    )
    brand.domains.create(host="shop.example.com")
    TrackingIntegration.objects.create(
        brand=brand,
        provider="pap",
        address=address,
        parameters="a_aid,aid",
        requests_per_second=1000,
    )


def _measure(connection: psycopg.Connection, address: str, seconds: int) -> bool:
    _fill(connection, state="sent")
    sweep = _sweep_ms()
    sys.stdout.write(
        f"sweep over {ROWS:,} finished deliveries: {sweep:.2f} ms, median of {SWEEPS} "
        f"(target: under {MAX_SWEEP_MS:.0f})\n"
    )
    _fill(connection, state="waiting")
    memory = 0.0
    for workers in (1, 2):
        rate, used = _deliver(address, workers=workers, seconds=seconds)
        memory = max(memory, used)
        sys.stdout.write(
            f"{workers} worker(s) on {ROWS:,} waiting: {rate:.0f} deliveries/s, "
            f"largest process {used:.0f} MB (target: under {MAX_MEMORY_MB})\n"
        )
    _answer_after(address, SLOW_SECONDS)
    rate, _ = _deliver(address, workers=1, seconds=seconds)
    _answer_after(address, 0)
    sys.stdout.write(
        f"1 worker, provider that answers in {SLOW_SECONDS * 1000:.0f} ms: {rate:.0f} "
        f"deliveries/s (target: at least {MIN_SLOW_RATE})\n"
    )
    is_quick = sweep < MAX_SWEEP_MS and rate >= MIN_SLOW_RATE
    return is_quick and memory < MAX_MEMORY_MB


def _fill(connection: psycopg.Connection, *, state: str) -> None:
    values = {
        "prefix": f"click:{state}:",
        "visitors": VISITORS,
        "rows": ROWS,
        "state": state,
    }
    connection.execute(_FILL, values)
    connection.execute("VACUUM ANALYZE affiliates_delivery")


def _sweep_ms() -> float:
    """What an idle worker asks every second."""
    from django.utils import timezone

    from affiliates.outbox.sending.lease import due_integrations

    taken = []
    for _ in range(SWEEPS):
        began = time.perf_counter()
        due_integrations(timezone.now())
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def _deliver(address: str, *, workers: int, seconds: int) -> tuple[float, float]:
    """Deliveries per second once under way, and the largest worker's resident MB."""
    with ExitStack() as stack:
        started = [
            stack.enter_context(running.python("manage.py", "deliver", environment={}))
            for _ in range(workers)
        ]
        time.sleep(SETTLE_SECONDS)
        began, before = time.perf_counter(), _clicks(address)
        time.sleep(seconds)
        rate = (_clicks(address) - before) / (time.perf_counter() - began)
        used = max(processes.resident_bytes(one.pid) for one in started) / MEGABYTE
    return rate, used


def _answer_after(address: str, seconds: float) -> None:
    """Lets the tracker answer every call so late, or at once."""
    fault = {"delay_s": seconds, "times": None}
    control, values = ("fault", fault) if seconds else ("clear_faults", {})
    request = urllib.request.Request(  # noqa: S310 - loopback
        f"{address}/__sim/{control}", data=orjson.dumps(values), method="POST"
    )
    urllib.request.urlopen(request).close()  # noqa: S310 - loopback


def _clicks(address: str) -> int:
    with urllib.request.urlopen(f"{address}/__sim/counts") as answer:  # noqa: S310 - loopback
        return int(orjson.loads(answer.read())["clicks"])


if __name__ == "__main__":
    raise SystemExit(main())
