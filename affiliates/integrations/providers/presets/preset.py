"""A known network as data: its templates, its fields and how its answers read.

What was not read in a network's own documentation is marked ``UNVERIFIED`` where the
operator reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from affiliates.integrations.providers import answers, templates
from affiliates.integrations.providers.answers import AnswerRules
from affiliates.integrations.providers.postback import (
    IDENTIFIER_PARAMETER,
    ONLY_CURRENCY,
    PostbackAdapter,
)
from affiliates.integrations.providers.protocol import (
    ConfigField,
    FieldKind,
    ProviderSettings,
)
from affiliates.integrations.types import Operation

UNVERIFIED = "Unverified:"
SEND_REVERSALS = "send_reversals"


class Preset(PostbackAdapter):
    """A network as data: ``needs`` names the setting that switches an operation on."""

    texts: ClassVar[Mapping[Operation, str]]
    needs: ClassVar[Mapping[Operation, str]] = {}
    success: ClassVar[str] = ""
    duplicate: ClassVar[str] = ""
    refused: ClassVar[str] = ""
    identifier_at: ClassVar[str] = ""

    def template_text(self, operation: Operation, settings: ProviderSettings) -> str:
        switch = self.needs.get(operation)
        if switch is not None and not settings.values.get(switch):
            return ""
        return self.texts.get(operation, "")

    def answer_rules(self, settings: ProviderSettings) -> AnswerRules:
        return AnswerRules(
            success=answers.parse_signs(self.success),
            duplicate=answers.parse_signs(self.duplicate),
            refused=answers.parse_signs(self.refused),
            identifier=self.identifier_at,
        )


def text_field(
    name: str,
    label: str,
    help_text: str,
    *,
    default: str = "",
    is_required: bool = False,
) -> ConfigField:
    return ConfigField(name, label, help_text, default=default, is_required=is_required)


def needed_field(name: str, label: str, help_text: str) -> ConfigField:
    return text_field(name, label, help_text, is_required=True)


def identifier_field(default: str, *, note: str = "") -> ConfigField:
    return text_field(
        IDENTIFIER_PARAMETER,
        "identifier parameter",
        "The parameter of the visited page's address that has the network's click "
        f"identifier. {note}".strip(),
        default=default,
        is_required=True,
    )


def secret_field(
    label: str, help_text: str, *, is_required: bool = False
) -> ConfigField:
    return ConfigField(
        templates.SECRET, label, help_text, is_secret=True, is_required=is_required
    )


def status_field(*values: tuple[str, str]) -> ConfigField:
    return ConfigField(
        "status",
        "status of a sale",
        "What a sale is reported as.",
        kind=FieldKind.CHOICE,
        default=values[0][0],
        choices=values,
    )


def reversals_field(note: str, *, default: bool = False) -> ConfigField:
    return ConfigField(
        SEND_REVERSALS,
        "take back refunded sales",
        f"Whole sales only. {note}",
        kind=FieldKind.SWITCH,
        default=default,
    )


CURRENCY_FIELD = needed_field(
    ONLY_CURRENCY,
    "currency",
    "The network is told no currency, so a sale in any other one is refused. E.g. EUR.",
)
