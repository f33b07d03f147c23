from __future__ import annotations

import os
import signal
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from affiliates.db.clock import WrongClock, refuse_wrong_clock
from affiliates.worker.process import WorkerProcess
from affiliates.worker.registry import job_names, registered


class Command(BaseCommand):
    help = (
        "Runs every background job in its interval, until it is stopped: see "
        "affiliates_run --list. Any number may run, on any number of machines."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            refuse_wrong_clock()
        except WrongClock as fault:
            raise CommandError(str(fault)) from None
        process = WorkerProcess(
            jobs=registered(),
            now=timezone.now,
            report=self._say,
        )
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: process.stop())
        self._say(f"Working at {', '.join(job_names())}.")
        unfinished = process.run()
        if not unfinished:
            self._say("Stopped.")
            return
        self._say(f"Stopped in the middle of {', '.join(unfinished)}.")
        # Python would wait for their threads.
        os._exit(1)

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
