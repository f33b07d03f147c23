"""Tapfiliate: its settings and operations."""

from __future__ import annotations

from dataclasses import replace

from affiliates.extending.providers import (
    ConfigError,
    Facts,
    Identifier,
    Operation,
    ProviderSettings,
    Run,
    TrackingAdapter,
    broken,
    clean_settings,
    field,
    is_header_text,
    register_provider,
)
from tapfiliate.operations import perform
from tapfiliate.wire import (
    API_KEY,
    COMMISSION_TYPE,
    CURRENCY,
    PROGRAM,
    SEND_LEADS,
)


@register_provider
class TapfiliateAdapter(TrackingAdapter):
    code = "tapfiliate"
    name = "Tapfiliate"
    about = (
        "Clicks, sales, customers and refunds by Tapfiliate's REST API 1.6. "
        "Unverified: that a lowered amount lowers the commission too."
    )
    identifier = Identifier.REMOTE
    address_help = "https://api.tapfiliate.com/1.6"
    default_address = "https://api.tapfiliate.com/1.6"
    default_parameters = ("ref",)
    fields = (
        field.needed(
            PROGRAM,
            "program id",
            "The program that sales belong to, as its address in Tapfiliate has it.",
        ),
        field.needed(
            CURRENCY,
            "program's currency",
            "E.g. EUR. Tapfiliate takes no currency, so a sale in another one is refused.",
        ),
        field.text(COMMISSION_TYPE, "commission type", "Empty: the program's default."),
        field.switch(
            SEND_LEADS,
            "report registrations",
            "A registered client becomes a customer in Tapfiliate.",
        ),
        field.secret(
            "API key",
            "From your profile settings in Tapfiliate. It can approve commissions.",
            name=API_KEY,
            is_required=True,
        ),
    )

    def clean(self, settings: ProviderSettings) -> ProviderSettings:
        cleaned = clean_settings(self.fields, settings, needs_parameters=True)
        currency = cleaned.text(CURRENCY).upper()
        if not (len(currency) == 3 and currency.isascii() and currency.isalpha()):
            raise ConfigError({CURRENCY: "Enter a currency's code, e.g. EUR."})
        return replace(cleaned, values={**cleaned.values, CURRENCY: currency})

    def supports(self, operation: Operation, settings: ProviderSettings) -> bool:
        if operation is Operation.LEAD:
            return settings.is_on(SEND_LEADS)
        return operation not in {Operation.EVENT, Operation.ERASURE}

    def converse(
        self, facts: Facts, visitor_id: str, settings: ProviderSettings
    ) -> Run:
        key = settings.secrets.get(API_KEY, "")
        if not key or not is_header_text(key):
            return broken("Enter the API key of the integration.")
        return (yield from perform(facts, visitor_id, settings))
