from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand
from django.db.models import QuerySet

from affiliates.management.options import brand_named, day, span
from affiliates.management.progress import Progress
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.replay import Replay, ReplayResult, replay

FOUND_DIFFERENCES = 1
CHUNK = 500


class Command(BaseCommand):
    help = (
        "Makes every stored attribution decision again from its own inputs and compares. "
        "Changes nothing. Ends with status 0 when all come out the same, 1 when one "
        "differs, 2 when it could not run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--brand", help="Name or id. Default: every brand.")
        parser.add_argument(
            "--since",
            metavar="DATE",
            help="First day of conversion, 2026-03-01. Default: from the beginning.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        orders = _orders(options["brand"], options["since"])
        progress = Progress(self.stderr, "Decisions", orders.count())
        results: Counter[ReplayResult] = Counter()
        for order_ref, again in _replays(orders):
            results[again.result] += 1
            if again.result is ReplayResult.DIFFERENT:
                progress.clear()
                self.stdout.write(
                    f"Order {order_ref}: stored {again.stored_winner}, "
                    f"recomputed {again.recomputed_winner}"
                )
            progress.show(results.total())
        progress.clear()
        different = results[ReplayResult.DIFFERENT]
        unreadable = results[ReplayResult.NOT_REPLAYABLE]
        self.stdout.write(
            f"{results.total() - unreadable:,} replayed, {different:,} differences, "
            f"{unreadable:,} not replayable"
        )
        if different:
            raise SystemExit(FOUND_DIFFERENCES)


def _orders(brand: str | None, since: str | None) -> QuerySet[OrderReferral]:
    orders = OrderReferral.objects.order_by("pk")
    if brand is not None:
        orders = orders.filter(brand=brand_named(brand))
    if since is not None:
        first = day("--since", since)
        orders = orders.filter(converted_at__gte=span(first, first)[0])
    return orders


def _replays(orders: QuerySet[OrderReferral]) -> Iterator[tuple[str, Replay]]:
    rows = orders.values_list("order_ref", "decision")
    for order_ref, decision in rows.iterator(chunk_size=CHUNK):
        yield order_ref, replay(decision)
