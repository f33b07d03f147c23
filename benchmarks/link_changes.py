"""``python -m benchmarks.link_changes``: what one write costs everybody else.

A visit while a link is saved every two seconds, beside a visit while none is, by turns
on one server.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from statistics import median
from threading import Event

from benchmarks.bodies import write_visits
from benchmarks.database import (
    LINKS,
    DatabaseUnusable,
    Observer,
    configure_environment,
    migrate_and_fill,
    own_database,
)
from benchmarks.measure import BenchmarkFailed, measure_load, take_sample, warm_up
from benchmarks.running import beside, parse_arguments, verdict
from benchmarks.servers import PRODUCT, serve

SAVE_EVERY_SECONDS = 2.0
MAX_OF_UNDISTURBED = 1.3


def main() -> int:
    options = parse_arguments("link_changes", __doc__, seconds=(10, "load per round"))
    try:
        with own_database() as url, tempfile.TemporaryDirectory() as folder:
            configure_environment(url)
            link_hashes = migrate_and_fill()
            visits = Path(folder) / "visits"
            write_visits(visits, link_hashes=link_hashes)
            observer = Observer(url)
            try:
                is_met = _compare(options, visits, link_hashes, observer)
            finally:
                observer.close()
    except (DatabaseUnusable, BenchmarkFailed, subprocess.SubprocessError) as error:
        sys.stderr.write(f"\n{error}\n")
        return 2
    return 0 if is_met else 1


def _compare(
    options: argparse.Namespace,
    visits: Path,
    link_hashes: Sequence[str],
    observer: Observer,
) -> bool:
    cpu: dict[bool, list[float]] = {False: [], True: []}
    hashes = cycle(link_hashes)
    with serve(PRODUCT) as server:
        sample = take_sample(PRODUCT, server, visits, observer)
        offset = warm_up(server, visits)
        for number in range(2 * options.rounds):
            is_disturbed = number % 4 in (1, 2)
            with _saved_links(hashes) if is_disturbed else _nothing():
                taken = measure_load(
                    server,
                    seconds=options.seconds,
                    visits=visits,
                    offset=offset,
                    observer=observer,
                    sample=sample,
                )
            if taken.failed:
                raise BenchmarkFailed(f"{taken.failed} visits failed.")
            offset += taken.acknowledged
            cpu[is_disturbed].append(taken.total_cpu_ms)
    calm, disturbed = median(cpu[False]), median(cpu[True])
    is_met = disturbed <= MAX_OF_UNDISTURBED * calm
    return verdict(
        is_met,
        f"CPU per visit over {LINKS:,} links: "
        f"{calm:.3f} ms, with a link saved every {SAVE_EVERY_SECONDS:.0f} s "
        f"{disturbed:.3f} ms, {disturbed / calm:.2f} times "
        f"(target: at most {MAX_OF_UNDISTURBED})",
    )


@contextmanager
def _nothing() -> Iterator[None]:
    yield


@contextmanager
def _saved_links(hashes: Iterator[str]) -> Iterator[None]:
    """Save a link every two seconds as long as the block runs."""
    from django.db import connections

    from affiliates.program.models import AffiliateLink

    def save_links(is_over: Event) -> None:
        while not is_over.wait(SAVE_EVERY_SECONDS):
            AffiliateLink.objects.get(hash=next(hashes)).save()
        connections.close_all()

    with beside(save_links):
        yield


if __name__ == "__main__":
    sys.exit(main())
