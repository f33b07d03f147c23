"""``make bench``: what a visit costs, beside a floor and a naive version, in one run.

Each round starts every variant's server once, in random order, and loads it for some
seconds. The figure that counts is CPU time per recorded visit, server and PostgreSQL
together: visits per second and latencies change with whatever else the machine does.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks import report
from benchmarks.bodies import write_visits
from benchmarks.database import (
    DatabaseUnusable,
    Observer,
    configure_environment,
    migrate_and_fill,
    own_database,
)
from benchmarks.load import CONNECTIONS, generator_name
from benchmarks.measure import (
    MEMORY_VISITS,
    BenchmarkFailed,
    Round,
    measure_memory,
    measure_round,
)
from benchmarks.servers import THREADS, VARIANTS, WORKERS, Variant

BAR_WIDTH = 30


def main() -> int:
    options = _parse_arguments()
    try:
        with own_database() as url, tempfile.TemporaryDirectory() as folder:
            configure_environment(url)
            link_hashes = migrate_and_fill()
            observer = Observer(url)
            try:
                run = _run_memory if options.memory else _run_comparison
                return run(options, Path(folder), link_hashes, observer)
            finally:
                observer.close()
    except (DatabaseUnusable, BenchmarkFailed, subprocess.SubprocessError) as error:
        sys.stderr.write(f"\n{error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped.\n")
        return 130


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.visits",
        description="Measure the visit endpoint with and without a tracking "
        "integration, under ASGI, and four baselines, on PostgreSQL.",
        epilog="Exit status: 0 when every target is met, 1 when one is missed, 2 when "
        "nothing could be measured.",
    )
    parser.add_argument(
        "--rounds", type=_positive, default=5, help="servers per variant (default 5)"
    )
    parser.add_argument(
        "--seconds", type=_positive, default=5, help="load per round (default 5)"
    )
    parser.add_argument(
        "--memory",
        action="store_true",
        help=f"measure instead the memory of a web process over {MEMORY_VISITS:,} visits",
    )
    return parser.parse_args()


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return value


def _run_comparison(
    options: argparse.Namespace,
    folder: Path,
    link_hashes: Sequence[str],
    observer: Observer,
) -> int:
    visits = {
        is_tracked: folder / f"visits-{is_tracked}" for is_tracked in (False, True)
    }
    for is_tracked, path in visits.items():
        write_visits(path, link_hashes=link_hashes, is_tracked=is_tracked)
    schedule = _schedule(options.rounds)
    results: dict[Variant, list[Round]] = {variant: [] for variant in VARIANTS}
    for number, variant in enumerate(schedule):
        _show_progress(number, len(schedule), variant.name)
        results[variant].append(
            measure_round(
                variant,
                seconds=options.seconds,
                visits=visits[variant.is_tracked],
                observer=observer,
            )
        )
    _show_progress(len(schedule), len(schedule), "done")
    sys.stdout.write(
        f"\n{observer.describe()}; {os.cpu_count()} CPUs, load average "
        f"{os.getloadavg()[1]:.1f}\n"
        f"granian, {WORKERS} workers x {THREADS} threads; {CONNECTIONS} connections "
        f"from {generator_name()}; medians of {options.rounds} rounds of "
        f"{options.seconds} s\n\n{report.table(results)}\n\n"
    )
    return _print_verdicts(report.verdicts(results))


def _run_memory(
    options: argparse.Namespace,
    folder: Path,
    link_hashes: Sequence[str],
    observer: Observer,
) -> int:
    at_first, at_last = measure_memory(
        folder=folder,
        link_hashes=link_hashes,
        observer=observer,
        report=lambda recorded: _show_progress(recorded, MEMORY_VISITS, "visits"),
    )
    _show_progress(MEMORY_VISITS, MEMORY_VISITS, "done")
    return _print_verdicts([report.memory_verdict(at_first, at_last)])


def _schedule(rounds: int) -> list[Variant]:
    """Every variant once a round, in an order that favours none."""
    return [
        variant
        for _ in range(rounds)
        for variant in random.sample(VARIANTS, len(VARIANTS))
    ]


def _print_verdicts(verdicts: Iterable[tuple[str, bool]]) -> int:
    missed = 0
    for sentence, is_met in verdicts:
        sys.stdout.write(f"{'ok    ' if is_met else 'MISSED'} {sentence}\n")
        missed += not is_met
    if missed:
        sys.stderr.write(f"{missed} target(s) missed: see MISSED above.\n")
    return 1 if missed else 0


def _show_progress(done: int, total: int, label: str) -> None:
    filled = min(done, total) * BAR_WIDTH // total
    bar = "#" * filled + "." * (BAR_WIDTH - filled)
    sys.stderr.write(f"\r[{bar}] {done:,}/{total:,} {label:<20}")
    if done >= total:
        sys.stderr.write("\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
