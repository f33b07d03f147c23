from __future__ import annotations

import json
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from affiliates.contrib.stripe.reading import Unreadable, items
from affiliates.contrib.stripe.services import receive_event
from affiliates.management.options import brand_named


class Command(BaseCommand):
    help = (
        "Applies a file of Stripe's events, as `stripe events list` prints them: those "
        "that the webhook lost. Events that were applied change nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", metavar="FILE", type=Path, help="JSON, as Stripe's tool prints it."
        )
        parser.add_argument("--brand", required=True, help="Name or id.")

    def handle(self, *args: Any, **options: Any) -> None:
        brand = brand_named(options["brand"])
        states: Counter[str] = Counter()
        try:
            events = items(json.loads(options["file"].read_bytes()))
            # Stripe lists the newest first.
            for event in sorted(events, key=lambda row: row["created"]):
                now = timezone.now()
                row = receive_event(brand_id=brand.pk, event=event, now=now)
                states[row.get_state_display() if row else "Not read"] += 1
        except (OSError, ValueError, LookupError, TypeError, Unreadable) as fault:
            raise CommandError(f"{options['file']}: {fault}") from fault
        for state, count in sorted(states.items()):
            self.stdout.write(f"{state}: {count:,}")
