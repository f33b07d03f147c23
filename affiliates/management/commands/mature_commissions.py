from __future__ import annotations

import signal
from argparse import ArgumentParser
from threading import Event
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import close_old_connections
from django.utils import timezone

from affiliates.commissions.services.maturing import mature_due


class Command(BaseCommand):
    help = (
        "Approves the commissions whose hold is over, as their plans say, once or every "
        "so many seconds. Any number of processes may run at the same time, and again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--every",
            type=int,
            metavar="SECONDS",
            help="Go on until stopped, with such a pause between two passes.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        every: int | None = options["every"]
        if every is not None and every < 1:
            raise CommandError("--every must be at least 1 second.")
        stopped = Event()
        if every is not None:
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: stopped.set())
        while not stopped.is_set():
            self._run_pass(stopped)
            if every is None or stopped.wait(every):
                return
            close_old_connections()

    def _run_pass(self, stopped: Event) -> None:
        approved = waiting = rejected = skipped = after_id = 0
        while not stopped.is_set():
            batch = mature_due(now=timezone.now(), after_id=after_id)
            approved += batch.approved
            waiting += batch.waiting
            rejected += batch.rejected
            skipped += batch.skipped
            if batch.last_id is None:
                break
            after_id = batch.last_id
        self.stdout.write(
            f"{approved:,} approved, {waiting:,} wait for staff, {rejected:,} rejected, "
            f"{skipped:,} left for the next pass."
        )
