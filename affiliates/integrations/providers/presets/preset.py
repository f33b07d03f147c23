"""A known network as data: its templates, its fields and how its answers read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from affiliates.integrations.providers import answers
from affiliates.integrations.providers.answers import AnswerRules
from affiliates.integrations.providers.field import SEND_REVERSALS
from affiliates.integrations.providers.postback import PostbackAdapter
from affiliates.integrations.providers.protocol import ProviderSettings
from affiliates.integrations.types import Operation


class Preset(PostbackAdapter):
    """A network as data: ``needs`` names the setting that switches an operation on."""

    texts: ClassVar[Mapping[Operation, str]]
    needs: ClassVar[Mapping[Operation, str]] = {}
    success: ClassVar[str] = ""
    duplicate: ClassVar[str] = ""
    refused: ClassVar[str] = ""
    identifier_at: ClassVar[str] = ""

    def template_text(self, operation: Operation, settings: ProviderSettings) -> str:
        switch = {Operation.REVERSAL: SEND_REVERSALS, **self.needs}.get(operation)
        if switch is not None and not settings.values.get(switch):
            return ""
        return self.texts.get(operation, "")

    def answer_rules(self, settings: ProviderSettings) -> AnswerRules:
        return AnswerRules(
            success=answers.parse_marks(self.success),
            duplicate=answers.parse_marks(self.duplicate),
            refused=answers.parse_marks(self.refused),
            identifier=self.identifier_at,
        )
