"""Sealed and guarded rows that name a row which is gone.

The database refuses to delete a named row, unless its foreign keys are off: SQLite's are
in every shell that does not turn them on.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, ForeignKey, Model, OuterRef, Q

from affiliates.brands.models.brand import Brand
from affiliates.hooks import own_apps
from affiliates.verification.faults import Check, Faults, every
from affiliates.verification.guards import DELETE, GUARDS
from affiliates.verification.seals import SEALED


def orphan_checks() -> list[Check]:
    kept = {guard.model for guard in GUARDS if DELETE in guard.operations}
    own = {model for app in own_apps() for model in app.get_models()} - {Brand}
    return [
        Check(label="references", model=model, rules=(_rule(model, keys),), brand=brand)
        for model, brand in SEALED.items()
        if (keys := [key for key in _keys(model) if key.related_model in own - kept])
    ]


def _keys(model: type[Model]) -> list[Any]:
    fields = model._meta.concrete_fields
    return [field for field in fields if isinstance(field, ForeignKey)]


def _rule(model: type[Model], keys: list[Any]) -> Faults:
    return Faults(
        f"{str(model._meta.verbose_name).capitalize()} {{pk}}",
        {
            f"names {key.verbose_name} {{{key.attname}}}, which is gone.": Q(
                **{f"{key.attname}__isnull": False}
            )
            & ~Exists(every(key.related_model).filter(pk=OuterRef(key.attname)))
            for key in keys
        },
    )
