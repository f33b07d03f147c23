"""A digest stored with a row that reveals changes made outside the product.

It is no signature: a person who changes a row can also rewrite its seal. It reveals a
changed column; a newly added column is sealed with its current value.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from datetime import UTC, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from moneyed import Money

DIGITS = 64


class SealField(models.CharField):  # type: ignore[type-arg]  # not generic when run
    """Made when the row is saved, from all columns except its key and ``leaves_out``.

    ``leaves_out`` are columns that are updated separately later. ``once_set`` are
    sealed only if they have a value: columns that older rows were sealed without. If
    the ``update_fields`` of ``save`` name another column, they must name the seal as
    well.
    """

    def __init__(
        self,
        *,
        leaves_out: Collection[str] = (),
        once_set: Collection[str] = (),
        **options: Any,
    ) -> None:
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
        return hashlib.sha256(self.sealed_text(row).encode()).hexdigest()

    def sealed_text(self, row: models.Model) -> str:
        sealed = {
            field.attname: _value(field, getattr(row, field.attname))
            for field in row._meta.concrete_fields
            if not (field.primary_key or field is self)
            and field.name not in self.leaves_out
            and not (field.name in self.once_set and _is_empty(row, field))
        }
        return json.dumps(sealed, sort_keys=True, cls=DjangoJSONEncoder)


def seal_field(model: type[models.Model]) -> SealField | None:
    """The model's seal, if it has one."""
    fields = (one for one in model._meta.concrete_fields if isinstance(one, SealField))
    return next(fields, None)


def reseal(row: models.Model) -> None:
    """For ``bulk_update``, which makes no seal: include it in the columns."""
    field = seal_field(type(row))
    if field is not None:
        field.pre_save(row, add=False)


def _is_empty(row: models.Model, field: models.Field[Any, Any]) -> bool:
    return getattr(row, field.attname) in (None, "")


def _value(field: models.Field[Any, Any], value: Any) -> Any:
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
