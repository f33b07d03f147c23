"""What the brand's tracking integration would make of a URL, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from affiliates.brands.rules import BrandConfig
from affiliates.core.urls import HttpUrl, first_parameter
from affiliates.integrations.models import TrackingIntegration
from affiliates.integrations.protocol import (
    MAX_AFFILIATE,
    Identifier,
    TrackingAdapter,
    is_affiliate,
)
from affiliates.integrations.registry import UnknownProvider, get_adapter
from affiliates.integrations.selectors import ActiveIntegration, settings_of
from affiliates.visits.recognition import parameters_of, recognise, told_page


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldClick:
    """What the provider would be told of the page."""

    page: str
    query: str
    fragment: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationPreview:
    """``affiliate`` is None and ``faults`` say why when the visit is not recognised.

    ``told`` is None when the provider is not told of clicks.
    """

    id: int
    provider: str
    address: str
    affiliate: str | None
    faults: tuple[str, ...]
    identifier: str
    told: ToldClick | None

    @property
    def is_recognised(self) -> bool:
        return self.affiliate is not None


def integration_of(brand: BrandConfig) -> TrackingIntegration | None:
    """The brand's integration as it is stored now: the active one, else the latest."""
    rows = TrackingIntegration.trackers.filter(brand_id=brand.id)
    return rows.order_by("-is_active", "-pk").first()


def as_active(row: TrackingIntegration | None) -> ActiveIntegration | None:
    """The integration as visits will know it, within seconds; None when they will not."""
    adapter = None if row is None else _adapter_of(row)
    if row is None or adapter is None or not row.is_active:
        return None
    return ActiveIntegration(
        id=row.pk, brand_id=row.brand_id, adapter=adapter, settings=settings_of(row)
    )


def preview_integration(
    url: HttpUrl, row: TrackingIntegration | None
) -> IntegrationPreview | None:
    """What the integration makes of a visitor's first visit; None without one."""
    if row is None:
        return None
    adapter = _adapter_of(row)
    integration = as_active(row)
    recognition = recognise(url, integration=integration, current="")
    told = None
    if recognition is not None and recognition.is_told:
        page, query, fragment = told_page(url, recognition.integration)
        told = ToldClick(page=page, query=query, fragment=fragment)
    if recognition is None:
        faults = tuple(_faults(url, row, adapter, parameters_of(integration)))
    else:
        faults = ()
    return IntegrationPreview(
        id=row.pk,
        provider=row.provider if adapter is None else adapter.name,
        address=row.address,
        affiliate=None if recognition is None else recognition.affiliate,
        faults=faults,
        identifier=""
        if recognition is None or adapter is None
        else _identifier(adapter, recognition.visitor_ref),
        told=told,
    )


def _adapter_of(row: TrackingIntegration) -> TrackingAdapter | None:
    try:
        return get_adapter(row.provider)
    except UnknownProvider:
        return None


def _identifier(adapter: TrackingAdapter, visitor_ref: str) -> str:
    if visitor_ref:
        return adapter.identifier.label
    if adapter.identifier is Identifier.CAPTURED:
        return (
            "The address carries none: the provider cannot match a sale to this visit."
        )
    return "None yet"


def _faults(
    url: HttpUrl,
    row: TrackingIntegration,
    adapter: TrackingAdapter | None,
    parameters: tuple[str, ...],
) -> Iterator[str]:
    """Why the visit is not the integration's."""
    if adapter is None:
        yield f"This release knows no provider {row.provider!r}: choose another one."
    elif not row.is_active:
        yield "The integration is switched off."
    elif not parameters:
        yield "It has no affiliate parameters: enter their names."
    else:
        present = [
            (name, value)
            for name in parameters
            if (value := first_parameter(url, name)) is not None
        ]
        yield from (_fault_of(name, value) for name, value in present)
        if not present:
            yield f"The address has none of its parameters: {', '.join(parameters)}."


def _fault_of(name: str, value: str) -> str:
    if not value:
        return f"{name} is empty."
    if len(value) > MAX_AFFILIATE:
        return f"{name} has {len(value)} characters; at most {MAX_AFFILIATE} are read."
    if not is_affiliate(value):
        return f"{name} contains a control character."
    return f"{name} names no affiliate to this provider, or its settings are broken."
