from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from affiliates.commissions.services.maturing import mature_all
from affiliates.management.repeating import add_every, repeat


class Command(BaseCommand):
    help = (
        "Approves the commissions whose hold is over, as their plans say, once or every "
        "so many seconds. Any number of processes may run at the same time, and again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_every(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        repeat(
            lambda should_stop: self.stdout.write(
                str(mature_all(now=timezone.now, should_stop=should_stop))
            ),
            every=options["every"],
        )
