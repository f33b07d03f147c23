from __future__ import annotations

import json
import re
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from portal.demo.seed import guide, seed_demo
from portal.demo.seeding.payout_account import put_payout_account
from portal.demo.year.program import accounts
from portal.demo.year.seed import began_at, has_year, require_empty, seed_year

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
            help="With twelve months of affiliates, clicks, orders and payouts, in an "
            "empty database.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        port: int = options["port"]
        if not 1 <= port <= MAX_PORT:
            raise CommandError(f"--port must be between 1 and {MAX_PORT}.")
        tracker: str = options["tracker"].rstrip("/")
        if not ORIGIN.fullmatch(tracker):
            raise CommandError("--tracker must look like http://127.0.0.1:8900.")
        wants_year: bool = options["year"]
        now = timezone.now()
        try:
            is_kept = has_year()
            if wants_year and not is_kept:
                require_empty()
            demo = seed_demo(
                port=port, tracker=tracker, since=began_at(now) if wants_year else now
            )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        if wants_year and is_kept:
            self.stderr.write("This database has its year already, which is kept.")
        elif wants_year:
            seed_year(demo.brand_id, now=now, say=self._say)
        put_payout_account(demo.brand_id, address=tracker)
        is_for_people: bool = options["guide"]
        others = accounts() if wants_year else {}
        self.stdout.write(
            guide(demo, tracker=tracker, others=others)
            if is_for_people
            else json.dumps(asdict(demo))
        )

    def _say(self, text: str) -> None:
        self.stderr.write(f"Twelve months of the demonstration: {text}.")
        self.stderr.flush()
