from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError
from django.utils import timezone

from affiliates.ledger.services import rebuild_balances
from affiliates.management.options import brand_named
from affiliates.management.progress import Progress
from affiliates.verification.checks import all_checks
from affiliates.verification.proved.proofs import Proofs
from affiliates.verification.verify import Verification
from affiliates.worker.services import note_verification

FOUND_FAULTS = 1


class Command(BaseCommand):
    help = (
        "Checks sales, commissions, payouts and the books against each other and prints "
        "every row that is not as the others say, with amounts in minor units. Changes "
        "none of them. Ends with status 0 when all agrees, 1 when something does not, 2 when "
        "it could not run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--brand", help="Name or id. Default: every brand.")
        parser.add_argument(
            "--deep",
            action="store_true",
            help="Also make every receipt and decision anew and read every seal, except "
            "of rows that were proved so before and have not changed.",
        )
        parser.add_argument(
            "--all",
            action="store_true",
            help="With --deep: without that exception. It is not made with --brand.",
        )
        parser.add_argument(
            "--rebuild-balances",
            action="store_true",
            help="First sum the balances anew from the entries. Postings wait meanwhile.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["brand"]
        brand_id = None if name is None else brand_named(name).pk
        if options["rebuild_balances"]:
            count = rebuild_balances(brand_id=brand_id)
            self.stdout.write(f"Summed {count:,} balances anew.")
        proofs = None
        if options["deep"] and brand_id is None:
            proofs = Proofs(renews=options["all"])
        count = self._verify(brand_id, is_deep=options["deep"], proofs=proofs)
        if brand_id is None:
            self._note(count, proofs)
        if count:
            raise SystemExit(FOUND_FAULTS)

    def _note(self, count: int, proofs: Proofs | None) -> None:
        """For the admin's first page. A standby can be verified, and not be written to."""
        try:
            if proofs is not None:
                proofs.save()
            note_verification(
                found=f"{count:,} findings" if count else "", now=timezone.now()
            )
        except DatabaseError as fault:
            self.stderr.write(f"When this was verified is not noted: {fault}")

    def _verify(
        self, brand_id: int | None, *, is_deep: bool, proofs: Proofs | None
    ) -> int:
        verification = Verification(
            brand_id=brand_id, checks=all_checks(is_deep=is_deep), proofs=proofs
        )
        progress = Progress(self.stderr, "Verifying", verification.total())
        count = 0
        for finding in verification.findings(on_row=progress.show):
            count += 1
            progress.clear()
            self.stdout.write(f"{finding.row} {finding.meaning}")
        progress.clear()
        read = ", ".join(
            f"{read:,} {label}" for label, read in verification.counts.items()
        )
        self.stdout.write(f"Read {read or 'nothing: there are no rows'}.")
        if verification.skipped:
            self.stdout.write(
                f"Skipped {verification.skipped:,} that were proved before and have not "
                "changed: --all reads them."
            )
        self.stdout.write(f"{count:,} findings." if count else "Everything agrees.")
        return count
