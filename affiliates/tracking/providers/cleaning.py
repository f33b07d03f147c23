"""Checks that all providers' settings share when they are saved."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from affiliates.outbox.protocol import (
    ConfigError,
    ConfigField,
    FieldKind,
    ProviderSettings,
)

MAX_PARAMETERS = 10
MAX_TEXT = 255
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,50}")


def clean_settings(
    fields: Iterable[ConfigField], settings: ProviderSettings, *, needs_parameters: bool
) -> ProviderSettings:
    """The settings with these fields only, stripped, with defaults filled in.

    ``needs_parameters`` if only parameters can identify the integration's visits.
    Raises ConfigError. Secrets are not required here: an empty field in a form keeps
    the stored secret.
    """
    values: dict[str, str | bool] = {}
    faults: dict[str, str] = {}
    parameters = tuple(dict.fromkeys(settings.parameters))
    names = names_fault(parameters, is_required=needs_parameters)
    if names is not None:
        faults["parameters"] = names
    for field in fields:
        if field.is_secret:
            secret = settings.secrets.get(field.name, "")
            fault = "" if is_header_text(secret) else _UNPRINTABLE
        else:
            given = settings.values.get(field.name, field.default)
            value, fault = _clean(field, given)
            values[field.name] = value
        if fault:
            faults[field.name] = fault
    if faults:
        raise ConfigError(faults)
    return replace(
        settings,
        address=settings.address.rstrip("/"),
        parameters=parameters,
        values=values,
    )


def names_fault(names: tuple[str, ...], *, is_required: bool) -> str | None:
    """The fault of these parameter names, None if they are valid."""
    if is_required and not names:
        return "Enter at least one parameter, such as a_aid."
    if len(names) > MAX_PARAMETERS:
        return f"Enter no more than {MAX_PARAMETERS} names."
    for name in names:
        if not _NAME.fullmatch(name):
            return "Enter names of letters, digits and . _ - with commas between them."
    return None


def is_header_text(text: str) -> bool:
    """Whether a header can hold the text: printable ASCII, no line breaks."""
    return text.isascii() and text.isprintable()


_UNPRINTABLE = "Enter printable letters, digits and signs only: this is sent as it is."


def _clean(field: ConfigField, given: str | bool) -> tuple[str | bool, str]:
    """The value as it is stored, and its fault, "" for none."""
    if field.kind is FieldKind.SWITCH:
        return bool(given), ""
    text = str(given).strip()
    if field.is_required and not text:
        return text, "Enter a value: the provider needs it."
    if field.kind is FieldKind.CHOICE:
        known = text in [value for value, _ in field.choices]
        return text, "" if known else "Choose one of the list."
    if field.kind is FieldKind.TEXT and not text.isprintable():
        return text, "Remove line breaks and control characters."
    if field.kind is FieldKind.TEXT and len(text) > MAX_TEXT:
        return text, f"Enter at most {MAX_TEXT} characters."
    return text, ""
