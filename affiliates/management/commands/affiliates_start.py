from __future__ import annotations

from argparse import ArgumentParser
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.utils import timezone

from affiliates.operations.health.program import first_steps
from affiliates.payouts.forms import MinimumsField
from affiliates.payouts.providers.registry import PROVIDERS
from affiliates.payouts.services.terms import start_payout_terms
from affiliates.plans.models.plan import CommissionPlan
from affiliates.plans.services import start_program


class Command(BaseCommand):
    help = (
        "Makes what must exist before anything earns: a brand, the domain of its client "
        "area, and a plan by which every line of an invoice earns the same; with --minimum "
        "or --pays also its payout terms. Change them in the admin."
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
        parser.add_argument(
            "--minimum",
            metavar="'EUR 50'",
            help="The least that is paid out, a currency and an amount; 50 units unless given.",
        )
        parser.add_argument(
            "--pays",
            nargs="+",
            choices=sorted(PROVIDERS),
            metavar="KIND",
            help="Ways to be paid, such as bank paypal; those of a new brand unless given.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            plan = self._start(options)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        self.stdout.write(
            f"{plan.brand} at {options['domain']} is brand {plan.brand_id}: every "
            f"invoice line earns {options['percent']} % by the plan {plan.name}."
        )
        missing = [step.title for step in first_steps(plan.brand) if not step.is_fine]
        self.stdout.write(f"Missing: {', '.join(missing)}.")

    @transaction.atomic
    def _start(self, options: dict[str, Any]) -> CommissionPlan:
        plan = start_program(
            brand_name=options["brand"],
            host=options["domain"],
            percent=options["percent"],
            hold_days=options["hold_days"],
            now=timezone.now(),
        )
        minimum, kinds = options["minimum"], options["pays"]
        if minimum or kinds:
            minimums = MinimumsField().clean(minimum) if minimum else {}
            start_payout_terms(brand=plan.brand, minimums=minimums, kinds=kinds)
        return plan
