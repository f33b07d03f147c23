"""An integration with its adapter and its credentials, ready to be called."""

from __future__ import annotations

from dataclasses import dataclass

from affiliates.encrypted.columns import SecretUnreadable
from affiliates.outbox.active import settings_of
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.protocol import ProviderSettings, TrackingAdapter
from affiliates.outbox.registry import ADAPTERS
from affiliates.outbox.rules import AmbiguousSales
from affiliates.outbox.secrets import CREDENTIALS
from affiliates.outbox.types import Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """An integration with all that its deliveries need."""

    integration: TrackingIntegration
    adapter: TrackingAdapter
    settings: ProviderSettings

    @property
    def policy(self) -> AmbiguousSales:
        return AmbiguousSales(self.integration.ambiguous_sales)

    @property
    def can_look_up(self) -> bool:
        return self.adapter.supports(Operation.LOOKUP, self.settings)


def open_provider(integration: TrackingIntegration) -> Provider | str:
    """Returns the provider, or what must be corrected before it can be called."""
    adapter = ADAPTERS.get(integration.provider)
    if adapter is None:
        return (
            f"No tracking provider is called {integration.provider!r} in this release."
        )
    try:
        secrets = CREDENTIALS.open(integration.secrets)
    except SecretUnreadable as fault:
        return fault.detail
    settings = settings_of(integration, secrets=secrets)
    return Provider(integration=integration, adapter=adapter, settings=settings)


def is_supported(integration: TrackingIntegration, operation: Operation) -> bool:
    """Whether the operation is supported; true if unknown: the sender finds out."""
    provider = open_provider(integration)
    if isinstance(provider, str):
        return True
    return provider.adapter.supports(operation, provider.settings)
