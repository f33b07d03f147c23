"""What a visit means: whom it names, which touch it leaves and where it leads.

Decided here once, for the visit itself and for the admin's page that tries a URL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
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
    at_rest,
    first_parameter,
    without_parameters,
)
from affiliates.program.rules import AffiliateStatus, LinkFacts
from affiliates.visits.cookie import NO_AFFILIATE, ReferralCookie
from affiliates.visits.rules import LINK_PATH, BotSign, TouchSource, named_tokens


class LinkCredit(StrEnum):
    """Whether a person's click counts for the affiliate whose link or code it was."""

    COUNTS = "counts"
    NO_LINK = "no_link"
    PROGRAM_OFF = "program_off"
    NOT_ACTIVE = "not_active"


class TouchReason(StrEnum):
    """Why the browser carries on the touch that it does: the click's or the held one."""

    NEW = "new"
    REPEAT = "repeat"
    FIRST_CLICK = "first_click"
    NOBODY_NAMED = "nobody_named"
    NO_CREDIT = "no_credit"
    NO_PERSON = "no_person"
    REFUSED = "refused"


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


class NamedLink(NamedTuple):
    """The link or code that a visit names, and how it names it."""

    link: LinkFacts
    source: TouchSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """A visit that came by a link of the tracking integration.

    ``affiliate`` is whom the link names. ``visitor_ref`` is the visitor's identifier
    from now on, "" when there is none. ``is_notified``: the provider hears of the click.
    """

    integration_id: int
    affiliate: str
    visitor_ref: str
    is_notified: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitInputs:
    """What is known of a visit. ``held`` is the touch that its cookie carries.

    ``is_refused``: the visitor's browser refuses to be tracked, and the brand heeds it.
    ``integration_parameters`` are the names in an address that are the integration's.
    """

    named: NamedLink | None
    recognition: Recognition | None
    integration_parameters: tuple[str, ...]
    held: ReferralCookie | None
    is_repeat: bool
    bot_signs: tuple[BotSign, ...]
    is_refused: bool = False


class VisitRedirect(NamedTuple):
    """Where a visit leads and why; ``guard`` judged the redirect that it asks for."""

    url: str
    destination: Destination
    guard: RedirectDecision


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitDecision:
    """What a visit means: its link, its touch and its redirect, each with the reason.

    ``click`` is None when nothing is recorded. ``touch`` is what the browser carries on.
    """

    inputs: VisitInputs
    link_credit: LinkCredit
    click: ReferralCookie | None
    touch: ReferralCookie | None
    touch_reason: TouchReason
    redirect: VisitRedirect


def decide_visit(
    url: HttpUrl,
    inputs: VisitInputs,
    *,
    brand: BrandConfig,
    visitor_id: UUID,
    click_id: UUID,
    now: datetime,
) -> VisitDecision:
    """All that a visit means; the ids are its visitor's and that of its click, if any."""
    held, recognition = inputs.held, inputs.recognition
    link = None if inputs.named is None else inputs.named.link
    link_credit = credit_of(link, own_program=brand.terms.own_program)
    click = None
    is_named = link is not None or recognition is not None
    if is_named and not inputs.is_refused:
        click = ReferralCookie(
            visitor_id=visitor_id,
            click_id=click_id,
            affiliate_id=NO_AFFILIATE if link is None else link.affiliate_id,
            issued_at=now,
            expires_at=now + brand.cookie_lifetime,
            external_visitor_id=_identifier(recognition, held),
        )
    touch, touch_reason = choose_touch(
        click,
        inputs,
        is_credited=link_credit is LinkCredit.COUNTS or recognition is not None,
        policy=brand.terms.policy,
    )
    return VisitDecision(
        inputs=inputs,
        link_credit=link_credit,
        click=click,
        touch=touch,
        touch_reason=touch_reason,
        redirect=choose_redirect(
            url,
            brand=brand,
            link_target="" if link is None else link.target_url,
            integration_parameters=inputs.integration_parameters,
        ),
    )


def choose_redirect(
    url: HttpUrl,
    *,
    brand: BrandConfig,
    link_target: str,
    integration_parameters: Sequence[str],
) -> VisitRedirect:
    requested = decide_redirect(
        url, domains=brand.domains, require_https=brand.require_https
    )
    if requested.url is not None:
        return VisitRedirect(requested.url, Destination.REDIRECT, requested)
    default = brand.default_redirect_url
    if requested.reason is not RedirectReason.NO_REDIRECT:
        return VisitRedirect(default, Destination.REDIRECT_REFUSED, requested)
    names = (brand.link_parameter, REDIRECT_PARAMETER, *integration_parameters)
    landing, destination = _choose_landing(
        url, brand=brand, link_target=link_target, names=names
    )
    return VisitRedirect(at_rest(landing, url), destination, requested)


def _choose_landing(
    url: HttpUrl, *, brand: BrandConfig, link_target: str, names: Sequence[str]
) -> tuple[str, Destination]:
    """Where a visit leads that asks for no redirect; ``names`` are not for a landing."""
    default = brand.default_redirect_url
    if link_target:
        landing = link_target
        wanted, otherwise = Destination.LINK_TARGET, Destination.LINK_TARGET_REFUSED
    elif brand.landing is Landing.STAY and not LINK_PATH.fullmatch(url.pathname):
        landing = without_parameters(url, names)
        wanted, otherwise = Destination.STAY, Destination.DEFAULT
    else:
        return default, Destination.DEFAULT
    if landing == default:
        return landing, wanted
    judged = judge_target(
        landing, visit_url=url, domains=brand.domains, require_https=brand.require_https
    )
    if judged.url is None or _leads_on(judged.target, brand, names):
        return default, otherwise
    return judged.url, wanted


def choose_touch(
    click: ReferralCookie | None,
    inputs: VisitInputs,
    *,
    is_credited: bool,
    policy: AttributionPolicy,
) -> tuple[ReferralCookie | None, TouchReason]:
    """Which touch the browser carries on: the one it holds or the click just made.

    Where the first click wins, the held one lives on with the new one's lifetime: its
    visitor must stay known until the new click's window ends, should the first not count.
    Whichever it is, the identifier that the integration knows the visitor by goes along.
    """
    held = inputs.held
    if inputs.is_refused:
        return None, TouchReason.REFUSED
    if click is None:
        return held, TouchReason.NOBODY_NAMED
    if inputs.bot_signs:
        return held, TouchReason.NO_PERSON
    if not is_credited:
        return held, TouchReason.NO_CREDIT
    is_first_click = policy is AttributionPolicy.FIRST_CLICK
    if held is None or not (inputs.is_repeat or is_first_click):
        return click, TouchReason.NEW
    held = replace(held, external_visitor_id=click.external_visitor_id)
    if inputs.is_repeat:
        return held, TouchReason.REPEAT
    return replace(held, expires_at=click.expires_at), TouchReason.FIRST_CLICK


def credit_of(link: LinkFacts | None, *, own_program: bool) -> LinkCredit:
    if link is None:
        return LinkCredit.NO_LINK
    if not own_program:
        return LinkCredit.PROGRAM_OFF
    is_active = link.status is AffiliateStatus.ACTIVE
    return LinkCredit.COUNTS if is_active else LinkCredit.NOT_ACTIVE


def _leads_on(target: HttpUrl | None, brand: BrandConfig, names: Sequence[str]) -> bool:
    """Whether a landing is itself a link or a redirect: such send visitors in circles."""
    return target is not None and (
        any(
            first_parameter(target, name) is not None
            for name in names
            if name != brand.link_parameter
        )
        or any(named_tokens(target, parameter=brand.link_parameter))
    )


def _identifier(recognition: Recognition | None, held: ReferralCookie | None) -> str:
    """What the tracking integration knows the visitor by."""
    if recognition is not None:
        return recognition.visitor_ref
    return "" if held is None else held.external_visitor_id
