from __future__ import annotations

import os
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.utils import timezone

from portal.demo.seeding.seed import Wanted, is_empty, seed
from portal.demo.seeding.statistics import count_statistics

DEFAULTS = Wanted(clicks=5_000_000, orders=200_000, affiliates=10_000, brands=2)
# Below that a brand has not one copy of each history.
MIN_ORDERS_PER_BRAND = 30
MIN_CLICKS_PER_ORDER = 3


class Command(BaseCommand):
    help = (
        "Fills an empty database with a large program, whose books agree: a few genuine "
        "histories, copied many times. For measuring; nothing of it is anybody's."
    )

    _shown = ("", 0)

    def add_arguments(self, parser: ArgumentParser) -> None:
        for name, value in DEFAULTS._asdict().items():
            parser.add_argument(
                f"--{name}", type=int, default=value, help=f"Default: {value:,}."
            )
        parser.add_argument(
            "--jobs",
            type=int,
            help="How many write at once. Default: one per processor on PostgreSQL.",
        )
        parser.add_argument(
            "--add",
            action="store_true",
            help="Also where there are brands already, whose rows stay as they are.",
        )

        parser.add_argument(
            "--no-statistics",
            action="store_true",
            help="Leave it to the worker to count them.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = Wanted(**{name: options[name] for name in Wanted._fields})
        _require(wanted)
        if not (options["add"] or is_empty()):
            raise CommandError(
                "There are brands in this database. Name an empty one in DATABASE_URL, "
                "or add to it with --add."
            )
        began = time.monotonic()
        jobs = options["jobs"] or _jobs()
        seed(wanted, now=timezone.now(), jobs=jobs, say=self._say)
        if not options["no_statistics"]:
            count_statistics(jobs=jobs, stdout=self.stdout, stderr=self.stderr)
        self.stdout.write(f"Filled in {time.monotonic() - began:.0f} s.")

    def _say(self, name: str, done: int, total: int) -> None:
        """In place on a terminal, elsewhere a line for every tenth."""
        text = f"{name} {done:,} of {total:,}"
        shown = (name, done * 10 // total)
        if self.stderr.isatty():
            self.stderr.write(f"\r{text}\x1b[K", ending="" if done < total else "\n")
        elif shown != self._shown:
            self.stderr.write(text)
        self._shown = shown
        self.stderr.flush()


def _jobs() -> int:
    if connection.vendor != "postgresql" or connection.in_atomic_block:
        return 1
    return os.cpu_count() or 1


def _require(wanted: Wanted) -> None:
    if min(wanted) < 1:
        raise CommandError("Every number must be 1 or more.")
    if wanted.orders < wanted.brands * MIN_ORDERS_PER_BRAND:
        raise CommandError(f"--orders: at least {MIN_ORDERS_PER_BRAND} for each brand.")
    if wanted.clicks < wanted.orders * MIN_CLICKS_PER_ORDER:
        raise CommandError(f"--clicks: at least {MIN_CLICKS_PER_ORDER} for each order.")
