"""The recorded changes of a row, as its page shows them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist
from django.db.models import Model, Q

from affiliates.db.audit.recording import RECORDED_MODELS, is_recorded

SHOWN = 100
NOTHING = {"None", ""}


@dataclass(frozen=True)
class FieldChange:
    field: str
    before: str
    after: str


@dataclass(frozen=True)
class Change:
    at: datetime
    who: str
    what: str
    action: str
    fields: list[FieldChange]


def changes_of(model: type[Model], pk: Any) -> list[Change]:
    """The latest of the row itself and of the rows that are shown with it, newest first."""
    if not is_recorded(model):
        return []
    from auditlog import get_logentry_model
    from django.contrib.contenttypes.models import ContentType

    page = model._meta.model_name
    types = ContentType.objects.get_for_models(
        model,
        *(
            apps.get_model(name)
            for name, field in RECORDED_MODELS.items()
            if field == page
        ),
    )
    own = types.pop(model)
    told = Q(content_type=own, object_pk=str(pk))
    if types and str(pk).isdigit():
        below = {f"additional_data__{page}": int(pk)}
        told |= Q(content_type__in=types.values(), **below)
    entries = get_logentry_model().objects.filter(told)
    entries = entries.select_related("actor", "content_type")
    return as_changes(entries.order_by("-timestamp", "-pk")[:SHOWN])


def as_changes(entries: Iterable[Any]) -> list[Change]:
    """Converts entries of auditlog; reads the targets of foreign keys once per model."""
    changes = list(entries)
    names = _names(changes)
    return [
        Change(
            at=entry.timestamp,
            who=str(entry.actor) if entry.actor else "",
            what=_what(entry),
            action=entry.get_action_display(),
            fields=[
                _change(names, _field(entry, name), name, pair)
                for name, pair in sorted((entry.changes or {}).items())
                if not NOTHING.issuperset(pair)
            ],
        )
        for entry in changes
    ]


def _what(entry: Any) -> str:
    model = entry.content_type.model_class()
    kind = entry.content_type.name if model is None else model._meta.verbose_name
    return f"{kind} {entry.object_repr}"


def _change(
    names: dict[Any, dict[str, str]], field: Any, name: str, pair: list[str]
) -> FieldChange:
    named = names.get(getattr(field, "related_model", None), {})
    choices = dict(getattr(field, "flatchoices", None) or ())
    before, after = (
        "" if side in NOTHING else named.get(side, str(choices.get(side, side)))
        for side in pair
    )
    return FieldChange(str(getattr(field, "verbose_name", name)), before, after)


def _names(entries: list[Any]) -> dict[Any, dict[str, str]]:
    wanted: dict[Any, set[str]] = {}
    for entry in entries:
        for name, pair in (entry.changes or {}).items():
            field = _field(entry, name)
            if field is not None and field.many_to_one:
                keys = wanted.setdefault(field.related_model, set())
                keys |= {side for side in pair if side not in NOTHING}
    return {
        model: {
            str(row.pk): str(row) for row in model._base_manager.filter(pk__in=keys)
        }
        for model, keys in wanted.items()
    }


def _field(entry: Any, name: str) -> Any:
    model = entry.content_type.model_class()
    try:
        return None if model is None else model._meta.get_field(name)
    except FieldDoesNotExist:
        return None
