from __future__ import annotations

import signal
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from affiliates.outbox.http.client import Transport
from affiliates.outbox.sending.worker import DEFAULT_THREADS, Worker
from affiliates.worker import services
from affiliates.worker.faults import survive
from affiliates.worker.running import beats_of

JOB = "deliveries"
MAX_THREADS = 64


class Command(BaseCommand):
    help = (
        "Delivers clicks, leads, sales and reversals to the brands' tracking "
        "integrations and events to their webhooks, until it is stopped, in a process of "
        "its own. Any number of processes may run at the same time."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--threads",
            type=int,
            default=DEFAULT_THREADS,
            help="How many integrations and webhooks are served at the same time.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        threads: int = options["threads"]
        if not 1 <= threads <= MAX_THREADS:
            raise CommandError(f"--threads must be between 1 and {MAX_THREADS}.")
        with Transport() as transport:
            worker = Worker(transport=transport, threads=threads)
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: worker.stop())
            worker.run(beats_of(JOB, now=timezone.now))
        survive(JOB, lambda: services.leave(JOB))
