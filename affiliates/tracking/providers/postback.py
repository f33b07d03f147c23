"""Providers that are notified of a sale by one request from a template."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace

from affiliates.core.urls import HttpUrl, first_parameter
from affiliates.outbox import rules
from affiliates.outbox.http.types import Call
from affiliates.outbox.protocol import (
    ConfigError,
    ConfigField,
    FieldKind,
    Identifier,
    Match,
    ProviderSettings,
    Run,
    TrackingAdapter,
)
from affiliates.outbox.types import (
    CallOutcome,
    ErasureFacts,
    Facts,
    Operation,
    OutcomeKind,
    ReversalFacts,
    TrackedFacts,
    VisitFacts,
    broken,
    rejected,
)
from affiliates.tracking.providers import answers, templates
from affiliates.tracking.providers.answers import AnswerRules
from affiliates.tracking.providers.cleaning import clean_settings
from affiliates.tracking.providers.field import (
    IDENTIFIER_PARAMETER,
    ONLY_CURRENCY,
    SECRET,
)
from affiliates.tracking.providers.macros import (
    AMOUNT,
    FACT_MACROS,
    VISITOR_ID,
    fact_values,
)
from affiliates.tracking.providers.templates import Macros, Template, TemplateFault

_PARAMETER_NAME = re.compile(r"[A-Za-z0-9_.~-]{1,64}")


class PostbackAdapter(TrackingAdapter):
    """Base of all template providers; subclasses define the identifier's origin."""

    @abstractmethod
    def template_text(self, operation: Operation, settings: ProviderSettings) -> str:
        """The operation's template, "" when this provider is not notified of it."""

    def answer_rules(self, settings: ProviderSettings) -> AnswerRules:
        return AnswerRules()

    def basic_user(self, settings: ProviderSettings) -> str:
        """The user name that goes with the secret in ``{basic}``."""
        return ""

    def macros(self, operation: Operation) -> Macros:
        """A fact has precedence over a setting of the same name."""
        names = {field.name for field in self.fields if _is_macro(field)}
        return Macros(facts=FACT_MACROS[operation], settings=frozenset(names))

    def clean(self, settings: ProviderSettings) -> ProviderSettings:
        cleaned = clean_settings(
            self.fields,
            settings,
            needs_parameters=self.identifier is not Identifier.CAPTURED,
        )
        name = cleaned.text(IDENTIFIER_PARAMETER)
        if name and not _PARAMETER_NAME.fullmatch(name):
            raise ConfigError(
                {IDENTIFIER_PARAMETER: "Enter one parameter's name, e.g. click_id."}
            )
        currency = cleaned.text(ONLY_CURRENCY).upper()
        if currency and not re.fullmatch("[A-Z]{3}", currency):
            raise ConfigError({ONLY_CURRENCY: "Enter a currency's code, e.g. EUR."})
        if ONLY_CURRENCY not in cleaned.values:
            return cleaned
        return replace(cleaned, values={**cleaned.values, ONLY_CURRENCY: currency})

    def supports(self, operation: Operation, settings: ProviderSettings) -> bool:
        is_probe = operation is Operation.PROBE
        return is_probe or bool(self.template_text(operation, settings))

    def converse(
        self, facts: Facts, visitor_id: str, settings: ProviderSettings
    ) -> Run:
        if not isinstance(facts, TrackedFacts):
            return (yield from _probe(settings))
        operation = facts.operation
        try:
            template = templates.parse_template(
                self.template_text(operation, settings), self.macros(operation)
            )
            call = self._call(template, facts, visitor_id, settings)
        except TemplateFault as fault:
            return broken(str(fault))
        if SECRET in template.macros and not settings.secrets.get(SECRET):
            return broken("Enter the integration's secret: the template has {secret}.")
        refusal = _refusal(template, facts, visitor_id, settings)
        if refusal is not None:
            return refusal
        response = yield call
        return answers.judge(
            operation,
            response,
            self.answer_rules(settings),
            is_partial=_is_partial(facts),
        )

    def _call(
        self,
        template: Template,
        facts: TrackedFacts,
        visitor_id: str,
        settings: ProviderSettings,
    ) -> Call:
        held = {
            field.name: settings.text(field.name)
            for field in self.fields
            if _is_macro(field)
        }
        return templates.render(
            template,
            address=settings.address.rstrip("/"),
            values={**held, **fact_values(facts), VISITOR_ID: visitor_id},
            secret=settings.secrets.get(SECRET, ""),
            basic_user=self.basic_user(settings),
        )


class CapturedPostback(PostbackAdapter):
    """The visitor brings the network's click identifier in a parameter."""

    identifier = Identifier.CAPTURED

    def parameters_of(self, settings: ProviderSettings) -> tuple[str, ...]:
        return (*settings.parameters, self._parameter(settings))

    def match(self, url: HttpUrl, settings: ProviderSettings) -> Match | None:
        """Matches the visit by the identifier.

        The affiliate is taken from an affiliate parameter, else it is the identifier,
        which only the network can read.
        """
        captured = self._capture(url, settings)
        if not captured:
            return None
        return super().match(url, settings) or Match(affiliate=captured)

    def identify(
        self,
        url: HttpUrl,
        settings: ProviderSettings,
        *,
        current: str,
        mint: Callable[[], str],
    ) -> str:
        return self._capture(url, settings) or current

    def _capture(self, url: HttpUrl, settings: ProviderSettings) -> str:
        value = first_parameter(url, self._parameter(settings)) or ""
        return value if answers.IDENTIFIER.fullmatch(value) else ""

    def _parameter(self, settings: ProviderSettings) -> str:
        return settings.text(IDENTIFIER_PARAMETER) or next(
            str(field.default)
            for field in self.fields
            if field.name == IDENTIFIER_PARAMETER
        )


class RemotePostback(PostbackAdapter):
    """The provider makes the identifier when it is notified of the click.

    Until then the visitor has our own reference, which the identifier replaces.
    """

    identifier = Identifier.REMOTE


def _is_macro(field: ConfigField) -> bool:
    return not field.is_secret and field.kind in {FieldKind.TEXT, FieldKind.CHOICE}


def _is_partial(facts: TrackedFacts) -> bool:
    return isinstance(facts, ReversalFacts) and facts.amount is not None


def _refusal(
    template: Template, facts: TrackedFacts, visitor_id: str, settings: ProviderSettings
) -> CallOutcome | None:
    """Why this template cannot express the facts; None if it can."""
    if VISITOR_ID in template.macros and not visitor_id:
        return rejected(
            "The visitor came without the provider's identifier, which it needs."
        )
    if isinstance(facts, VisitFacts | ErasureFacts):
        return None
    only = settings.text(ONLY_CURRENCY)
    if only and facts.currency and facts.currency != only:
        return rejected(
            f"The amount is in {facts.currency}; the provider takes {only} only."
        )
    if _is_partial(facts) and AMOUNT not in template.macros:
        return rejected(
            "Only whole sales can be taken back at the provider this way: "
            f"lower {facts.order_ref} by {facts.amount} {facts.currency} there by hand."
        )
    return None


def _probe(settings: ProviderSettings) -> Run:
    """Requests the address only: a test conversion would be counted."""
    response = yield Call(method="GET", url=f"{settings.address.rstrip('/')}/")
    refusal = rules.judge_status(Operation.PROBE, response)
    if refusal is not None and response.status >= 500:
        return refusal
    return CallOutcome(
        OutcomeKind.OK,
        f"A server answers there (status {response.status}). Whether the names and "
        "numbers are right shows with the first sale: nothing was reported.",
    )
