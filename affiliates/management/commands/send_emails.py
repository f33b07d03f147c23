from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from affiliates.emails.sending import MailServerUnusable, describe, send_due
from affiliates.management.repeating import add_every, repeat


class Command(BaseCommand):
    help = (
        "Sends the e-mails that wait in the outbox, once or every so many seconds. Any "
        "number of processes may run at the same time, and again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_every(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        repeat(self._run_pass, every=options["every"])

    def _run_pass(self, should_stop: Callable[[], bool]) -> None:
        try:
            states = send_due(now=timezone.now, should_stop=should_stop)
        except MailServerUnusable as error:
            self.stderr.write(f"The mail server cannot be used: {error}.")
        else:
            self.stdout.write(describe(states))
