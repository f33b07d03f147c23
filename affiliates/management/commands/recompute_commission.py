from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from affiliates.commissions.models import Commission
from affiliates.commissions.selectors import Recomputed, recomputed
from affiliates.core.money import amount_text
from affiliates.management.progress import Progress
from affiliates.plans.rules.explanations import explain_receipt

MAX_ID = 2**63 - 1


class Command(BaseCommand):
    help = (
        "Computes commissions again from their stored receipts alone and prints each "
        "line's formula. Fails when any minor unit differs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("commission_ids", metavar="ID", nargs="*", type=int)
        parser.add_argument(
            "--all", action="store_true", help="Every commission, formulas left out."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        ids: list[int] = options["commission_ids"]
        if bool(ids) == options["all"]:
            raise CommandError("Name the commissions by their IDs, or pass --all.")
        commissions = Commission.objects.order_by("pk")
        if ids:
            known = [pk for pk in set(ids) if 0 < pk <= MAX_ID]
            commissions = commissions.filter(pk__in=known)
            found = commissions.values_list("pk", flat=True)
            if missing := sorted(set(ids).difference(found)):
                names = ", ".join(map(str, missing))
                raise CommandError(f"There is no commission {names}.")
        progress = Progress(self.stderr, "Commissions", commissions.count())
        count = differences = 0
        for result in recomputed(commissions):
            count += 1
            differences += not result.is_same
            if ids or not result.is_same:
                progress.clear()
                self._print(result)
            progress.show(count)
        progress.clear()
        self.stdout.write(f"{count:,} commissions, {differences:,} differ.")
        if differences:
            raise CommandError("Commissions do not follow from their receipts.")

    def _print(self, result: Recomputed) -> None:
        commission = result.commission
        stored = amount_text(commission.amount, commission.currency)
        self.stdout.write(f"Commission {commission.pk}: {stored}")
        for line in result.lines:
            self.stdout.write(f"  Line {line.position}: {line.description}")
            for sentence in explain_receipt(line.receipt):
                self.stdout.write(f"    {sentence}")
            amount = amount_text(line.recomputed, commission.currency)
            stored = amount_text(line.stored, commission.currency)
            verdict = "" if line.is_same else f" DIFFERS: {stored} is stored"
            self.stdout.write(f"    = {amount}{verdict}")
        if result.total != commission.amount:
            total = amount_text(result.total, commission.currency)
            self.stdout.write(f"  DIFFERS: its lines add up to {total}")
