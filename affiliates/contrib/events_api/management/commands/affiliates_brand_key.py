from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from affiliates.contrib.events_api.models import BrandKey
from affiliates.contrib.events_api.rules import BrandScope, read_cap
from affiliates.contrib.events_api.services import give_brand_key
from affiliates.management.options import brand_named


class Command(BaseCommand):
    help = (
        "Makes a key with which a program, such as your billing system, reports events "
        "and reads lists, and prints it. It is stored nowhere: a lost key is replaced."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="Which program uses it.")
        parser.add_argument("--brand", required=True, help="Name or id.")
        parser.add_argument(
            "--scope",
            action="append",
            choices=BrandScope.values,
            help="May be given several times. Without it: events:write.",
        )

        parser.add_argument(
            "--daily-cap",
            nargs=2,
            metavar=("AMOUNT", "CURRENCY"),
            help="Commission of a day of UTC, above which commissions are held.",
        )
        parser.add_argument(
            "--signed",
            action="store_true",
            help="Bodies are signed, with a secret that is printed as a second line.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        key = BrandKey(
            brand=brand_named(options["brand"]),
            name=options["name"],
            scopes=options["scope"] or [BrandScope.EVENTS_WRITE.value],
        )
        if options["daily_cap"] is not None:
            amount, key.cap_currency = options["daily_cap"]
            key.daily_cap = read_cap(amount, key.cap_currency)
            if key.daily_cap is None:
                raise CommandError("Give an amount and its currency, such as 500 EUR.")
        new_key = give_brand_key(
            key, is_signed=options["signed"], actor_id=None, now=timezone.now()
        )
        self.stdout.write("\n".join(filter(None, new_key)))
