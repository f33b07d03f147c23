from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from portal.billing.renewals import issue_renewals


class Command(BaseCommand):
    help = (
        "Issues the invoice of every renewal that is due. Run it every day: what it "
        "has issued it does not issue again."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        issued = 0
        for invoice in issue_renewals(now=timezone.now()):
            issued += 1
            if options["verbosity"] > 1:
                self.stdout.write(f"{invoice.number}: order {invoice.order_id}")
        self.stdout.write(f"{issued} renewals issued")
