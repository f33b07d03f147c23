"""The recorded changes of a row, as its page shows them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.apps import apps
from django.core.exceptions import FieldDoesNotExist
from django.db.models import BooleanField, Model, Q

from affiliates.db.audit.recording import RECORDED_MODELS, is_recorded

SHOWN = 100
NOTHING = {"None", "", "{}", "[]"}
# By auditlog's number of the action.
ACTIONS = {0: "added", 1: "changed", 2: "deleted"}
BOOLEANS = {"True": "yes", "False": "no"}


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
    """The latest of the row itself and of the rows that are shown with it, newest first.

    What staff wrote about the row in Django's admin stands among them.
    """
    changes = _notes_of(model, pk)
    if is_recorded(model):
        changes += _recorded_changes(model, pk)
    return sorted(changes, key=lambda change: change.at, reverse=True)[:SHOWN]


def _notes_of(model: type[Model], pk: Any) -> list[Change]:
    """Entries of Django's admin; of a recorded row only sentences, not lists of fields."""
    from django.contrib.admin.models import LogEntry
    from django.contrib.contenttypes.models import ContentType

    own = ContentType.objects.get_for_model(model)
    entries = LogEntry.objects.filter(content_type=own, object_id=str(pk))
    if is_recorded(model):
        entries = entries.exclude(change_message__startswith="[")
    return [
        Change(
            at=entry.action_time,
            who=str(entry.user),
            what=entry.get_change_message() or str(entry),
            action="",
            fields=[],
        )
        for entry in entries.select_related("user")[:SHOWN]
    ]


def _recorded_changes(model: type[Model], pk: Any) -> list[Change]:
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


def last_change_of(model: type[Model], pk: str, field: str = "") -> Change | None:
    """Returns the latest recorded change of a row, or of one of its fields.

    Rows that are not recorded have the entry of Django's admin, without values.
    """
    from django.contrib.admin.models import LogEntry
    from django.contrib.contenttypes.models import ContentType

    own = ContentType.objects.get_for_model(model)
    if is_recorded(model):
        from auditlog import get_logentry_model

        entries = get_logentry_model().objects.filter(content_type=own, object_pk=pk)
        if field:
            entries = entries.filter(changes__has_key=field)
        changes = as_changes(entries.order_by("-timestamp", "-pk")[:1])
        return next((_only(change, model, field) for change in changes), None)
    entry = LogEntry.objects.filter(content_type=own, object_id=pk).first()
    if entry is None:
        return None
    who, at = str(entry.user), entry.action_time
    return Change(at=at, who=who, what=str(entry), action="", fields=[])


def _only(change: Change, model: type[Model], field: str) -> Change:
    row_field: Any = model._meta.get_field(field) if field else None
    name = str(getattr(row_field, "verbose_name", ""))
    return replace(
        change, fields=[part for part in change.fields if part.field == name]
    )


def as_changes(entries: Iterable[Any]) -> list[Change]:
    """Converts entries of auditlog; reads the targets of foreign keys once per model."""
    changes = list(entries)
    names = _names(changes)
    return [
        Change(
            at=entry.timestamp,
            who=str(entry.actor) if entry.actor else "",
            what=_what(entry),
            action=ACTIONS.get(entry.action, entry.get_action_display()),
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
    if isinstance(field, BooleanField):
        choices = BOOLEANS
    before, after = (
        "" if side in NOTHING else named.get(side, str(choices.get(side, _words(side))))
        for side in pair
    )
    return FieldChange(str(getattr(field, "verbose_name", name)), before, after)


def _words(value: str) -> str:
    """A stored object as it is typed: "annually 0, monthly 30"."""
    try:
        parts = json.loads(value) if value.startswith("{") else None
    except ValueError:
        return value
    if not isinstance(parts, dict):
        return value
    return ", ".join(f"{name} {part}" for name, part in parts.items())


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
