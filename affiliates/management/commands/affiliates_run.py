from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from affiliates.management.options import fault
from affiliates.management.repeating import add_every, repeat
from affiliates.worker.faults import told
from affiliates.worker.registry import job_named
from affiliates.worker.rules import in_words
from affiliates.worker.running import run_job
from affiliates.worker.selectors import due_jobs, health
from affiliates.worker.types import UnknownJob

COLUMNS = ("JOB", "INTERVAL", "LAST RUN", "RESULT")


class Command(BaseCommand):
    help = (
        "Runs background jobs by their names, one after the other, unless another process "
        "is at them. Ends with status 0 when they are done or run elsewhere, 1 when one "
        "failed, 2 for a name that no job has."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "jobs", nargs="*", metavar="JOB", help="A name from --list; several may be."
        )
        parser.add_argument(
            "--all-due", action="store_true", help="Run every job that is due."
        )
        parser.add_argument(
            "--list",
            action="store_true",
            help="Show the jobs with their intervals and last results; run none.",
        )
        add_every(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        names, every = options["jobs"], options["every"]
        if bool(names) + options["all_due"] + options["list"] != 1:
            raise fault("Name one job or several, or use either --all-due or --list.")
        if options["list"]:
            self.stdout.write("\n".join(_table()))
            return
        _require(names)
        failed: list[str] = []

        def run_pass(should_stop: Callable[[], bool]) -> None:
            failed[:] = self._run(names or due_jobs(timezone.now()), should_stop)

        repeat(run_pass, every=every)
        if failed:
            raise CommandError(f"Failed: {', '.join(failed)}.")

    def _run(self, names: list[str], should_stop: Callable[[], bool]) -> list[str]:
        """Returns the jobs that failed; the others are run all the same."""
        failed = []
        for name in names:
            if should_stop():
                break
            try:
                self.stdout.write(str(run_job(name, should_stop=should_stop)))
            except Exception as error:  # noqa: BLE001 - the log has it, and the status
                self.stderr.write(f"{name} failed: {told(error)}")
                failed.append(name)
            self.stdout.flush()
        return failed


def _require(names: list[str]) -> None:
    try:
        for name in names:
            job_named(name)
    except UnknownJob as error:
        raise fault(str(error)) from None


def _table() -> Iterator[str]:
    rows = [COLUMNS, *_rows()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def _rows() -> Iterator[tuple[str, ...]]:
    for job in health(timezone.now()):
        last = job.last_started_at
        ran = f"{last:%Y-%m-%d %H:%M:%S} UTC" if last else "-"
        result = "running" if job.is_running else job.outcome
        yield job.name, in_words(job.every), ran, result
