from __future__ import annotations

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from affiliates.outbox.sending.purging import purge_deliveries

MIN_DAYS, MAX_DAYS = 1, 36_500


class Command(BaseCommand):
    help = (
        "Deletes finished deliveries of clicks and events, with their attempts. Sales, "
        "leads and reversals are kept: they prove what was sent."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--older-than",
            type=int,
            required=True,
            metavar="DAYS",
            help="Days since the delivery was finished.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        days: int = options["older_than"]
        if not MIN_DAYS <= days <= MAX_DAYS:
            raise CommandError(
                f"--older-than must be between {MIN_DAYS} and {MAX_DAYS}."
            )
        count = purge_deliveries(older_than=timedelta(days=days), now=timezone.now())
        self.stdout.write(f"{count} deliveries deleted.")
