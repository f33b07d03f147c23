"""Every encrypted column of the database, declared by the concept that owns it.

A host may declare its own: ``affiliates_rotate_keys`` and the check of the keys then
include them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django.apps import apps
from django.db import router
from django.db.models import Model, QuerySet
from django.utils.translation import gettext_noop

from affiliates.conf import conf
from affiliates.core.secrets.encryption import Undecryptable, decrypt, encrypt
from affiliates.errors import StateConflict

# Called with a row and its decrypted content; returns other columns made with the first key.
Derive = Callable[[Any, bytes], Mapping[str, Any]]


class SecretUnreadable(StateConflict):
    """The key that encrypted the text is missing, or another key has its id."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """A purpose of encryption, with its own keys: no other purpose opens its texts.
    ``name`` is never changed: it is part of the keys."""

    unreadable: ClassVar[str] = gettext_noop(
        "What is stored cannot be read with the keys of this server. Put the key it was "
        "encrypted with back behind the present one."
    )

    name: bytes

    def encrypt(self, content: bytes) -> str:
        """Encrypts with the first of AFFILIATES_SECRET_KEYS."""
        return encrypt(content, conf.secret_keys, purpose=self.name)

    def decrypt(self, text: str) -> bytes:
        """Raises SecretUnreadable."""
        try:
            return decrypt(text, conf.secret_keys, purpose=self.name)
        except Undecryptable:
            raise SecretUnreadable("details_unreadable", self.unreadable) from None

    def seal(self, values: Mapping[str, str]) -> str:
        """Encrypts texts by name as one."""
        return self.encrypt(json.dumps(dict(values), sort_keys=True).encode())

    def open(self, text: str) -> dict[str, str]:
        """Raises SecretUnreadable."""
        values: dict[str, str] = json.loads(self.decrypt(text))
        return values


class Credentials(Purpose):
    """A provider's, by name: read only when a call is made. "" is none."""

    unreadable = (
        "The stored credentials cannot be read with the keys of this server. Enter them "
        "again in the form."
    )

    def seal(self, values: Mapping[str, str]) -> str:
        return super().seal(values) if values else ""

    def open(self, text: str) -> dict[str, str]:
        return super().open(text) if text else {}


@dataclass(frozen=True, slots=True)
class EncryptedColumn:
    """A column that is "" or holds a text encrypted for ``purpose``."""

    label: str
    name: str
    purpose: Purpose
    derive: Derive | None = None

    @property
    def model(self) -> type[Model]:
        return apps.get_model(self.label)

    def __str__(self) -> str:
        return f"{self.model._meta.verbose_name_plural}, {self.name}"

    def rows(self) -> QuerySet[Any]:
        """All rows with a value, read where they are written, and updated unrecorded."""
        alias = router.db_for_write(self.model)
        every: QuerySet[Any] = QuerySet(self.model, using=alias)
        return every.exclude(**{self.name: ""})


_columns: dict[tuple[str, str], EncryptedColumn] = {}


def register_column(
    label: str, name: str, *, purpose: Purpose, derive: Derive | None = None
) -> None:
    """Declares a column of the model with this label, such as ``app.Model``."""
    _columns[label, name] = EncryptedColumn(label, name, purpose, derive)


def encrypted_columns() -> list[EncryptedColumn]:
    """In the order of their models and names."""
    return [column for _, column in sorted(_columns.items(), key=lambda row: row[0])]
