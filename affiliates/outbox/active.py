"""Integrations cached in this process, refreshed as often as the brands."""

from __future__ import annotations

from dataclasses import dataclass

from affiliates.brands.config_cache import ConfigCache, config_database, unless_touched
from affiliates.brands.rules import ChangeKind
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.protocol import ProviderSettings, TrackingAdapter, split_names
from affiliates.outbox.registry import ADAPTERS
from affiliates.outbox.types import KINDS, WEBHOOK


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveIntegration:
    """An active integration as a visit needs it: without its credentials."""

    id: int
    brand_id: int
    adapter: TrackingAdapter
    settings: ProviderSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveWebhook:
    """An active webhook as an announcement needs it. Empty kinds mean all."""

    id: int
    kinds: frozenset[str]

    def wants(self, kind: str) -> bool:
        return not self.kinds or kind in self.kinds


@dataclass(frozen=True, slots=True, kw_only=True)
class _IntegrationSnapshot:
    by_brand: dict[int, ActiveIntegration]
    webhooks: dict[int, tuple[ActiveWebhook, ...]]


def active_integration(brand_id: int) -> ActiveIntegration | None:
    """The brand's active tracker, if any. Never a webhook."""
    return _cache.get(None).by_brand.get(brand_id)


def active_webhooks(brand_id: int) -> tuple[ActiveWebhook, ...]:
    """The brand's own active webhooks."""
    return _cache.get(None).webhooks.get(brand_id, ())


def active_webhook_of(affiliate_id: int) -> ActiveWebhook | None:
    """The affiliate's own active webhook, while the affiliate is active."""
    return _of_affiliates.get(None).get(affiliate_id)


def settings_of(
    integration: TrackingIntegration, *, secrets: dict[str, str] | None = None
) -> ProviderSettings:
    return ProviderSettings(
        address=integration.address,
        parameters=split_names(integration.parameters),
        values=integration.config,
        secrets=secrets or {},
    )


def tracker_of(row: TrackingIntegration) -> ActiveIntegration | None:
    """The tracker as visits use it once it is active; None for an unknown provider."""
    if row.provider not in ADAPTERS:
        return None
    return ActiveIntegration(
        id=row.pk,
        brand_id=row.brand_id,
        adapter=ADAPTERS[row.provider],
        settings=settings_of(row),
    )


def parameters_of_brand(brand_id: int) -> tuple[str, ...]:
    """The parameters in an address that its trackers read, including inactive ones."""
    rows = TrackingIntegration.trackers.filter(brand_id=brand_id)
    names = (
        name
        for row in rows.order_by("-is_active", "pk")
        if row.provider in ADAPTERS
        for name in ADAPTERS[row.provider].parameters_of(settings_of(row))
    )
    return tuple(dict.fromkeys(names))


def _load(key: None) -> dict[None, _IntegrationSnapshot]:
    by_brand: dict[int, ActiveIntegration] = {}
    webhooks: dict[int, tuple[ActiveWebhook, ...]] = {}
    rows = TrackingIntegration.objects.using(config_database()).filter(
        is_active=True, brand__is_active=True, affiliate=None
    )
    for row in rows.order_by("pk"):
        if row.provider == WEBHOOK:
            kinds = frozenset(row.config.get(KINDS, ()))
            held = webhooks.get(row.brand_id, ())
            webhooks[row.brand_id] = (*held, ActiveWebhook(id=row.pk, kinds=kinds))
        # A provider unknown to this release cannot be matched; the admin says so.
        elif (tracker := tracker_of(row)) is not None:
            by_brand[row.brand_id] = tracker
    return {key: _IntegrationSnapshot(by_brand=by_brand, webhooks=webhooks)}


def _load_of_affiliates(key: None) -> dict[None, dict[int, ActiveWebhook]]:
    rows = TrackingIntegration.objects.using(config_database()).filter(
        is_active=True, brand__is_active=True, affiliate__status="active"
    )
    integrations = rows.values_list("affiliate_id", "pk", "config")
    return {
        key: {
            affiliate_id: ActiveWebhook(id=pk, kinds=frozenset(config.get(KINDS, ())))
            for affiliate_id, pk, config in integrations
        }
    }


_cache = ConfigCache(_load, unless_touched(ChangeKind.INTEGRATION, ChangeKind.BRAND))
# Separate, so that no visit waits for all affiliates' webhooks to be read again.
_of_affiliates = ConfigCache(
    _load_of_affiliates,
    unless_touched(ChangeKind.INTEGRATION, ChangeKind.BRAND, ChangeKind.AFFILIATE),
)
