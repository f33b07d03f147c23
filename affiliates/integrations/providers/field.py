"""The settings that several providers ask for.

What was not read in a network's own documentation is marked ``UNVERIFIED`` where the
operator reads it.
"""

from __future__ import annotations

from affiliates.integrations.providers.protocol import ConfigField, FieldKind

IDENTIFIER_PARAMETER = "identifier_parameter"
ONLY_CURRENCY = "only_currency"
SECRET = "secret"  # noqa: S105 - the setting's name, and its macro's
SEND_REVERSALS = "send_reversals"
UNVERIFIED = "Unverified:"
UNVERIFIED_ANSWERS = (
    f"{UNVERIFIED} what its answers look like; any 2xx that is no page counts."
)


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


def lead(name: str, label: str) -> ConfigField:
    return text(name, label, "Empty: leads are not reported.")


def identifier(default: str, note: str = "") -> ConfigField:
    return needed(
        IDENTIFIER_PARAMETER,
        "identifier parameter",
        "The parameter of the visited page's address that has the network's click "
        f"identifier. {note}".strip(),
        default=default,
    )


def status(*values: tuple[str, str]) -> ConfigField:
    return choice("status", "status of a sale", "What a sale is reported as.", *values)


def reversals(note: str, *, default: bool = False) -> ConfigField:
    return switch(
        SEND_REVERSALS,
        "take back refunded sales",
        f"Whole sales only. {note}",
        default=default,
    )


CURRENCY = needed(
    ONLY_CURRENCY,
    "currency",
    "The network takes no currency, so a sale in any other one is refused. E.g. EUR.",
)
