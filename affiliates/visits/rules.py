"""What a visit is, and what it means: pure decisions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from affiliates.brands.rules import AttributionPolicy, BrandConfig, Landing
from affiliates.core.enums import LabelledEnum
from affiliates.core.redirects import (
    REDIRECT_PARAMETER,
    RedirectDecision,
    RedirectReason,
    decide_redirect,
    judge_target,
)
from affiliates.core.urls import (
    HttpUrl,
    first_parameter,
    without_parameters,
)
from affiliates.program.rules import AffiliateStatus
from affiliates.visits.cookie import ReferralCookie

LINK_PATH = re.compile(r"/aff/([0-9a-fA-F]{40})/?")
REPEAT_INTERVAL = timedelta(minutes=30)


class TouchSource(LabelledEnum):
    """How the visit named its affiliate."""

    PATH = "path", "Link path"
    PARAMETER = "parameter", "Link parameter"
    CODE = "code", "Affiliate code"
    INTEGRATION = "integration", "Tracking integration's parameter"


class BotSign(LabelledEnum):
    USER_AGENT = "user_agent", "Its user agent is a known robot's"
    PREFETCH = "prefetch", "The browser fetched the page ahead of a click"


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """A page opened in a client area, as its frontend reports it."""

    visit_url: str
    referrer_url: str
    user_agent: str
    referral_cookie: str | None
    ip: str
    ip_prefix: str
    is_prefetch: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitAnswer:
    """Where the visitor goes and what the browser is to hold; age in seconds."""

    redirect_url: str
    referral_cookie: str | None
    referral_cookie_max_age: int | None


class ClickRow(NamedTuple):
    """A click as it is written: one value per column, in the order of the columns."""

    id: UUID
    created_at: datetime
    brand_id: int
    affiliate_id: int | None
    link_id: int | None
    integration_id: int | None
    external_affiliate: str
    visitor_id: UUID
    source: str
    affiliate_status: str
    own_program: bool
    is_repeat: bool
    bot_signs: str
    visit_url: str
    referrer_url: str
    user_agent: str
    ip_prefix: str
    redirect_reason: str
    refused_redirect: str


class DeliveryRow(NamedTuple):
    """A click as it is queued for the integration: what differs from click to click."""

    brand_id: int
    integration_id: int
    key: str
    visitor_ref: str
    payload: dict[str, Any]
    created_at: datetime


def named_tokens(url: HttpUrl, *, parameter: str) -> Iterator[tuple[str, bool]]:
    """The link hashes or codes a visit URL names, and whether its path names them."""
    path = LINK_PATH.fullmatch(url.pathname)
    if path is not None:
        yield path[1], True
    value = first_parameter(url, parameter)
    if value:
        yield value, False


def choose_redirect(
    url: HttpUrl,
    *,
    brand: BrandConfig,
    link_target: str,
    integration_parameters: Sequence[str] = (),
) -> tuple[str, RedirectDecision]:
    """Where the visitor goes, and what was decided on the requested redirect.

    A permitted ``redirect`` parameter, else the brand's default URL when one was
    refused, else the link's target, else what the brand does with a plain visit.
    ``integration_parameters`` name an affiliate of the brand's tracking integration.
    """
    requested = decide_redirect(
        url, domains=brand.domains, require_https=brand.require_https
    )
    if requested.url is not None:
        return requested.url, requested
    if requested.reason is not RedirectReason.NO_REDIRECT:
        return brand.default_redirect_url, requested
    landing = link_target or _page_to_stay_on(url, brand, integration_parameters)
    if landing == brand.default_redirect_url:
        return landing, requested
    judged = judge_target(
        landing, visit_url=url, domains=brand.domains, require_https=brand.require_https
    )
    if judged.url is None or _leads_on(judged.target, brand, integration_parameters):
        return brand.default_redirect_url, requested
    return judged.url, requested


def choose_touch(
    held: ReferralCookie | None,
    click: ReferralCookie,
    *,
    is_creditable: bool,
    is_repeat: bool,
    policy: AttributionPolicy,
) -> ReferralCookie | None:
    """Which touch the browser carries on: the one it holds or the click just made.

    Where the first click wins, the held one lives on with the new one's lifetime: its
    visitor must stay known until the new click's window ends, should the first not count.
    Whichever it is, the identifier that the integration knows the visitor by goes along.
    """
    if not is_creditable:
        return held
    if held is None or not (is_repeat or policy is AttributionPolicy.FIRST_CLICK):
        return click
    return replace(
        held,
        expires_at=held.expires_at if is_repeat else click.expires_at,
        external_visitor_id=click.external_visitor_id,
    )


def is_repeat(held: ReferralCookie | None, *, affiliate_id: int, now: datetime) -> bool:
    """Whether the same visitor came by the same affiliate within half an hour."""
    return (
        held is not None
        and held.affiliate_id == affiliate_id
        and is_recent(held, now=now)
    )


def is_recent(held: ReferralCookie, *, now: datetime) -> bool:
    return now - held.issued_at < REPEAT_INTERVAL


def is_creditable(
    *,
    status: AffiliateStatus | None,
    own_program: bool,
    by_integration: bool,
    bot_signs: Sequence[BotSign],
) -> bool:
    """Whether a click may earn at all: a person's, and for whom.

    For an active affiliate of the brand's own program (``status`` is None without one)
    or for whomever the tracking integration credits.
    """
    by_own_program = own_program and status is AffiliateStatus.ACTIVE
    return (by_own_program or by_integration) and not bot_signs


def storable(text: str, limit: int) -> str:
    """The beginning of the text without NUL, which PostgreSQL cannot store."""
    return text[:limit].replace("\x00", "")


def _leads_on(
    target: HttpUrl | None, brand: BrandConfig, integration_parameters: Sequence[str]
) -> bool:
    """Whether a landing is itself a link or a redirect: such send visitors in circles."""
    return target is not None and (
        any(
            first_parameter(target, name) is not None
            for name in (REDIRECT_PARAMETER, *integration_parameters)
        )
        or any(named_tokens(target, parameter=brand.link_parameter))
    )


def _page_to_stay_on(
    url: HttpUrl, brand: BrandConfig, integration_parameters: Sequence[str]
) -> str:
    """The visited page without its affiliate parameters, where the brand keeps visitors."""
    if brand.landing is not Landing.STAY or LINK_PATH.fullmatch(url.pathname):
        return brand.default_redirect_url
    return without_parameters(
        url, (brand.link_parameter, REDIRECT_PARAMETER, *integration_parameters)
    )
