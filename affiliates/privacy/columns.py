"""Which columns may hold personal data, and which of these the table leaves out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import models
from djmoney.models.fields import CurrencyField

from affiliates.db.seals import SaltField, SealField
from affiliates.privacy.registry import DeclaredModel, declared
from affiliates.privacy.types import Person

HARMLESS = (
    models.BooleanField,
    models.DateField,
    models.DecimalField,
    models.DurationField,
    models.FloatField,
    models.IntegerField,
    models.TimeField,
    CurrencyField,
    SaltField,
    SealField,
)


def may_be_personal(field: Any) -> bool:
    """Whether somebody has to say what the column holds."""
    if field.is_relation:
        return bool(field.related_model is get_user_model())
    is_key = field.primary_key and isinstance(field, models.UUIDField)
    return not (is_key or field.choices or isinstance(field, HARMLESS))


def undeclared() -> Iterator[str]:
    """Columns of installed models that may be personal and that nobody declared."""
    known = {table.name: names_of(table) for table in declared()}
    for model in apps.get_models(include_auto_created=True):
        if model._meta.proxy:
            continue
        names = known.get(model._meta.label)
        if names is None:
            yield model._meta.label
            continue
        for field in model._meta.local_concrete_fields:
            if may_be_personal(field) and field.name not in names:
                yield f"{model._meta.label}.{field.name}"


def names_of(table: DeclaredModel) -> set[str]:
    return {*table.other, *(name for name, _ in table.uses())}


def handed_out(table: DeclaredModel, person: Person) -> list[str]:
    """The columns that this person may read: no secret, and no data of others."""
    hidden = {
        name
        for name, use in table.uses()
        if use.is_secret or not person.owns(use.person)
    }
    known = names_of(table)
    return [
        field.attname
        for field in table.model._meta.concrete_fields
        if field.name not in hidden
        and not isinstance(field, SaltField | SealField)
        and (field.name in known or not may_be_personal(field))
    ]
