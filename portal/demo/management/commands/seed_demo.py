from __future__ import annotations

import json
import re
from argparse import ArgumentParser
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from benchmarks.year.program import accounts
from benchmarks.year.seed import began_at, has_happened, seed_year
from portal.demo.seed import guide, seed_demo

DEFAULT_PORT = 8000
MAX_PORT = 65_535
DEFAULT_TRACKER = "http://127.0.0.1:8900"
ORIGIN = re.compile(r"https?://[A-Za-z0-9.:\[\]-]{1,200}")


class Command(BaseCommand):
    help = "Creates or repairs the demonstration and prints it as one line of JSON."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--port", type=int, default=DEFAULT_PORT, help="Where the demo is served."
        )
        parser.add_argument(
            "--tracker",
            default=DEFAULT_TRACKER,
            help="Where the simulated affiliate network is served.",
        )
        parser.add_argument(
            "--guide", action="store_true", help="Say what to open instead of JSON."
        )

        parser.add_argument(
            "--year",
            action="store_true",
            help="With twelve months of affiliates, clicks, orders and payouts.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        port: int = options["port"]
        if not 1 <= port <= MAX_PORT:
            raise CommandError(f"--port must be between 1 and {MAX_PORT}.")
        tracker: str = options["tracker"].rstrip("/")
        if not ORIGIN.fullmatch(tracker):
            raise CommandError("--tracker must look like http://127.0.0.1:8900.")
        now = timezone.now()
        try:
            demo = seed_demo(
                port=port,
                tracker=tracker,
                since=began_at(now) if options["year"] else now,
            )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        if options["year"]:
            self._seed_year(demo.brand_id, now=now)
        is_for_people: bool = options["guide"]
        others = accounts() if options["year"] else {}
        self.stdout.write(
            guide(demo, tracker=tracker, others=others)
            if is_for_people
            else json.dumps(asdict(demo))
        )

    def _seed_year(self, brand_id: int, *, now: datetime) -> None:
        """Once: where orders were placed, they stay as they are."""
        if has_happened(brand_id):
            self.stderr.write("There are orders in this database already: they stay.")
            return
        seed_year(brand_id, now=now)
