"""Previews the answer to a visit without recording it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import Q

from affiliates.brands.rules import BrandConfig
from affiliates.core.domains import entry_allows_origin, parse_origin
from affiliates.core.ids import new_id
from affiliates.core.urls import HttpUrl, first_parameter
from affiliates.outbox.active import ActiveIntegration, tracker_of
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.protocol import MAX_AFFILIATE, Identifier, is_affiliate
from affiliates.program.models import AffiliateLink
from affiliates.program.rules import AffiliateStatus, LinkFacts, normalise_token
from affiliates.visits import selectors
from affiliates.visits.decision import (
    NamedLink,
    Recognition,
    VisitDecision,
    VisitInputs,
    decide_visit,
)
from affiliates.visits.recognition import notified_page, parameters_of, recognise
from affiliates.visits.rules import TouchSource
from affiliates.visits.services import read_visit_url


@dataclass(frozen=True, slots=True, kw_only=True)
class IntegrationPreview:
    """The integration's part: ``faults`` say why it does not recognise the visit.

    ``notice`` lists the parts of the provider's notification, () for none.
    """

    id: int
    provider: str
    address: str
    faults: tuple[str, ...]
    identifier: str
    notice: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitPreview:
    """The visit endpoint's result for a URL. ``unknown``: tokens that credit nobody."""

    decision: VisitDecision
    unknown: tuple[tuple[str, str], ...]
    integration: IntegrationPreview | None
    is_client_area: bool


def preview_visit(*, brand: BrandConfig, visit_url: str) -> VisitPreview:
    """Decides a person's first visit as ``track_visit`` would. Writes nothing.

    Raises InvalidInput on ``visit_url`` when it is not an http(s) URL.
    """
    url = read_visit_url(visit_url)
    row = _stored_integration(brand)
    integration = tracker_of(row) if row is not None and row.is_active else None
    named, unknown = selectors.find_named_link(url, brand)
    decision = _decide(url, named, integration, brand)
    return VisitPreview(
        decision=decision,
        unknown=tuple((token, _token_fault(token, brand)) for token in unknown),
        integration=None
        if row is None
        else _preview_integration(url, row, decision.inputs.recognition),
        is_client_area=_is_client_area(url, brand),
    )


def preview_link(link: AffiliateLink, *, brand: BrandConfig) -> VisitDecision | None:
    """Decides a visit by the link, saved or not, as if it were active.

    None for a brand without a client area.
    """
    row = _stored_integration(brand)
    integration = tracker_of(row) if row is not None and row.is_active else None
    facts = LinkFacts(
        affiliate_id=link.affiliate.pk,
        status=AffiliateStatus(link.affiliate.status),
        link_id=link.pk,
        target_url=link.target_url,
    )
    named = NamedLink(facts, TouchSource.PATH)
    for address in link.urls():
        return _decide(read_visit_url(address), named, integration, brand)
    return None


def _decide(
    url: HttpUrl,
    named: NamedLink | None,
    integration: ActiveIntegration | None,
    brand: BrandConfig,
) -> VisitDecision:
    """Decides a person's first visit, with the consent that the brand needs."""
    inputs = VisitInputs(
        named=named,
        recognition=recognise(url, integration=integration, held=None),
        integration_parameters=parameters_of(integration),
        held=None,
        is_repeat=False,
        bot_signs=(),
    )
    return decide_visit(
        url,
        inputs,
        brand=brand,
        visitor_id=new_id(),
        click_id=new_id(),
        now=datetime.now(tz=UTC),
    )


def _stored_integration(brand: BrandConfig) -> TrackingIntegration | None:
    """The brand's integration as stored now: the active one, else the latest."""
    rows = TrackingIntegration.trackers.filter(brand_id=brand.id)
    return rows.order_by("-is_active", "-pk").first()


def _preview_integration(
    url: HttpUrl, row: TrackingIntegration, recognition: Recognition | None
) -> IntegrationPreview:
    tracker = tracker_of(row)
    faults: tuple[str, ...] = ()
    notice: tuple[tuple[str, str], ...] = ()
    if tracker is None or recognition is None:
        faults = tuple(_faults(url, row, tracker))
    elif recognition.is_notified:
        parts = notified_page(url, tracker)
        notice = tuple(zip(("Page", "Query", "Fragment"), parts, strict=True))
    return IntegrationPreview(
        id=row.pk,
        provider=row.provider if tracker is None else tracker.adapter.name,
        address=row.address,
        faults=faults,
        identifier=""
        if tracker is None or recognition is None
        else _identifier(tracker.adapter.identifier, recognition.visitor_ref),
        notice=notice,
    )


def _identifier(identifier: Identifier, visitor_ref: str) -> str:
    if visitor_ref:
        return identifier.label
    if identifier is Identifier.CAPTURED:
        return (
            "The address carries none: the provider cannot match a sale to this visit."
        )
    return "None yet"


def _faults(
    url: HttpUrl, row: TrackingIntegration, tracker: ActiveIntegration | None
) -> Iterator[str]:
    """Why the visit is not recognised as the integration's."""
    parameters = parameters_of(tracker)
    if tracker is None:
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
        yield from (_parameter_fault(name, value) for name, value in present)
        if not present:
            yield f"The address has none of its parameters: {', '.join(parameters)}."


def _parameter_fault(name: str, value: str) -> str:
    if not value:
        return f"{name} is empty."
    if len(value) > MAX_AFFILIATE:
        return f"{name} has {len(value)} characters; at most {MAX_AFFILIATE} are read."
    if not is_affiliate(value):
        return f"{name} contains a control character."
    return f"{name} names no affiliate to this provider, or its settings are broken."


def _token_fault(token: str, brand: BrandConfig) -> str:
    normalised = normalise_token(token)
    if normalised is None:
        return "It has the form of neither a link's hash nor a code."
    link = (
        AffiliateLink.objects.filter(
            Q(hash=normalised)
            | Q(old_code=normalised, affiliate__brand_id=brand.id)
            | Q(slug=normalised, slug_brand_id=brand.id)
        )
        .select_related("affiliate__brand")
        .first()
    )
    if link is None:
        return "No link or affiliate of this brand has it."
    if link.affiliate.brand_id != brand.id:
        return f"It is a link of another brand, {link.affiliate.brand}."
    if link.slug_is_cleared and link.slug == normalised:
        return "Staff have withdrawn this name of a link."
    return "This link is switched off."


def _is_client_area(url: HttpUrl, brand: BrandConfig) -> bool:
    origin = parse_origin(url.origin)
    return origin is not None and any(
        entry_allows_origin(entry, origin) for entry in brand.domains
    )
