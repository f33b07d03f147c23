"""The settings that several providers need."""

from __future__ import annotations

from affiliates.outbox.protocol import ConfigField, FieldKind

IDENTIFIER_PARAMETER = "identifier_parameter"
ONLY_CURRENCY = "only_currency"
SECRET = "secret"  # noqa: S105 - the setting's name, and its macro's


def text(name: str, label: str, help: str = "", *, default: str = "") -> ConfigField:
    return ConfigField(name, label, help, default=default)


def needed(name: str, label: str, help: str, *, default: str = "") -> ConfigField:
    return ConfigField(name, label, help, default=default, is_required=True)


def long_text(
    name: str, label: str, help: str, *, is_required: bool = False
) -> ConfigField:
    return ConfigField(
        name, label, help, kind=FieldKind.LONG_TEXT, is_required=is_required
    )


def switch(name: str, label: str, help: str, *, default: bool = False) -> ConfigField:
    return ConfigField(name, label, help, kind=FieldKind.SWITCH, default=default)


def choice(name: str, label: str, help: str, *values: tuple[str, str]) -> ConfigField:
    """The first value is the default."""
    return ConfigField(
        name,
        label,
        help,
        kind=FieldKind.CHOICE,
        default=values[0][0],
        choices=values,
    )


def secret(
    label: str, help: str, *, name: str = SECRET, is_required: bool = False
) -> ConfigField:
    return ConfigField(name, label, help, is_secret=True, is_required=is_required)
