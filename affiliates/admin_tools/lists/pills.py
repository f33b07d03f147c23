"""The set filters of a list in words, each with the address that removes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.admin.utils import NotRelationField, get_fields_from_path
from django.contrib.admin.views.main import SEARCH_VAR
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db.models import BooleanField, DateField, Field
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.formats import date_format
from django.utils.text import capfirst

from affiliates.admin_tools.visible import visible_to

# What stands between a field and a value in the address, and in words.
LOOKUPS = {
    "exact": "",
    "in": "",
    "isnull": "",
    "gt": "after ",
    "gte": "from ",
    "lt": "before ",
    "lte": "until ",
}
ANY, NONE = "any", "none"
MOMENT_FORMAT, DAY_FORMAT = "j M Y, H:i", "j M Y"


@dataclass(frozen=True, slots=True)
class Pill:
    """``names`` are parameters of the address; ``without`` is the address without them."""

    label: str
    value: str
    names: Sequence[str]
    without: str


def pills_of(cl: Any) -> list[Pill]:
    return list(_pills(cl))


def day_text(day: Any) -> str:
    return date_format(day, DAY_FORMAT)


def _pills(cl: Any) -> Iterator[Pill]:
    if cl.query:
        yield _pill(cl, "search", f"“{cl.query}”", [SEARCH_VAR])
    for spec in cl.filter_specs:
        names = [
            expected_parameter
            for expected_parameter in spec.expected_parameters()
            if expected_parameter in cl.filter_params
        ]
        # A form of days sends them empty too.
        if names and (value := _chosen(cl, spec, names)):
            yield _pill(cl, str(spec.title), value, names)
    for name in cl.other_lookups:
        if name in cl.filter_params:
            yield _pill(cl, *_said(cl, name), [name])


def _pill(cl: Any, label: str, value: str, names: Sequence[str]) -> Pill:
    without = cl.get_query_string(dict.fromkeys(names))
    return Pill(capfirst(label), value, names, without)


def _chosen(cl: Any, spec: Any, names: Sequence[str]) -> str:
    """Returns the filter's own text for its choice, or else the chosen values."""
    if hasattr(spec, "words"):
        return str(spec.words())
    others = list(spec.choices(cl))[1:]
    chosen = [str(choice["display"]) for choice in others if choice.get("selected")]
    values = [value for name in names for value in cl.filter_params[name]]
    return ", ".join(chosen or values) or NONE


def _said(cl: Any, name: str) -> tuple[str, str]:
    """A lookup that no filter of the list offers: links of other pages have such."""
    path, _, lookup = name.rpartition("__")
    if lookup not in LOOKUPS:
        path, lookup = name, "exact"
    given: list[str] = cl.filter_params[name]
    try:
        fields: list[Any] = get_fields_from_path(cl.model, path)
    except (FieldDoesNotExist, NotRelationField):
        # The key, or a part of a date: Django finds rows by these too.
        return name.replace("__", " ").replace("_", " "), ", ".join(given)
    field = fields[-1]
    if len(fields) > 1 and getattr(field, "primary_key", False):
        field = fields[-2]
    label = str(getattr(field, "verbose_name", field.name))
    if lookup == "isnull":
        return label, ANY if given[-1].lower() in ("0", "false", "") else NONE
    values = ",".join(given).split(",") if lookup == "in" else given
    said = ", ".join(_value(cl, field, value) for value in values)
    return label, f"{LOOKUPS[lookup]}{said}"


def _value(cl: Any, field: Field[Any, Any], text: str) -> str:
    if text == "":
        return NONE
    if field.is_relation:
        return _row(cl, field, text)
    if isinstance(field, BooleanField):
        return "no" if text.lower() in ("0", "false") else "yes"
    if isinstance(field, DateField):
        return _time(text)
    return str(dict(field.flatchoices or ()).get(text, text))


def _row(cl: Any, field: Any, pk: str) -> str:
    rows = visible_to(cl.staff, field.related_model._base_manager.all())
    try:
        return str(rows.filter(pk=pk).first() or pk)
    except (ValueError, ValidationError):
        return pk


def _time(text: str) -> str:
    at = parse_datetime(text)
    if at is not None and timezone.is_aware(at):
        return date_format(timezone.localtime(at), MOMENT_FORMAT)
    day = parse_date(text[:10])
    return text if day is None else day_text(day)
