from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from affiliates.contrib.statistics.feed import faulty_triggers
from affiliates.contrib.statistics.open_days import brands_counted
from affiliates.contrib.statistics.types import Span
from affiliates.contrib.statistics.verify import differences
from affiliates.management.options import add_day_options, brand_named, days
from affiliates.management.progress import Progress

FOUND_FAULTS = 1


class Command(BaseCommand):
    help = (
        "Compares the statistics of closed days with the rows and prints every number "
        "that differs, amounts in minor units. Of days whose clicks have been purged no "
        "click is compared. Changes nothing. Ends with status 0 when all agrees, 1 when "
        "something does not, 2 when it could not run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--brand", help="Name or id. Default: every brand.")
        add_day_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["brand"]
        brands = list(brands_counted()) if name is None else [brand_named(name)]
        span = Span(*days(options["first"], options["last"]))
        count = 0
        for trigger, fault in faulty_triggers():
            count += 1
            self.stdout.write(f"The trigger {trigger} {fault} Run migrate.")
        for brand in brands:
            progress = Progress(self.stderr, str(brand), len(list(span.days())))
            for difference in differences(brand, span, on_day=progress.show):
                count += 1
                progress.clear()
                self.stdout.write(f"{brand}, {difference}")
            progress.clear()
        told = f"{count:,} findings." if count else "Everything agrees."
        self.stdout.write(f"Compared {span.first} to {span.last}. {told}")
        if count:
            raise SystemExit(FOUND_FAULTS)
