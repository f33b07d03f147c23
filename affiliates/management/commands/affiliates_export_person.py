from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone, translation

from affiliates.core.language import LANGUAGES
from affiliates.management.options import brand_named, email_given, fault
from affiliates.privacy.export import export_of, files_of
from affiliates.privacy.selectors import subjects_with


class Command(BaseCommand):
    help = (
        "Writes what is stored of a client, an affiliate, an applicant or a member of "
        "staff into a folder, as JSON and as a page to read. What it reads is the table "
        "of personal data."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--email", required=True, metavar="ADDRESS", help="Of the person."
        )
        parser.add_argument(
            "--brand",
            metavar="NAME",
            help="Only of this brand, by its name or id. Default: of all, and of staff.",
        )
        parser.add_argument(
            "--output",
            default=".",
            metavar="FOLDER",
            help="Where the files are written. Default: here.",
        )
        parser.add_argument(
            "--language",
            default="en",
            choices=sorted(LANGUAGES),
            help="Of the page. Default: en.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        email = email_given(options["email"])
        name = options["brand"]
        brands = None if name is None else [brand_named(name)]
        folder = Path(options["output"])
        if not folder.is_dir():
            raise fault(f"There is no folder {folder}.")
        with translation.override(options["language"]):
            subjects = subjects_with(email, brands)
            export = export_of(subjects, email=email, now=timezone.now())
            if not export["parts"]:
                raise fault(f"Nothing is stored of {email}.")
            for name, content in files_of(export):
                path = folder / name
                # For its owner alone to read.
                path.touch(mode=0o600)
                path.write_text(content, "utf-8")
                self.stdout.write(f"{path}")
