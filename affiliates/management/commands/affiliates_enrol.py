from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from affiliates.adapter import get_adapter
from affiliates.brands.models.brand import Brand
from affiliates.program.services import enrol


class Command(BaseCommand):
    help = "Makes a client an active affiliate of its brand and prints its link."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("client_id", help="The client's primary key.")
        parser.add_argument(
            "--code", required=True, help="For links such as ?ref=CODE."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        client = get_adapter().get_client(options["client_id"])
        if client is None:
            raise CommandError(f"The adapter knows no client {options['client_id']}.")
        try:
            affiliate = enrol(
                get_user_model()._default_manager.get(pk=client.id),
                brand=Brand.objects.get(pk=client.brand_id),
                code=options["code"],
            )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        self.stdout.write(f"{affiliate.code} is an affiliate: {affiliate.url()}")
