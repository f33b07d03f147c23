"""A digest stored with a row that reveals changes made outside the product.

It is no signature: a person who changes a row can also rewrite its seal. It reveals a
changed column; a newly added column is sealed with its current value.

Personal columns are sealed by a salted digest of their own. Erasing them replaces the
salt by that digest: the seal stays as it is, and nobody can guess what was erased.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from moneyed import Money

DIGITS = 64
# How a salt begins, and what stands in its place once the columns are erased.
SALTED, ERASED = "s", "e"
SALT_BYTES = 16

# Gives what is left of a value once it is erased. Twice is as once.
Erase = Callable[[Any], Any]


class SaltField(models.CharField):  # type: ignore[type-arg]  # not generic when run
    """The salt of the row's personal columns, made with the row.

    Once they are erased: the number of the erasure, and their digest.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": 90, "editable": False} | options)

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """A plain column, as SealField's."""
        name, _, args, options = super().deconstruct()
        return name or "", "django.db.models.CharField", args, options

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        salt: str = getattr(model_instance, self.attname)
        if not salt:
            salt = f"{SALTED}{secrets.token_urlsafe(SALT_BYTES)}"
            setattr(model_instance, self.attname, salt)
        return salt


class SealField(models.CharField):  # type: ignore[type-arg]  # not generic when run
    """Made when the row is saved, from all columns except its key and ``leaves_out``.

    ``leaves_out`` are columns that are updated separately later. ``once_set`` are
    sealed only if they have a value: columns that older rows were sealed without. If
    the ``update_fields`` of ``save`` name another column, they must name the seal as
    well. ``personal`` are columns that may be erased, with what is left of them; a model
    that has them has a ``SaltField`` named ``salt`` before its seal.
    """

    def __init__(
        self,
        *,
        leaves_out: Collection[str] = (),
        once_set: Collection[str] = (),
        personal: Mapping[str, Erase] | None = None,
        **options: Any,
    ) -> None:
        self.personal = personal or {}
        self.leaves_out = frozenset(leaves_out)
        self.once_set = frozenset(once_set)
        super().__init__(**{"max_length": DIGITS, "editable": False} | options)

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """A plain column: migrations need not know how it is computed."""
        name, _, args, options = super().deconstruct()
        return name or "", "django.db.models.CharField", args, options

    def pre_save(self, model_instance: models.Model, add: bool) -> str:
        seal = self.seal_of(model_instance)
        setattr(model_instance, self.attname, seal)
        return seal

    def seal_of(self, row: models.Model) -> str:
        return digest_of(self.sealed_text(row, personal=self._personal_digest(row)))

    def sealed_text(self, row: models.Model, *, personal: str) -> str:
        """``personal`` is the digest of the text of the personal columns."""
        sealed = {
            field.attname: _value(field, left)
            for field in row._meta.concrete_fields
            if not (field.primary_key or isinstance(field, SaltField | SealField))
            and field.name not in self.leaves_out
            for left in [self._left_of(row, field)]
            # Of a personal column too: whether it had a value is erased with it.
            if not (field.name in self.once_set and left in (None, ""))
        }
        if self.personal:
            sealed["personal"] = personal
        return _text(sealed)

    def personal_text(self, row: models.Model) -> str:
        values = {
            name: _value(row._meta.get_field(name), getattr(row, name))
            for name in self.personal
        }
        return f"{row.salt}{_text(values)}" if values else ""  # type: ignore[attr-defined]

    def holds_personal(self, row: models.Model) -> bool:
        """Whether something is in a personal column that erasing would empty."""
        return any(
            erase(value) != value
            for name, erase in self.personal.items()
            for value in [getattr(row, name)]
        )

    def erase(self, row: models.Model, *, number: int) -> list[str]:
        """Empties the personal columns; returns the names of those to save.

        ``number`` is that of the erasure. The seal still holds.
        """
        row.salt = f"{ERASED}{number}.{self._personal_digest(row)}"  # type: ignore[attr-defined]
        for name, erase in self.personal.items():
            setattr(row, name, erase(getattr(row, name)))
        return [*self.personal, "salt"]

    def _left_of(self, row: models.Model, field: models.Field[Any, Any]) -> Any:
        value = getattr(row, field.attname)
        erase = self.personal.get(field.name)
        return value if erase is None else erase(value)

    def _personal_digest(self, row: models.Model) -> str:
        if self.personal and is_erased(row):
            return str(row.salt).partition(".")[2]  # type: ignore[attr-defined]
        return digest_of(self.personal_text(row))


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def erasure_of(salt: str) -> int | None:
    """The number of the erasure by which the columns were emptied, or None."""
    if not salt.startswith(ERASED):
        return None
    number = salt[len(ERASED) :].partition(".")[0]
    return int(number) if number.isdigit() else 0


def nothing(_: Any) -> None:
    """Returns None, the erased value of a column that may be empty."""


def no_text(_: Any) -> str:
    return ""


def erased_text(value: str) -> str:
    """Returns "erased" for a filled text: the column still shows that it was filled."""
    return "erased" if value else ""


def seal_field(model: type[models.Model]) -> SealField | None:
    """The model's seal, if it has one."""
    fields = (
        field for field in model._meta.concrete_fields if isinstance(field, SealField)
    )
    return next(fields, None)


def is_erased(row: Any) -> bool:
    """Whether the personal columns of the row, which has a salt, were erased."""
    return bool(row.salt.startswith(ERASED))


def reseal(row: models.Model) -> None:
    """For ``bulk_update``, which makes no seal: include it in the columns."""
    field = seal_field(type(row))
    if field is not None:
        field.pre_save(row, add=False)


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, cls=DjangoJSONEncoder)


def _value(field: Any, value: Any) -> Any:
    """Gives the same value before the row is written and after it is read."""
    if value is None or isinstance(field, models.JSONField):
        return value
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(field, models.DecimalField):
        amount = value.amount if isinstance(value, Money) else Decimal(value)
        place = Decimal(1).scaleb(-field.decimal_places)
        return f"{amount.quantize(place, ROUND_HALF_UP):f}"
    return str(value)
