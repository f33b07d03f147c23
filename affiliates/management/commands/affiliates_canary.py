from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from affiliates.canary.services import run_canaries


class Command(BaseCommand):
    help = (
        "Walks as a made-up visitor over every test brand, from the visit to the refund, "
        "and says whether all of it was recorded as it should be."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        runs = run_canaries(now=timezone.now())
        if not runs:
            raise CommandError("There is no active test brand: mark one in the admin.")
        for run in runs:
            step = "" if run.is_ok else f" (at the step {run.get_step_display()})"
            self.stdout.write(f"{run}{step}")
        if not all(run.is_ok for run in runs):
            raise CommandError("The canary did not arrive.")
