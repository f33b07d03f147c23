"""Any provider without its own adapter: the operator writes the templates."""

from __future__ import annotations

from affiliates.outbox.protocol import ConfigError, ConfigField, ProviderSettings
from affiliates.outbox.registry import register
from affiliates.outbox.types import Operation
from affiliates.tracking.providers import answers, field, templates
from affiliates.tracking.providers.answers import AnswerRules, MarkFault
from affiliates.tracking.providers.macros import FACT_MACROS
from affiliates.tracking.providers.postback import (
    CapturedPostback,
    PostbackAdapter,
    RemotePostback,
)

IDENTIFIER_AT = "identifier_at"
_MARKS = ("success", "duplicate", "refused")
_TEMPLATES = {
    f"{operation}_template": operation
    for operation in (
        Operation.CLICK,
        Operation.SALE,
        Operation.LEAD,
        Operation.REVERSAL,
        Operation.ERASURE,
    )
}
_ABOUT_TEMPLATES = (
    "What follows the tracking address, e.g. /postback?click={visitor_id}. A method may "
    "go before it (POST /path), headers below it, and a form after a free line. Every "
    "value is percent-encoded; a pair without a value is left out."
)


def _template_field(operation: Operation, *, is_required: bool = False) -> ConfigField:
    macros = " ".join(f"{{{name}}}" for name in sorted(FACT_MACROS[operation]))
    article = "an" if operation is Operation.ERASURE else "a"
    empty = "" if is_required else " Empty: the provider is not notified."
    return field.long_text(
        f"{operation}_template",
        f"template of {article} {operation}",
        f"{_ABOUT_TEMPLATES}{empty} Macros: {macros} {{account}} {{status}} {{secret}}.",
        is_required=is_required,
    )


def _answer_field(name: str, label: str, meaning: str) -> ConfigField:
    return field.long_text(
        name,
        label,
        f"{meaning} One a line, any of them counts: a text that the answer contains, or "
        "json:path=value, e.g. json:status=1.",
    )


_COMMON = (
    _template_field(Operation.SALE, is_required=True),
    _template_field(Operation.LEAD),
    _template_field(Operation.REVERSAL),
    _template_field(Operation.ERASURE),
    field.text("account", "account", "The value of {account} in the templates."),
    field.text(
        "status",
        "status of a sale",
        "The value of {status} in the templates, e.g. approved.",
    ),
    field.secret(
        "secret",
        "The value of {secret}, in a query or a header: nothing is sent without it. "
        "{basic}, in a header only, is account and secret as HTTP Basic authentication "
        "writes them.",
    ),
    field.text(
        field.ONLY_CURRENCY,
        "only this currency",
        "For a provider that takes no currency: e.g. EUR. A sale in another one is "
        "refused, not sent as so many euros. Empty: any.",
    ),
    _answer_field(
        "success",
        "what success looks like",
        "Empty: every answer with a status 2xx, except a web page.",
    ),
    _answer_field(
        "duplicate",
        "what a repeat looks like",
        "The provider has it already, which counts as delivered.",
    ),
    _answer_field(
        "refused",
        "what a refusal looks like",
        "The provider received it and will never take it.",
    ),
)


class _Custom(PostbackAdapter):
    address_help = "Where the provider's postbacks go, up to the templates' first /."

    def template_text(self, operation: Operation, settings: ProviderSettings) -> str:
        return settings.text(f"{operation}_template")

    def answer_rules(self, settings: ProviderSettings) -> AnswerRules:
        marks = {name: answers.parse_marks(settings.text(name)) for name in _MARKS}
        return AnswerRules(**marks, identifier=settings.text(IDENTIFIER_AT))

    def basic_user(self, settings: ProviderSettings) -> str:
        return settings.text("account")

    def clean(self, settings: ProviderSettings) -> ProviderSettings:
        cleaned = super().clean(settings)
        faults: dict[str, str] = {}
        for name in cleaned.values:
            try:
                self._check(name, cleaned.text(name))
            except (MarkFault, templates.TemplateFault) as fault:
                faults[name] = str(fault)
        if faults:
            raise ConfigError(faults)
        return cleaned

    def _check(self, name: str, text: str) -> None:
        if name in _MARKS:
            answers.parse_marks(text)
        elif name == IDENTIFIER_AT:
            answers.check_identifier_place(text)
        elif name in _TEMPLATES and text:
            templates.parse_template(text, self.macros(_TEMPLATES[name]))


@register
class CustomPostback(_Custom, CapturedPostback):
    code = "postback"
    name = "Any provider, identifier from the link"
    about = (
        "The provider's links bring its click identifier in a parameter, and sales are "
        "reported with it."
    )
    fields = (
        field.needed(
            field.IDENTIFIER_PARAMETER,
            "identifier parameter",
            "The parameter of the visited page's address that has the provider's click "
            "identifier.",
            default="click_id",
        ),
        _template_field(Operation.CLICK),
        *_COMMON,
    )


@register
class CustomRemotePostback(_Custom, RemotePostback):
    code = "postback_remote"
    name = "Any provider, identifier from its answer"
    about = (
        "The provider is notified of each click and answers with an identifier, which sales "
        "are reported with."
    )
    fields = (
        _template_field(Operation.CLICK, is_required=True),
        field.needed(
            IDENTIFIER_AT,
            "identifier in the answer",
            "Where the click's answer has it: json:transaction_id, json:data.id, or body "
            "for an answer that is nothing else.",
            default="json:id",
        ),
        *_COMMON,
    )
