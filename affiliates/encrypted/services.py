"""Encrypts anew with the first key, while everything else goes on.

No lock is held: each row is one statement, which writes nothing if the row has changed
since it was read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from enum import Enum, auto
from typing import Any

from affiliates.conf import conf
from affiliates.core.secrets.encryption import SEPARATOR
from affiliates.db.seals import seal_field
from affiliates.encrypted.columns import EncryptedColumn, SecretUnreadable

AT_ONCE = 1_000


class RowRotation(Enum):
    DONE = auto()
    # Somebody has deleted it meanwhile, or changed it, which encrypts with the first key.
    CHANGED = auto()
    UNREADABLE = auto()
    # It does not agree with its seal: a new seal would hide that.
    ALTERED = auto()


def rotate(column: EncryptedColumn) -> Counter[RowRotation]:
    """Encrypts the column with the first key where another key was used.

    It may be stopped and started again at any time.
    """
    first, _ = conf.secret_keys.roots[0]
    by_first = {f"{column.name}__startswith": f"{first}{SEPARATOR}"}
    left = column.rows().exclude(**by_first)
    counts: Counter[RowRotation] = Counter()
    for pk in _pages(left.order_by("pk").values_list("pk", flat=True)):
        while (result := _rotate(column, left.filter(pk=pk))) is None:
            pass
        counts[result] += 1
    return counts


def _pages(keys: Any) -> Iterator[Any]:
    """Page by page, so that no transaction lasts as long as the rotation."""
    page = list(keys[:AT_ONCE])
    while page:
        yield from page
        page = list(keys.filter(pk__gt=page[-1])[:AT_ONCE])


def _rotate(column: EncryptedColumn, left: Any) -> RowRotation | None:
    """Returns the result for the remaining row; None if it changed before the write."""
    row = left.first()
    if row is None:
        return RowRotation.CHANGED
    seal, known = seal_field(column.model), {column.name: getattr(row, column.name)}
    if seal is not None:
        known[seal.name] = row.seal
        if seal.seal_of(row) != row.seal:
            return RowRotation.ALTERED
    try:
        content = column.purpose.decrypt(known[column.name])
    except SecretUnreadable:
        return RowRotation.UNREADABLE
    new = {column.name: column.purpose.encrypt(content)}
    if column.derive is not None:
        new |= column.derive(row, content)
    if seal is not None:
        for name, value in new.items():
            setattr(row, name, value)
        new[seal.name] = seal.seal_of(row)
    return RowRotation.DONE if left.filter(**known).update(**new) else None
