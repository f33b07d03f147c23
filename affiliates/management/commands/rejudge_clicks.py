from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from affiliates.brands.models.brand import Brand
from affiliates.conf import conf
from affiliates.management.options import brand_named, day, span
from affiliates.management.progress import Progress
from affiliates.visits.robots.rejudging import clicks_with_agent, rejudge_clicks


class Command(BaseCommand):
    help = (
        "Judges stored clicks again by the present list of robots, as far as their user "
        "agents are kept, and prints how many change. Commissions, orders and decisions "
        "stay; statistics are recounted. Without --yes nothing is changed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--brand", help="Name or id. Default: every brand.")
        parser.add_argument(
            "--since",
            metavar="DATE",
            help="First day, 2026-03-01. Default: as long as user agents are kept.",
        )
        parser.add_argument(
            "--yes", action="store_true", help="Do it, instead of only printing it."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        name, since = options["brand"], _since(options["since"])
        brands = Brand.objects.order_by("pk") if name is None else [brand_named(name)]
        for brand in brands:
            self._rejudge(brand, since, writes=options["yes"])
        if not options["yes"]:
            self.stdout.write("Nothing was changed. Add --yes to change it.")

    def _rejudge(self, brand: Brand, since: datetime, *, writes: bool) -> None:
        total = clicks_with_agent(brand, since).count()
        progress = Progress(self.stderr, str(brand), total)
        counts: Counter[str] = Counter()
        for clicks in rejudge_clicks(brand, since=since, writes=writes):
            counts["all"] += len(clicks)
            counts["robots"] += sum(click.became_robot for click in clicks)
            counts["people"] += sum(click.became_person for click in clicks)
            progress.show(counts["all"])
        progress.clear()
        self.stdout.write(
            f"{brand}: {counts['all']:,} clicks, of which {counts['robots']:,} of people "
            f"are robots' and {counts['people']:,} of robots are people's."
        )


def _since(text: str | None) -> datetime:
    if text is None:
        return timezone.now() - timedelta(days=conf.keep_user_agents_days)
    first = day("--since", text)
    return span(first, first)[0]
