from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from affiliates.contrib.statistics.open_days import brands_counted
from affiliates.contrib.statistics.services import count_next, mark_all, mark_changes
from affiliates.management.options import brand_named
from affiliates.management.progress import Progress


class Command(BaseCommand):
    help = (
        "Counts every closed day of the statistics anew from the rows, but for the clicks "
        "of days whose clicks have been purged. Pages go on meanwhile. May be stopped: "
        "the worker goes on where it ended."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--brand", help="Name or id. Default: every brand.")

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["brand"]
        brands = list(brands_counted()) if name is None else [brand_named(name)]
        for brand in brands:
            mark_changes(brand, now=timezone.now())
            progress = Progress(
                self.stderr, str(brand), mark_all(brand, now=timezone.now())
            )
            counted = 0
            while count_next(brand, now=timezone.now()):
                counted += 1
                progress.show(counted)
            progress.clear()
            self.stdout.write(f"{brand}: counted {counted:,} days.")
