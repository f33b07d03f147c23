from __future__ import annotations

from argparse import ArgumentParser, BooleanOptionalAction
from typing import Any

from django.core.management.base import BaseCommand
from django.db import models

from affiliates.brands.models.brand import Brand
from affiliates.contrib.what_if.draft import (
    INSTEAD_OF,
    OPTIONS,
    PLAN,
    TERM_OPTIONS,
    draft_of,
)
from affiliates.contrib.what_if.report import (
    CSV_HEADER,
    csv_row,
    facts_of,
    summary_lines,
)
from affiliates.contrib.what_if.selectors import orders_between
from affiliates.contrib.what_if.simulate import SimulatedOutcome, simulate
from affiliates.contrib.what_if.types import Draft
from affiliates.errors import InvalidInput
from affiliates.management.csv_file import csv_file
from affiliates.management.options import (
    add_day_options,
    brand_named,
    days,
    fault,
    span,
)
from affiliates.management.progress import Progress
from affiliates.plans.models.plan import CommissionPlan

SHOWN_ROWS = 20


class Command(BaseCommand):
    help = (
        "Applies a draft of the attribution policy or of the commission plans to past "
        "orders and shows whose winner or amount would change, and what it would cost. "
        "Both sides are computed by the rules of today and of the draft; what is not "
        "named stays as it is today. Writes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--brand", required=True, help="Name or id.")
        add_day_options(parser)
        parser.add_argument("--csv", metavar="FILE", help="Every changed order.")
        _add_policy_options(parser)
        parser.add_argument(
            OPTIONS[PLAN], metavar="NAME", help="Everybody on this plan."
        )
        parser.add_argument(
            OPTIONS[INSTEAD_OF],
            metavar="NAME",
            help="With --plan: only those who are on this plan today.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        brand = brand_named(options["brand"])
        first_day, last_day = days(options["first"], options["last"])
        draft = _draft(brand, options)
        first, last = span(first_day, last_day)
        total = orders_between(brand, first=first, last=last).count()
        self.stdout.write(f"{brand}, {first_day} to {last_day}: {total:,} orders")
        progress = Progress(self.stderr, "Simulating", total)
        outcome = SimulatedOutcome()
        with csv_file(options["csv"], CSV_HEADER) as write_row:
            for change in simulate(
                brand, draft, first=first, last=last, outcome=outcome
            ):
                if change is not None:
                    write_row(csv_row(change))
                    if outcome.changed <= SHOWN_ROWS:
                        progress.clear()
                        self.stdout.write("  ".join(facts_of(change)))
                progress.show(outcome.looked_at)
        progress.clear()
        if outcome.changed > SHOWN_ROWS:
            self.stdout.write(
                f"... and {outcome.changed - SHOWN_ROWS:,} more: --csv writes them all."
            )
        self.stdout.write("\n".join(summary_lines(outcome)))


def _add_policy_options(parser: ArgumentParser) -> None:
    for name, option in TERM_OPTIONS.items():
        field = Brand._meta.get_field(name)
        if isinstance(field, models.BooleanField):
            parser.add_argument(option, dest=name, action=BooleanOptionalAction)
        elif isinstance(field, models.CharField):
            words = [word for word, _ in field.flatchoices]
            parser.add_argument(option, dest=name, choices=words)
        else:
            parser.add_argument(option, dest=name, type=int, metavar="NUMBER")


def _draft(brand: Brand, options: dict[str, Any]) -> Draft:
    try:
        return draft_of(
            brand,
            changes={
                name: options[name]
                for name in TERM_OPTIONS
                if options[name] is not None
            },
            plan=_plan(brand, options[PLAN]),
            instead_of=_plan(brand, options[INSTEAD_OF]),
        )
    except InvalidInput as refusal:
        raise fault(f"{OPTIONS[refusal.field or PLAN]}: {refusal.detail}") from None


def _plan(brand: Brand, name: str | None) -> CommissionPlan | None:
    if name is None:
        return None
    plan = CommissionPlan.objects.filter(brand=brand, name=name).first()
    if plan is None:
        raise fault(f"{brand} has no commission plan with the name {name}.")
    return plan
