from __future__ import annotations

import json
import re
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

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

    def handle(self, *args: Any, **options: Any) -> None:
        port: int = options["port"]
        if not 1 <= port <= MAX_PORT:
            raise CommandError(f"--port must be between 1 and {MAX_PORT}.")
        tracker: str = options["tracker"].rstrip("/")
        if not ORIGIN.fullmatch(tracker):
            raise CommandError("--tracker must look like http://127.0.0.1:8900.")
        try:
            demo = seed_demo(port=port, tracker=tracker)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        is_for_people: bool = options["guide"]
        self.stdout.write(
            guide(demo, tracker=tracker) if is_for_people else json.dumps(asdict(demo))
        )
