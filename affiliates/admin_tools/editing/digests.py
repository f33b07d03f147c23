"""Digests of the values that a change form shows, field by field."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.formsets import DELETION_FIELD_NAME
from django.http import HttpRequest

from affiliates.core.money import plain_text
from affiliates.core.versions import digest_of

POSTED_DIGESTS = "_shown_values"
DIGEST_LENGTH = 16


def posted_digests(request: HttpRequest) -> Mapping[str, Mapping[str, str]]:
    """Returns the digests that the page showed, by row. Empty if missing or damaged."""
    try:
        rows = json.loads(request.POST.get(POSTED_DIGESTS, ""))
    except ValueError:
        return {}
    if not isinstance(rows, dict):
        return {}
    return {key: row for key, row in rows.items() if isinstance(row, dict)}


def key_of(form: Any) -> str:
    """Names the form's row, even if it was deleted after the form was shown."""
    row = form.instance
    key = row.pk
    if row._state.adding:
        key = form.data.get(form.add_prefix(row._meta.pk.name))
    return f"{row._meta.label_lower}:{key}"


def digests_of(form: Any) -> dict[str, str]:
    """Returns the digest of each editable field's saved value."""
    return {
        name: _digest(field, form.get_initial_for_field(field, name))
        for name, field in form.fields.items()
        if not (field.disabled or field.widget.is_hidden or name == DELETION_FIELD_NAME)
    }


def is_edited(form: Any, name: str, digest: str) -> bool:
    """Tells whether a posted form has another value than its page showed."""
    bound = form[name]
    if isinstance(bound.field, forms.FileField):
        return bool(bound.data)
    try:
        value = bound.field.clean(bound.data)
    except ValidationError:
        return True
    return _digest(bound.field, value) != digest


def _digest(field: forms.Field, value: Any) -> str:
    """Returns the same for a stored value as for the form's text of that value."""
    text = _canonical(field.prepare_value(value))
    return digest_of({"value": text})[:DIGEST_LENGTH]


def _canonical(value: Any) -> str:
    if isinstance(value, Decimal):
        return plain_text(value)
    if isinstance(value, list | tuple | set):
        return ",".join(sorted(map(_canonical, value)))
    text = "" if value is None or value is False else str(value)
    return text.replace("\r\n", "\n").strip()
