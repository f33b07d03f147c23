"""What a visit is, and what it means: pure decisions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple
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
    parse_http_url,
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
    affiliate_id: int
    link_id: int | None
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


def named_tokens(url: HttpUrl, *, parameter: str) -> Iterator[tuple[str, bool]]:
    """The link hashes or codes a visit URL names, and whether its path names them."""
    path = LINK_PATH.fullmatch(url.pathname)
    if path is not None:
        yield path[1], True
    value = first_parameter(url, parameter)
    if value:
        yield value, False


def choose_redirect(
    url: HttpUrl, *, brand: BrandConfig, link_target: str
) -> tuple[str, RedirectDecision]:
    """Where the visitor goes, and what was decided on the requested redirect.

    A permitted ``redirect`` parameter, else the brand's default URL when one was
    refused, else the link's target, else what the brand does with a plain visit.
    """
    requested = decide_redirect(
        url, domains=brand.domains, require_https=brand.require_https
    )
    if requested.url is not None:
        return requested.url, requested
    if requested.reason is not RedirectReason.NO_REDIRECT:
        return brand.default_redirect_url, requested
    landing = link_target or _page_to_stay_on(url, brand)
    judged = judge_target(
        landing, visit_url=url, domains=brand.domains, require_https=brand.require_https
    )
    if judged.url is None or _leads_on(judged.url, brand):
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
    """
    if not is_creditable or is_repeat:
        return held
    if held is not None and policy is AttributionPolicy.FIRST_CLICK:
        return replace(held, expires_at=click.expires_at)
    return click


def is_repeat(held: ReferralCookie | None, *, affiliate_id: int, now: datetime) -> bool:
    """Whether the same visitor came by the same affiliate within half an hour."""
    return (
        held is not None
        and held.affiliate_id == affiliate_id
        and now - held.issued_at < REPEAT_INTERVAL
    )


def is_creditable(
    *, status: AffiliateStatus, own_program: bool, bot_signs: Sequence[BotSign]
) -> bool:
    """Whether a click may earn at all: a person's, by an active affiliate."""
    return own_program and status is AffiliateStatus.ACTIVE and not bot_signs


def _leads_on(target: str, brand: BrandConfig) -> bool:
    """Whether a landing is itself a link or a redirect: such send visitors in circles."""
    url = parse_http_url(target)
    return (
        url is None
        or first_parameter(url, REDIRECT_PARAMETER) is not None
        or any(named_tokens(url, parameter=brand.link_parameter))
    )


def _page_to_stay_on(url: HttpUrl, brand: BrandConfig) -> str:
    """The visited page without its affiliate parameters, where the brand keeps visitors."""
    if brand.landing is not Landing.STAY or LINK_PATH.fullmatch(url.pathname):
        return brand.default_redirect_url
    return without_parameters(url, (brand.link_parameter, REDIRECT_PARAMETER))
