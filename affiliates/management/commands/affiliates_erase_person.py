from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from affiliates.errors import AffiliatesError
from affiliates.management.options import brand_named, email_given, fault
from affiliates.privacy.erasure.selectors import changed_rows, obstacles_to
from affiliates.privacy.erasure.services import erase
from affiliates.privacy.selectors import Subject, subjects_with
from affiliates.privacy.types import Key


class Command(BaseCommand):
    help = (
        "Erases what is stored of a client, an affiliate or an applicant. The books "
        "stay, under the number of the account. It cannot be undone; without --yes "
        "nothing is changed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--email", required=True, metavar="ADDRESS", help="Of the person."
        )
        parser.add_argument(
            "--brand",
            metavar="NAME",
            help="Only in this brand, by its name or id. Default: in all.",
        )
        parser.add_argument("--reason", default="", help="Kept with the record of it.")
        parser.add_argument(
            "--dry-run",
            action="store_true",
            help="Print what would be changed, and what must be settled first.",
        )
        parser.add_argument("--yes", action="store_true", help="Do it.")

    def handle(self, *args: Any, **options: Any) -> None:
        email = email_given(options["email"])
        if options["yes"] == options["dry_run"]:
            raise fault("Give either --dry-run or --yes.")
        name = options["brand"]
        brands = None if name is None else [brand_named(name)]
        subjects = [
            subject for subject in subjects_with(email, brands) if subject.brand
        ]
        persons = [subject for subject in subjects if self._show(subject)]
        if not persons:
            raise fault(f"Nothing is stored of {email} that can be erased.")
        obstacles = [said for person in persons for said in obstacles_to(person)]
        if obstacles:
            raise fault(" ".join(obstacles))
        if options["dry_run"]:
            self.stdout.write("Nothing was changed.")
            return
        for person in persons:
            self._erase(person, email, options["reason"])

    def _show(self, subject: Subject) -> bool:
        changes = changed_rows(subject, of_host=True)
        if changes:
            self.stdout.write(f"{subject.brand}:")
        for change in changes:
            self.stdout.write(
                f"  {change.declared.name}: {len(change.keys):,} {change.act}"
            )
        return bool(changes)

    def _erase(self, subject: Subject, email: str, reason: str) -> None:
        assert subject.brand is not None  # noqa: S101 - of staff there is none here
        try:
            act = erase(
                brand=subject.brand,
                accounts=[str(account) for account in subject.keys[Key.USER]],
                email=email,
                reason=reason,
                now=timezone.now(),
            )
        except AffiliatesError as error:
            raise fault(error.detail) from error
        self.stdout.write(f"Erased in {subject.brand}: erasure {act.pk}.")
