"""Decides what a visit means: the affiliate it names, its touch and its destination.

Used by the visit itself and by the admin page that tries a URL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

from django.db.models import TextChoices

from affiliates.brands.links import (
    is_link_page,
    names_somebody,
    other_pairs,
    with_pairs,
    without_names,
)
from affiliates.brands.rules import AttributionPolicy, BrandConfig, Landing
from affiliates.core.redirects import (
    REDIRECT_PARAMETER,
    RedirectDecision,
    RedirectReason,
    decide_redirect,
    is_own_page,
    judge_target,
)
from affiliates.core.urls import (
    HttpUrl,
    at_rest,
    first_parameter,
)
from affiliates.program.rules import LinkFacts
from affiliates.visits.consent.rules import Consent, cookie_lifetime
from affiliates.visits.cookie import NO_AFFILIATE, ReferralCookie
from affiliates.visits.rules import (
    BotSign,
    LinkCredit,
    TouchSource,
    credit_of,
)


class TouchReason(StrEnum):
    """Why the browser keeps this touch: the click's or the held one."""

    NEW = "new"
    REPEAT = "repeat"
    FIRST_CLICK = "first_click"
    NOBODY_NAMED = "nobody_named"
    NO_CREDIT = "no_credit"
    NO_PERSON = "no_person"
    LATER_TOUCH = "later_touch"
    REFUSED = "refused"
    NO_CONSENT = "no_consent"


class VisitDestination(TextChoices):
    """Why a visit has this destination."""

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
    PAGE = "page", "The visited page itself: the visit names nobody."
    DEFAULT = "default", "The brand's default redirect URL."


class NamedLink(NamedTuple):
    """The link or code that a visit names, and where the URL has it."""

    link: LinkFacts
    source: TouchSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """A visit by a link of the tracking integration, which names the ``affiliate``.

    ``visitor_ref`` is the visitor's identifier from now on, "" for none.
    ``is_notified``: the provider is notified of the click.
    """

    integration_id: int
    affiliate: str
    visitor_ref: str
    is_notified: bool


class VisitInputs(NamedTuple):
    """The known facts of a visit. ``held`` is the touch in its cookie.

    ``integration_parameters`` are the integration's parameter names in an address.
    ``has_person``: the visitor may be recognised again; otherwise nothing is held.
    """

    named: NamedLink | None
    recognition: Recognition | None
    integration_parameters: tuple[str, ...]
    held: ReferralCookie | None
    is_repeat: bool
    bot_signs: tuple[BotSign, ...]
    consent: Consent = Consent.NOT_ASKED
    has_person: bool = True


class VisitRedirect(NamedTuple):
    """The destination of a visit and why; ``guard`` judged the requested redirect."""

    url: str
    destination: VisitDestination
    guard: RedirectDecision


class VisitDecision(NamedTuple):
    """The meaning of a visit; ``click`` is None when nothing is recorded.

    ``touch`` is what the browser keeps.
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
    """Decides the visit; the ids are for its visitor and for its click, if any."""
    held, recognition, click = inputs.held, inputs.recognition, None
    link = None if inputs.named is None else inputs.named.link
    link_credit = credit_of(link, own_program=brand.terms.own_program)
    is_named = link is not None or recognition is not None
    if is_named:
        click = ReferralCookie(
            visitor_id=visitor_id,
            click_id=click_id,
            affiliate_id=NO_AFFILIATE if link is None else link.affiliate_id,
            issued_at=now,
            expires_at=now + cookie_lifetime(brand),
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
            is_named=is_named,
            link_target="" if link is None else link.target_url,
            integration_parameters=inputs.integration_parameters,
            is_link=link is not None and link.link_id is not None,
        ),
    )


def choose_redirect(
    url: HttpUrl,
    *,
    brand: BrandConfig,
    is_named: bool,
    link_target: str,
    integration_parameters: Sequence[str],
    is_link: bool = False,
) -> VisitRedirect:
    """``is_link``: a link is named, which brings the visitor's parameters."""
    requested = decide_redirect(
        url, domains=brand.domains, require_https=brand.require_https
    )
    if requested.url is not None:
        return VisitRedirect(requested.url, VisitDestination.REDIRECT, requested)
    default = brand.default_redirect_url
    if requested.reason is not RedirectReason.NO_REDIRECT:
        return VisitRedirect(default, VisitDestination.REDIRECT_REFUSED, requested)
    others = (REDIRECT_PARAMETER, *integration_parameters)
    if link_target:
        landing, destination = _follow_link(url, brand, link_target, others)
    elif is_named and brand.landing is Landing.DEFAULT_URL:
        landing, destination = default, VisitDestination.DEFAULT
    else:
        landing, destination = _stay(url, brand, others if is_named else ())
    if is_link and destination is not VisitDestination.STAY:
        pairs = other_pairs(url, parameter=brand.link_parameter, others=others)
        landing = with_pairs(landing, pairs)
    return VisitRedirect(at_rest(landing, url), destination, requested)


def _follow_link(
    url: HttpUrl, brand: BrandConfig, target: str, others: Sequence[str]
) -> tuple[str, VisitDestination]:
    """Leads to the link's target; a landing page has none of the ``others``."""
    if target == brand.default_redirect_url:
        return target, VisitDestination.LINK_TARGET
    judged = judge_target(
        target, visit_url=url, domains=brand.domains, require_https=brand.require_https
    )
    if judged.url is None or _leads_on(judged.target, brand, others):
        return brand.default_redirect_url, VisitDestination.LINK_TARGET_REFUSED
    return judged.url, VisitDestination.LINK_TARGET


def _stay(
    url: HttpUrl, brand: BrandConfig, others: Sequence[str]
) -> tuple[str, VisitDestination]:
    """Stays on the brand's page, with ``others`` without them and the affiliate's name."""
    parameter = brand.link_parameter
    page = without_names(url, parameter=parameter, others=others) if others else url
    if (
        page is None
        or is_link_page(page, place=brand.link_place)
        or not is_own_page(
            page, domains=brand.domains, require_https=brand.require_https
        )
        or (others and _leads_on(page, brand, others))
    ):
        return brand.default_redirect_url, VisitDestination.DEFAULT
    return page.href, VisitDestination.STAY if others else VisitDestination.PAGE


def choose_touch(
    click: ReferralCookie | None,
    inputs: VisitInputs,
    *,
    is_credited: bool,
    policy: AttributionPolicy,
) -> tuple[ReferralCookie | None, TouchReason]:
    """Chooses the browser's touch, the one it holds or the click, with the identifier.

    Where the first click wins, the held touch gets the new one's lifetime: its visitor
    must stay known until the new click's window ends, in case the first does not count.
    """
    held = inputs.held
    if not inputs.has_person:
        is_refused = inputs.consent is Consent.DENIED
        return None, TouchReason.REFUSED if is_refused else TouchReason.NO_CONSENT
    if click is None:
        return held, TouchReason.NOBODY_NAMED
    if inputs.bot_signs:
        return held, TouchReason.NO_PERSON
    if not is_credited:
        return held, TouchReason.NO_CREDIT
    if held is not None and held.issued_at > click.issued_at:  # The visit came again.
        return held, TouchReason.LATER_TOUCH
    is_kept = inputs.is_repeat or policy is AttributionPolicy.FIRST_CLICK
    if held is None or not is_kept:
        return click, TouchReason.NEW
    held = held._replace(external_visitor_id=click.external_visitor_id)
    if inputs.is_repeat:
        return held, TouchReason.REPEAT
    return held._replace(expires_at=click.expires_at), TouchReason.FIRST_CLICK


def _leads_on(
    target: HttpUrl | None, brand: BrandConfig, others: Sequence[str]
) -> bool:
    """Whether a landing page is itself a link or redirect: these may form a loop."""
    return target is not None and (
        any(first_parameter(target, name) is not None for name in others)
        or names_somebody(target, parameter=brand.link_parameter)
    )


def _identifier(recognition: Recognition | None, held: ReferralCookie | None) -> str:
    """The tracking integration's identifier of the visitor."""
    if recognition is not None:
        return recognition.visitor_ref
    return "" if held is None else held.external_visitor_id
