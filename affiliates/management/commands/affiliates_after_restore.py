from __future__ import annotations

from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from affiliates.operations.recovery.services import Recovered, recover

DEFAULT_NUMBERS = 1000


class Command(BaseCommand):
    help = (
        "Makes a promoted or restored database safe to work on, before the workers "
        "start: what may have been sent without its knowledge is looked up or left to a "
        "person instead of being sent again, and numbers that may have been given are "
        "left out. Prints what was done and what to compare with providers and banks by "
        "hand. Without --yes it changes nothing. Done once for each moment; a second "
        "time it prints the first report."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "restored_at",
            metavar="moment",
            help="When this database began to be written again, with its zone: "
            "2026-11-26T12:00:00Z.",
        )
        parser.add_argument(
            "--numbers",
            type=int,
            default=DEFAULT_NUMBERS,
            help="How many numbers of invoices and payout statements to leave out: more "
            f"than can have been given in what is lost. Default: {DEFAULT_NUMBERS}. 0 "
            "if nothing was lost.",
        )
        parser.add_argument(
            "--yes", action="store_true", help="Do it, instead of only printing it."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        recovered = recover(
            restored_at=_moment(options["restored_at"], now=now),
            numbers=_numbers(options["numbers"]),
            now=now,
            is_dry=not options["yes"],
        )
        if recovered.ran_at is not None:
            self.stdout.write(f"Done before, at {recovered.ran_at:%Y-%m-%d %H:%M:%S}.")
        self._print(recovered)
        if recovered.ran_at is None and not options["yes"]:
            self.stdout.write("Nothing was changed. Run it with --yes to do this.")

    def _print(self, recovered: Recovered) -> None:
        for line in recovered.done:
            self.stdout.write(line)
        self.stdout.write("By hand:")
        for line in recovered.by_hand:
            self.stdout.write(f"- {line}")


def _moment(text: str, *, now: datetime) -> datetime:
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None or timezone.is_naive(moment):
        raise CommandError(
            f"{text} is no moment with a zone: write it as 2026-11-26T12:00:00Z."
        )
    if moment > now:
        raise CommandError(f"{text} is in the future.")
    return moment


def _numbers(count: int) -> int:
    if not 0 <= count <= 1_000_000:
        raise CommandError("--numbers must be 0 to 1000000.")
    return count
