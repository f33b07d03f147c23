"""Which keys the encrypted columns need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from django.db.models import Count, Value
from django.db.models.functions import Left, StrIndex

from affiliates.core.secrets.encryption import SEPARATOR, key_id_of
from affiliates.encrypted.columns import EncryptedColumn, SecretUnreadable

Counts = Counter[int | None]


def key_counts(column: EncryptedColumn) -> Counts:
    """The number of rows by the key they were encrypted with; None: by no key of ours."""
    head = Left(column.name, StrIndex(column.name, Value(SEPARATOR)))
    found = column.rows().order_by().values_list(head).annotate(rows=Count("pk"))
    counts: Counts = Counter()
    for text, count in found:
        counts[key_id_of(text)] += count
    return counts


def opens(column: EncryptedColumn, key_id: int) -> bool:
    """Whether the key with this id opens its oldest and its newest row."""
    rows = column.rows().filter(
        **{f"{column.name}__startswith": f"{key_id}{SEPARATOR}"}
    )
    for order in ("pk", "-pk"):
        for text in rows.order_by(order).values_list(column.name, flat=True)[:1]:
            try:
                column.purpose.decrypt(text)
            except SecretUnreadable:
                return False
    return True


def unused(key_ids: Iterable[int], counts: Iterable[Counts]) -> list[int]:
    """Returns the keys that no row needs."""
    needed: Counts = sum(counts, Counter())
    return [key_id for key_id in key_ids if not needed[key_id]]
