from __future__ import annotations

from argparse import ArgumentParser
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from affiliates.contrib.reconciliation.compare import orders_between, reconcile
from affiliates.contrib.reconciliation.report import (
    CSV_HEADER,
    Summary,
    csv_row,
    heading,
    text_of,
)
from affiliates.management.csv_file import WriteRow, csv_file
from affiliates.management.options import (
    COULD_NOT_RUN,
    add_day_options,
    brand_named,
    days,
    fault,
    span,
)
from affiliates.management.progress import Progress
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.registry import ADAPTERS

FOUND_DIFFERENCES = 1


class Command(BaseCommand):
    help = (
        "Compares what was decided and sent for every order with what the tracking "
        "provider holds. Changes nothing, here or there. Ends with status 0 when all "
        "agrees, 1 when something differs, 2 when it could not run or nothing differs "
        "but the provider was not asked for every order."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--brand",
            help="Name or id. Default: every brand whose integration is active.",
        )
        add_day_options(parser)
        parser.add_argument(
            "--all", action="store_true", help="Print the orders that agree as well."
        )
        parser.add_argument(
            "--csv",
            metavar="FILE",
            help="Write every order, also those that agree, to this file.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        first, last = days(options["first"], options["last"])
        integrations = _integrations(options["brand"])
        with csv_file(options["csv"], CSV_HEADER) as write_row:
            summaries = [
                self._reconcile(
                    integration,
                    first,
                    last,
                    prints_all=options["all"],
                    write_row=write_row,
                )
                for integration in integrations
            ]
        if any(summary.difference_count for summary in summaries):
            raise SystemExit(FOUND_DIFFERENCES)
        if unasked := sum(summary.unasked_count for summary in summaries):
            raise CommandError(
                f"The provider was not asked for {unasked:,} of the orders, so nothing "
                "can be said of them: --all says why.",
                returncode=COULD_NOT_RUN,
            )

    def _reconcile(
        self,
        integration: TrackingIntegration,
        first: date,
        last: date,
        *,
        prints_all: bool,
        write_row: WriteRow,
    ) -> Summary:
        brand = integration.brand.name
        adapter = ADAPTERS.get(integration.provider)
        provider = adapter.name if adapter else integration.provider
        self.stdout.write(f"{brand} ({provider}), {first} to {last}")
        start, end = span(first, last)
        orders = orders_between(integration, first=start, last=end)
        # Ids alone, so that no query stays open while the provider is asked.
        ids = list(orders.values_list("pk", flat=True).iterator())
        progress = Progress(self.stderr, brand, len(ids))
        summary = Summary()
        is_headed = False
        for line in reconcile(integration, ids, now=timezone.now()):
            summary.add(line)
            write_row(csv_row(brand, line))
            if prints_all or line.verdict.is_difference:
                progress.clear()
                self.stdout.write(
                    text_of(line) if is_headed else f"{heading()}\n{text_of(line)}"
                )
                is_headed = True
            progress.show(summary.verdicts.total())
        progress.clear()
        self.stdout.write("\n".join(summary.lines()))
        return summary


def _integrations(brand: str | None) -> list[TrackingIntegration]:
    rows = TrackingIntegration.trackers.select_related("brand")
    if brand is None:
        active = list(rows.filter(is_active=True, brand__is_active=True))
        if not active:
            raise fault(
                "No brand has an active tracking integration. Add or switch on one in "
                "admin, or name a brand with --brand."
            )
        return active
    wanted_brand = brand_named(brand)
    integration = rows.filter(brand=wanted_brand).order_by("-is_active", "-pk").first()
    if integration is None:
        raise fault(f"{wanted_brand} has no tracking integration. Add one in admin.")
    return [integration]
