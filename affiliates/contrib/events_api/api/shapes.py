"""The request's shape of each event, made from the dataclasses of the contracts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from datetime import datetime
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from moneyed import Money
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError

from affiliates.api.descriptions import described_as, described_as_one_of
from affiliates.api.serializers import (
    MAX_EMAIL,
    EmailField,
    IdField,
    ReferralCookieField,
    read,
    shape_of,
)
from affiliates.contrib.events_api.api.fields import (
    AmountOfMoneyField,
    FlagField,
    InstantField,
    PlainTextField,
)
from affiliates.contrib.events_api.events import EVENTS, Reportable
from affiliates.contrib.events_api.rules import MAX_EVENTS, MAX_LINES

FIELDS: Mapping[Any, type[serializers.Field[Any, Any, Any, Any]]] = {
    str: PlainTextField,
    int: IdField,
    bool: FlagField,
    datetime: InstantField,
    Money: AmountOfMoneyField,
}
# Of the key.
LEFT_OUT = {"brand_id"}
EMAILS = {"email", "former_email"}


class _Nested(serializers.Serializer[Any]):
    """A dataclass inside an event."""

    shape: type[Any]

    def to_internal_value(self, data: Any) -> Any:
        return self.shape(**super().to_internal_value(data))


def _fields_of(shape: type[Any]) -> dict[str, Any]:
    hints = get_type_hints(shape)
    return {
        field.name: _field(field, hints[field.name])
        for field in fields(shape)
        if field.name not in LEFT_OUT
    }


def _field(field: Field[Any], hint: Any) -> Any:
    has_default = (field.default, field.default_factory) != (MISSING, MISSING)
    options: dict[str, Any] = {"required": not has_default}
    if NoneType in get_args(hint):
        options["allow_null"] = True
        [hint] = (part for part in get_args(hint) if part is not NoneType)
    if field.name in EMAILS:
        return EmailField(allow_blank=True, max_length=MAX_EMAIL, **options)
    if get_origin(hint) is tuple:
        item = get_args(hint)[0]
        options["max_length"] = MAX_LINES
        if item is str:
            return serializers.ListField(child=PlainTextField(), **options)
        return _nested(item)(many=True, **options)
    if issubclass(hint, Enum):
        return _choice_of(hint)([(row, row.value) for row in hint], **options)
    return FIELDS[hint](**options)


@cache
def _nested(shape: type[Any]) -> type[_Nested]:
    members = {**_fields_of(shape), "shape": shape}
    return type(f"Reported{shape.__name__}", (_Nested,), members)


def _choice_of(kind: type[Enum]) -> type[serializers.ChoiceField]:
    """Described without an enum, of which a name would be shared with other fields."""
    pattern = f"^({'|'.join(str(row.value) for row in kind)})$"
    described = described_as({"type": "string", "pattern": pattern})
    return described(type(kind.__name__, (serializers.ChoiceField,), {}))


def _shape(name: str, event: Reportable) -> type[serializers.Serializer[Any]]:
    members: dict[str, Any] = {"event": serializers.ChoiceField([name])}
    for shape in event.shapes:
        members |= _fields_of(shape)
    if event.has_cookie:
        members["referral_cookie"] = ReferralCookieField(
            required=False, allow_null=True, allow_blank=True, trim_whitespace=False
        )
    return shape_of(f"{name.title().replace('_', '')}Event", members)


SHAPES = {name: _shape(name, event) for name, event in EVENTS.items()}


@described_as_one_of("HostEvent", SHAPES, by="event")
class EventField(serializers.Field[Any, Any, Any, Any]):
    """Any value: each event is read, and refused, for itself."""

    def to_internal_value(self, data: Any) -> Any:
        return data


class EventsSerializer(serializers.Serializer[Any]):
    events = serializers.ListField(
        child=EventField(), allow_empty=False, max_length=MAX_EVENTS
    )


def read_event(item: Any) -> tuple[str, dict[str, Any]]:
    """Returns the event's name and its fields. Raises DRF's ValidationError."""
    name = item.get("event") if isinstance(item, dict) else None
    shape = SHAPES.get(name) if isinstance(name, str) else None
    if shape is None:
        known = f"Send an event with a name of: {', '.join(SHAPES)}."
        raise ValidationError({"event": [ErrorDetail(known, "unknown_event")]})
    return str(name), read(shape, item)
