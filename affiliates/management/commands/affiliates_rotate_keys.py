from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from affiliates.conf import conf
from affiliates.encrypted.columns import EncryptedColumn, encrypted_columns
from affiliates.encrypted.selectors import Counts, key_counts, unused
from affiliates.encrypted.services import RowRotation, rotate
from affiliates.program.slug_models import retired_with

LEFT = {
    RowRotation.UNREADABLE: "cannot be read: manage.py check --database default says why",
    RowRotation.ALTERED: "not as they were written: run verify_ledger --deep first",
}
COOKIES = " Referral cookies may need it: it stays in AFFILIATES_COOKIE_KEYS for their lifetime."


class Command(BaseCommand):
    help = (
        "Encrypts everything in the database anew with the first of "
        "AFFILIATES_SECRET_KEYS, while web servers and workers go on, and says which "
        "keys nothing stored needs any more. Every server must have the key before. "
        "Without --yes it changes nothing. May be stopped, and run again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--yes", action="store_true", help="Do it, instead of only counting."
        )

    def handle(self, *args: Any, yes: bool, **options: Any) -> None:
        columns = encrypted_columns()
        left = sum(self._rotate(column) for column in columns if yes)
        self._say_keys({column: key_counts(column) for column in columns})
        if not yes:
            self.stdout.write("Nothing was changed. Run it with --yes to do this.")
        if left:
            raise CommandError(f"{left:,} texts are not encrypted anew: see above.")

    def _rotate(self, column: EncryptedColumn) -> int:
        counts = rotate(column)
        if counts[RowRotation.DONE]:
            self.stdout.write(f"{column}: {counts[RowRotation.DONE]:,} encrypted anew.")
        for result, why in LEFT.items():
            if counts[result]:
                self.stdout.write(f"{column}: {counts[result]:,} {why}.")
        return sum(counts[result] for result in LEFT)

    def _say_keys(self, counts: dict[EncryptedColumn, Counts]) -> None:
        for column, of_keys in counts.items():
            said = [f"{n:,} with {_named(key_id)}" for key_id, n in of_keys.items()]
            self.stdout.write(f"{column}: {', '.join(sorted(said)) or 'none'}.")
        first, *others = [key_id for key_id, _ in conf.secret_keys.roots]
        self.stdout.write(f"Key {first} encrypts.")
        for key_id in unused(others, counts.values()):
            self.stdout.write(_advice(key_id))


def _advice(key_id: int) -> str:
    """On a key that no encrypted text needs."""
    if names := retired_with(key_id):
        return (
            f"Keep key {key_id}: without it {names:,} names in links of erased "
            "affiliates can be given again. Nothing else stored needs it."
        )
    return (
        f"Nothing stored needs key {key_id}: remove it from AFFILIATES_SECRET_KEYS. "
        "Unsubscribe links in e-mails that were sent with it end then."
        f"{COOKIES if _is_for_cookies(key_id) else ''}"
    )


def _is_for_cookies(key_id: int) -> bool:
    return conf.cookie_keys.root(key_id) == conf.secret_keys.root(key_id)


def _named(key_id: int | None) -> str:
    return "no key" if key_id is None else f"key {key_id}"
