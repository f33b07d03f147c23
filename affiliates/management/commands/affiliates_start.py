from __future__ import annotations

from argparse import ArgumentParser
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from affiliates.operations.health.program import first_steps
from affiliates.plans.services import start_program


class Command(BaseCommand):
    help = (
        "Makes what must exist before anything earns: a brand, the domain of its client "
        "area, and a plan by which every line of an invoice earns the same. Change them "
        "in the admin."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("brand", help="Its name.")
        parser.add_argument(
            "--domain",
            required=True,
            metavar="HOST",
            help="Of its pages: shop.example.com, or localhost:8000 while developing.",
        )
        parser.add_argument(
            "--percent", type=Decimal, required=True, help="What every line earns."
        )
        parser.add_argument(
            "--hold-days",
            type=int,
            default=30,
            metavar="DAYS",
            help="Between payment and approval; 30 unless given, 0: at once.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            plan = start_program(
                brand_name=options["brand"],
                host=options["domain"],
                percent=options["percent"],
                hold_days=options["hold_days"],
                now=timezone.now(),
            )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        self.stdout.write(
            f"{plan.brand} at {options['domain']} is brand {plan.brand_id}: every "
            f"invoice line earns {options['percent']} % by the plan {plan.name}."
        )
        missing = [step.title for step in first_steps(plan.brand) if not step.is_fine]
        self.stdout.write(f"Missing: {', '.join(missing)}.")
