from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand
from django.utils import timezone

from affiliates.contrib.imports.files.rows import (
    DateOrder,
    DecimalMark,
    ImportKind,
    ParseOptions,
    Source,
)
from affiliates.contrib.imports.models import ImportFile, ImportState
from affiliates.contrib.imports.sentences import sentence_of
from affiliates.contrib.imports.services import (
    check_import,
    confirm_import,
    keep_file,
    run_import,
    withdraw_import,
)
from affiliates.errors import AffiliatesError
from affiliates.management.options import brand_named, fault
from affiliates.management.progress import Progress

NOT_IMPORTED = 1
MARKS = {"": DecimalMark.EITHER, "point": DecimalMark.POINT, "comma": DecimalMark.COMMA}


class Command(BaseCommand):
    help = (
        "Imports a file of another system: all of its good rows, or nothing. Run again, it "
        "changes nothing. Ends with status 0 when nothing is wrong in it or the bad rows "
        "were left out, 1 when bad rows kept it from being imported or would, 2 when it "
        "could not run."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--brand", required=True, help="Name or id.")
        parser.add_argument("--kind", required=True, choices=list(ImportKind))
        parser.add_argument(
            "--format",
            default=Source.OWN,
            choices=list(Source),
            help="The system whose columns it has. Default: ours.",
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="Only say what it would do."
        )
        parser.add_argument(
            "--leave-out-bad-rows",
            action="store_true",
            help="Import the good rows also where others are bad.",
        )
        parser.add_argument("--decimal-mark", choices=["point", "comma"], default="")
        parser.add_argument(
            "--date-order",
            choices=[order.value for order in DateOrder if order],
            default=DateOrder.UNSURE,
        )
        parser.add_argument("--time-zone", help="Default: the brand's.")
        parser.add_argument("--currency", default="", help="Of rows that name none.")
        parser.add_argument("--reason", default="", help="Of balances that give none.")
        parser.add_argument(
            "--staff",
            metavar="EMAIL",
            help="Who imports it; needed for past orders.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        file = self._kept(options)
        progress = Progress(self.stderr, options["file"], file.line_count)
        file = check_import(file.pk, now=timezone.now(), progress=progress.show)
        progress.clear()
        self._print(file)
        is_wrong = file.state == ImportState.FAILED or (
            file.bad_count and not options["leave_out_bad_rows"]
        )
        if file.can_be_confirmed and not is_wrong and not options["dry_run"]:
            confirm_import(
                file_id=file.pk,
                leaves_out_bad=options["leave_out_bad_rows"],
                actor_id=file.uploaded_by_id,
                now=timezone.now(),
            )
            file = run_import(file.pk, now=timezone.now(), progress=progress.show)
            progress.clear()
            is_wrong = file.state != ImportState.DONE
            if is_wrong:
                self._print(file)
            else:
                self.stdout.write("Imported.")
        elif file.state == ImportState.CHECKED:
            withdraw_import(file_id=file.pk, now=timezone.now())
            self.stdout.write("Nothing was imported.")
        if is_wrong:
            raise SystemExit(NOT_IMPORTED)

    def _kept(self, options: dict[str, Any]) -> ImportFile:
        brand = brand_named(options["brand"])
        try:
            content = Path(options["file"]).read_bytes()
            zone = (
                ZoneInfo(options["time_zone"]) if options["time_zone"] else brand.zone()
            )
        except OSError as error:
            raise fault(
                f"{options['file']} cannot be read: {error.strerror}."
            ) from None
        except (ValueError, ZoneInfoNotFoundError):
            name = options["time_zone"]
            raise fault(f"--time-zone: there is no zone {name}.") from None
        try:
            return keep_file(
                brand_id=brand.pk,
                kind=ImportKind(options["kind"]),
                source=Source(options["format"]),
                name=Path(options["file"]).name,
                content=content,
                options=ParseOptions(
                    decimal_mark=MARKS[options["decimal_mark"]],
                    date_order=DateOrder(options["date_order"]),
                    zone=zone,
                    currency=options["currency"].upper(),
                    reason=options["reason"],
                ),
                actor_id=_staff(options["staff"]),
                now=timezone.now(),
            )
        except AffiliatesError as refusal:
            raise fault(refusal.detail) from None

    def _print(self, file: ImportFile) -> None:
        for row_fault in file.faults.all():
            place = f"Row {row_fault.row_number}, {row_fault.column}".rstrip(", ")
            text = sentence_of(row_fault.code, row_fault.params)
            self.stderr.write(f"{place}: {text}" if row_fault.row_number else text)
        self.stdout.write(
            f"{file.new_count:,} new, {file.matched_count:,} matched, "
            f"{file.same_count:,} known, {file.bad_count:,} bad."
        )


def _staff(email: str | None) -> Any:
    if email is None:
        return None
    model = get_user_model()
    field = model.get_email_field_name()
    user = model._default_manager.filter(
        **{f"{field}__iexact": email, "is_staff": True}
    ).first()
    if user is None:
        raise fault(f"Nobody of staff has the e-mail address {email}.")
    return user.pk
