"""Measures the books: a balance that is read, and a million entries that are verified.

    python -m benchmarks.ledger            on PostgreSQL
    python -m benchmarks.ledger --sqlite   on SQLite

Everything is made, filled and removed again, as for benchmarks.visits.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks.database import DatabaseUnusable, configure_environment, own_database
from benchmarks.running import ROOT, say

READS = 200
MAX_READ_MS = 20.0
MAX_VERIFY_SECONDS = 60.0
MAX_VERIFY_MB = 300.0
KILOBYTES_PER_MEGABYTE = 1000


def main() -> int:
    options = _parse_arguments()
    try:
        with sqlite_file() if options.sqlite else own_database() as url:
            configure_environment(url)
            _fill()
            return 0 if _measure() else 1
    except DatabaseUnusable as error:
        sys.stderr.write(f"{error}\n")
        return 2


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ledger", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--sqlite", action="store_true", help="not PostgreSQL")
    return parser.parse_args()


@contextmanager
def sqlite_file() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield f"sqlite:///{folder}/books.sqlite3"


def _fill() -> None:
    import django

    django.setup()

    from django.core.management import call_command
    from django.db import connection

    from affiliates.ledger.services import rebuild_balances
    from benchmarks.ledger_rows import make_rows

    call_command("migrate", verbosity=0)
    make_rows()
    began = time.perf_counter()
    count = rebuild_balances()
    taken = time.perf_counter() - began
    say(f"{count:,} balances summed anew in {taken:.1f} s")
    with connection.cursor() as cursor:
        is_postgresql = connection.vendor == "postgresql"
        cursor.execute("VACUUM ANALYZE" if is_postgresql else "ANALYZE")


def _measure() -> bool:
    from affiliates.ledger.models import LedgerEntry

    count = LedgerEntry.objects.count()
    is_fast = _measure_reads(LedgerEntry.objects.filter(affiliate_id=1))
    seconds, megabytes = _verify()
    say(
        f"verify_ledger over {count:,} entries: {seconds:.1f} s (target: under "
        f"{MAX_VERIFY_SECONDS:.0f}), {megabytes:.0f} MB at most (target: under "
        f"{MAX_VERIFY_MB:.0f})"
    )
    return is_fast and seconds < MAX_VERIFY_SECONDS and megabytes < MAX_VERIFY_MB


def _measure_reads(entries: Any) -> bool:
    from django.db.models import Sum

    from affiliates.ledger.rules import Account
    from affiliates.ledger.selectors import balance, balances_of

    payable = entries.filter(currency="EUR", account=Account.PAYABLE)
    kept = _median_ms(lambda: balance(1, "EUR", Account.PAYABLE))
    every = _median_ms(lambda: balances_of(1))
    summed = _median_ms(lambda: payable.aggregate(total=Sum("amount")))
    say(
        f"a balance of an affiliate with {entries.count():,} entries, median of {READS}:"
        f" {kept:.2f} ms (target: under {MAX_READ_MS:.0f}); all accounts {every:.2f} ms;"
        f" summed from the entries {summed:.2f} ms, {summed / kept:.0f} times as long"
    )
    return max(kept, every) < MAX_READ_MS


def _median_ms(read: Callable[[], object]) -> float:
    taken = []
    for _ in range(READS):
        began = time.perf_counter()
        read()
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def _verify() -> tuple[float, float]:
    """Seconds, and the most memory that the command's process ever held."""
    began = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "manage.py", "verify_ledger"], cwd=ROOT
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    if status:
        raise SystemExit("The books that were verified are not as they should be.")
    return seconds, usage.ru_maxrss / KILOBYTES_PER_MEGABYTE


if __name__ == "__main__":
    raise SystemExit(main())
