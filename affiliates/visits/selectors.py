"""What a visit would be answered, without recording it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from affiliates.brands.rules import BrandConfig, Landing
from affiliates.core.domains import entry_allows_origin, parse_origin
from affiliates.core.enums import LabelledEnum
from affiliates.core.redirects import RedirectDecision, RedirectReason, judge_target
from affiliates.core.urls import HttpUrl, parse_http_url
from affiliates.errors import InvalidInput
from affiliates.program.models import AffiliateLink
from affiliates.program.rules import LinkFacts, normalise_token
from affiliates.program.selectors import find_link
from affiliates.visits import rules
from affiliates.visits.integration_preview import (
    IntegrationPreview,
    as_active,
    integration_of,
    preview_integration,
)
from affiliates.visits.models import Click
from affiliates.visits.recognition import parameters_of
from affiliates.visits.rules import TouchSource


class Destination(LabelledEnum):
    """Why a visit leads where it leads."""

    REDIRECT = "redirect", "The requested redirect is permitted."
    REDIRECT_REFUSED = (
        "redirect_refused",
        "The requested redirect is refused: the brand's default redirect URL instead.",
    )
    LINK_TARGET = "link_target", "The target of the link."
    LINK_TARGET_REFUSED = (
        "link_target_refused",
        "The link's target is not permitted, or is itself an affiliate's address: the "
        "brand's default redirect URL instead.",
    )
    STAY = "stay", "The visited page, without its affiliate parameters."
    DEFAULT = "default", "The brand's default redirect URL."


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownToken:
    """What looks like a link or code but credits nobody, and why."""

    text: str
    fault: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitPreview:
    """What the visit endpoint makes of a URL."""

    visit_url: str
    link: LinkFacts | None
    source: TouchSource | None
    unknown: tuple[UnknownToken, ...]
    redirect: RedirectDecision
    redirect_url: str
    destination: Destination
    integration: IntegrationPreview | None
    is_link_creditable: bool
    is_client_area: bool

    @property
    def is_recorded(self) -> bool:
        return self.link is not None or self._is_recognised

    @property
    def is_creditable(self) -> bool:
        return self.is_link_creditable or self._is_recognised

    @property
    def _is_recognised(self) -> bool:
        return self.integration is not None and self.integration.is_recognised


def preview_visit(*, brand: BrandConfig, visit_url: str) -> VisitPreview:
    """What ``track_visit`` would decide for a person's first visit. Writes nothing.

    Raises InvalidInput on ``visit_url`` when it is not an http(s) URL.
    """
    url = parse_http_url(visit_url)
    if url is None:
        raise InvalidInput(
            "invalid",
            "Enter a full http or https address, at most 8192 characters.",
            field="visit_url",
        )
    found = find_named_link(url, brand)
    link, source = found or (None, None)
    target = link.target_url if link else ""
    integration = integration_of(brand)
    redirect_url, redirect = rules.choose_redirect(
        url,
        brand=brand,
        link_target=target,
        integration_parameters=parameters_of(as_active(integration)),
    )
    return VisitPreview(
        visit_url=url.href,
        link=link,
        source=source,
        unknown=tuple(_unknown_tokens(url, brand, source)),
        redirect=redirect,
        redirect_url=redirect_url,
        destination=_destination(url, redirect, redirect_url, target, brand),
        integration=preview_integration(url, integration),
        is_link_creditable=rules.is_creditable(
            status=None if link is None else link.status,
            own_program=brand.own_program,
            by_integration=False,
            bot_signs=(),
        ),
        is_client_area=_is_client_area(url, brand),
    )


def has_clicked_since(
    since: datetime, *, brand_id: int, visitor_id: UUID, affiliate_id: int
) -> bool:
    return Click.objects.filter(
        brand_id=brand_id,
        visitor_id=visitor_id,
        affiliate_id=affiliate_id,
        created_at__gt=since,
    ).exists()


def has_come_by_integration_since(
    since: datetime,
    *,
    brand_id: int,
    visitor_id: UUID,
    integration_id: int,
    external_affiliate: str,
    click_id: UUID | None,
) -> bool:
    """Whether the visitor came by this affiliate of the integration: with ``click_id``,
    that click or none."""
    clicks = Click.objects.filter(
        brand_id=brand_id,
        visitor_id=visitor_id,
        integration_id=integration_id,
        external_affiliate=external_affiliate,
        created_at__gt=since,
    )
    if click_id is not None:
        clicks = clicks.filter(pk=click_id)
    return clicks.exists()


def find_named_link(
    url: HttpUrl, brand: BrandConfig
) -> tuple[LinkFacts, TouchSource] | None:
    """The first link or code of the brand that the URL names, and how it names it."""
    for token, in_path in rules.named_tokens(url, parameter=brand.link_parameter):
        link = find_link(brand_id=brand.id, token=token)
        if link is not None:
            if in_path:
                return link, TouchSource.PATH
            by_hash = link.link_id is not None
            return link, TouchSource.PARAMETER if by_hash else TouchSource.CODE
    return None


def _unknown_tokens(
    url: HttpUrl, brand: BrandConfig, found: TouchSource | None
) -> Iterator[UnknownToken]:
    """The tokens read before the one that was found, or all of them."""
    for token, in_path in rules.named_tokens(url, parameter=brand.link_parameter):
        if found is not None and in_path == (found is TouchSource.PATH):
            return
        yield UnknownToken(text=token, fault=_fault_of(token, brand))


def _fault_of(token: str, brand: BrandConfig) -> str:
    normalised = normalise_token(token)
    if normalised is None:
        return "It has the form of neither a link's hash nor a code."
    link = (
        AffiliateLink.objects.filter(hash=normalised)
        .select_related("affiliate__brand")
        .first()
    )
    if link is None:
        return "No link or affiliate of this brand has it."
    if link.affiliate.brand_id != brand.id:
        return f"It is a link of another brand, {link.affiliate.brand}."
    return "This link is switched off."


def _destination(
    url: HttpUrl,
    redirect: RedirectDecision,
    redirect_url: str,
    link_target: str,
    brand: BrandConfig,
) -> Destination:
    if redirect.url is not None:
        return Destination.REDIRECT
    if redirect.reason is not RedirectReason.NO_REDIRECT:
        return Destination.REDIRECT_REFUSED
    if link_target:
        judged = judge_target(
            link_target,
            visit_url=url,
            domains=brand.domains,
            require_https=brand.require_https,
        )
        is_followed = judged.url == redirect_url
        return (
            Destination.LINK_TARGET if is_followed else Destination.LINK_TARGET_REFUSED
        )
    stays = brand.landing is Landing.STAY and redirect_url != brand.default_redirect_url
    return Destination.STAY if stays else Destination.DEFAULT


def _is_client_area(url: HttpUrl, brand: BrandConfig) -> bool:
    origin = parse_origin(url.origin)
    return origin is not None and any(
        entry_allows_origin(entry, origin) for entry in brand.domains
    )
