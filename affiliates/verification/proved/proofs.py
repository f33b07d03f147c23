"""Skips what was proved and has not changed: the rows' content is compared by a digest.

The database reads the rows, and nothing is decoded or recomputed. Any change of any column
of a row, a deleted row and an added one give another digest.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from django.db import connection
from django.db.models import Model

from affiliates import __version__
from affiliates.verification.faults import Check
from affiliates.verification.proved.models import ProvedRange

AT_ONCE = 1_000


class Proofs:
    """Proofs of earlier verifications, and of this one, which ``save`` stores.

    ``renews``: nothing is skipped, but proofs are stored.
    """

    def __init__(self, *, renews: bool = False) -> None:
        self._renews = renews
        self._new: dict[tuple[str, int], str] = {}
        self._known: dict[tuple[str, int], str] = {
            (name, first): digest
            for name, first, digest in ProvedRange.objects.values_list(
                "check_name", "first", "digest"
            )
        }

    def is_proved(self, check: Check, ids: range) -> bool:
        """Whether the range is as it was when the check found no fault in it."""
        if not check.reads:
            return False
        key = _name(check), ids.start
        self._new[key] = _digest(check, ids)
        return not self._renews and self._known.get(key) == self._new[key]

    def refute(self, check: Check, ids: range) -> None:
        """The check found a fault there."""
        self._new.pop((_name(check), ids.start), None)

    def save(self) -> None:
        """Replaces what was known: a range with a fault is checked again next time."""
        changed = [
            ProvedRange(check_name=name, first=first, digest=digest)
            for (name, first), digest in self._new.items()
            if self._known.get((name, first)) != digest
        ]
        gone = self._known.keys() - self._new.keys()
        for name in {name for name, _ in gone}:
            firsts = [first for gone_name, first in gone if gone_name == name]
            ProvedRange.objects.filter(check_name=name, first__in=firsts).delete()
        ProvedRange.objects.bulk_create(
            changed,
            batch_size=AT_ONCE,
            update_conflicts=True,
            unique_fields=["check_name", "first"],
            update_fields=["digest"],
        )


def _name(check: Check) -> str:
    return f"{check.label} {check.model._meta.db_table}"


def _digest(check: Check, ids: range) -> str:
    """Returns a digest of all that the check reads, and of the version of its rules."""
    digest = hashlib.sha256(f"{__version__} {check.at_once}".encode())
    for model, column in check.reads:
        for text in _contents(model, column, ids):
            digest.update(f"\n{model._meta.db_table} {text}".encode())
    return digest.hexdigest()


def _contents(model: type[Model], column: str, ids: range) -> Iterator[str]:
    quote = connection.ops.quote_name
    table = quote(model._meta.db_table)
    names = (str(field.column) for field in model._meta.concrete_fields)
    columns = ", ".join(map(quote, names))
    rows = (
        f"SELECT {columns} FROM {table} WHERE {quote(column)} >= %s "  # noqa: S608 - names of our own tables and columns
        f"AND {quote(column)} < %s ORDER BY id"
    )
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            digest = "sha256(convert_to(r::text, 'UTF8'))"
            rows = f"SELECT encode(sha256(string_agg({digest}, '')), 'hex') FROM ({rows}) AS r"  # noqa: S608 - as above
        cursor.execute(rows, [ids.start, ids.stop])
        for row in cursor:
            yield repr(row)
