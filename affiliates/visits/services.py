"""Recording a visit: the product's busiest path, and no network in it."""

from __future__ import annotations

import secrets
from datetime import datetime
from functools import lru_cache

from crawlerdetect import CrawlerDetect

from affiliates.brands.rules import AttributionPolicy, BrandConfig
from affiliates.conf import conf
from affiliates.core.ids import new_id
from affiliates.core.redirects import RedirectDecision
from affiliates.core.sealing import NONCE_LENGTH
from affiliates.core.urls import HttpUrl, parse_http_url
from affiliates.errors import InvalidInput
from affiliates.integrations.selectors import active_integration
from affiliates.program.rules import LinkFacts
from affiliates.visits import rules
from affiliates.visits.cookie import (
    NO_AFFILIATE,
    ReferralCookie,
    read_cookie,
    remaining_seconds,
    seal_cookie,
)
from affiliates.visits.models import (
    MAX_REFUSED_REDIRECT,
    MAX_STORED_URL,
    MAX_USER_AGENT,
)
from affiliates.visits.recognition import (
    Recognition,
    delivery_of,
    parameters_of,
    recognise,
)
from affiliates.visits.rules import BotSign, ClickRow, TouchSource, Visit, VisitAnswer
from affiliates.visits.selectors import (
    find_named_link,
    has_clicked_since,
    has_come_by_integration_since,
)
from affiliates.visits.writer import write_click


def track_visit(*, brand: BrandConfig, visit: Visit, now: datetime) -> VisitAnswer:
    """Record the click if the visit names an affiliate, and say where it leads.

    An affiliate of the brand's own program, of its tracking integration, or both. A
    visit that names none writes nothing. Raises InvalidInput on ``visit_url`` when
    it is not an http(s) URL.
    """
    now = now.replace(microsecond=0)
    url = parse_http_url(visit.visit_url)
    if url is None:
        raise InvalidInput(
            "invalid",
            "Send the full http or https URL of the page, at most 8192 characters.",
            field="visit_url",
        )
    held = read_cookie(
        visit.referral_cookie, brand_id=brand.id, ring=conf.cookie_keys, now=now
    )
    integration = active_integration(brand.id)
    found = find_named_link(url, brand)
    recognition = recognise(
        url,
        integration=integration,
        current="" if held is None else held.external_visitor_id,
    )
    redirect_url, redirect = rules.choose_redirect(
        url,
        brand=brand,
        link_target=found[0].target_url if found else "",
        integration_parameters=parameters_of(integration),
    )
    carried = held
    if found is not None or recognition is not None:
        carried = _record_click(
            found, recognition, url=url, redirect=redirect, held=held, brand=brand,
            visit=visit, now=now,
        )  # fmt: skip
    return _answer(redirect_url, carried, brand=brand, now=now)


def _record_click(
    found: tuple[LinkFacts, TouchSource] | None,
    recognition: Recognition | None,
    *,
    url: HttpUrl,
    redirect: RedirectDecision,
    held: ReferralCookie | None,
    brand: BrandConfig,
    visit: Visit,
    now: datetime,
) -> ReferralCookie | None:
    """Write the click and, for people, queue it; return the touch that is carried on."""
    link, source = found or (None, TouchSource.INTEGRATION)
    click = _touch_of(link, recognition, held=held, brand=brand, now=now)
    bot_signs = _bot_signs(visit)
    is_repeat = _is_repeat(held, link, recognition, brand=brand, now=now)
    row = ClickRow(
        id=click.click_id,
        created_at=now,
        brand_id=brand.id,
        affiliate_id=None if link is None else link.affiliate_id,
        link_id=None if link is None else link.link_id,
        integration_id=None if recognition is None else recognition.integration.id,
        external_affiliate="" if recognition is None else recognition.affiliate,
        visitor_id=click.visitor_id,
        source=source.value,
        affiliate_status="" if link is None else link.status.value,
        own_program=brand.own_program,
        is_repeat=is_repeat,
        bot_signs=",".join(bot_signs),
        visit_url=url.href[:MAX_STORED_URL],
        referrer_url=rules.storable(visit.referrer_url, MAX_STORED_URL),
        user_agent=rules.storable(visit.user_agent, MAX_USER_AGENT),
        ip_prefix=visit.ip_prefix,
        redirect_reason=redirect.reason.value,
        refused_redirect=_refused(redirect),
    )
    delivery = None
    if recognition is not None and recognition.is_told and not bot_signs:
        delivery = delivery_of(
            recognition, click_id=row.id, url=url, visit=visit, now=now
        )
    write_click(row, delivery)
    return rules.choose_touch(
        held,
        click,
        is_creditable=rules.is_creditable(
            status=None if link is None else link.status,
            own_program=brand.own_program,
            by_integration=recognition is not None,
            bot_signs=bot_signs,
        ),
        is_repeat=is_repeat,
        policy=brand.attribution_policy,
    )


def _touch_of(
    link: LinkFacts | None,
    recognition: Recognition | None,
    *,
    held: ReferralCookie | None,
    brand: BrandConfig,
    now: datetime,
) -> ReferralCookie:
    """The click as a cookie holds it. Affiliate 0 is nobody of the brand's program."""
    if recognition is not None:
        external = recognition.visitor_ref
    else:
        external = "" if held is None else held.external_visitor_id
    return ReferralCookie(
        visitor_id=new_id() if held is None else held.visitor_id,
        click_id=new_id(),
        affiliate_id=NO_AFFILIATE if link is None else link.affiliate_id,
        issued_at=now,
        expires_at=now + brand.cookie_lifetime,
        external_visitor_id=external,
    )


def _is_repeat(
    held: ReferralCookie | None,
    link: LinkFacts | None,
    recognition: Recognition | None,
    *,
    brand: BrandConfig,
    now: datetime,
) -> bool:
    if held is None:
        return False
    is_first_click = brand.attribution_policy is AttributionPolicy.FIRST_CLICK
    if link is None:
        # The cookie does not name the integration's affiliate; its click's row does.
        return (
            recognition is not None
            and (is_first_click or rules.is_recent(held, now=now))
            and has_come_by_integration_since(
                now - rules.REPEAT_INTERVAL,
                brand_id=brand.id,
                visitor_id=held.visitor_id,
                integration_id=recognition.integration.id,
                external_affiliate=recognition.affiliate,
                click_id=None if is_first_click else held.click_id,
            )
        )
    if held.affiliate_id == link.affiliate_id:
        return rules.is_repeat(held, affiliate_id=link.affiliate_id, now=now)
    # Where the first click wins, the cookie keeps it and tells nothing of later ones.
    return is_first_click and has_clicked_since(
        now - rules.REPEAT_INTERVAL,
        brand_id=brand.id,
        visitor_id=held.visitor_id,
        affiliate_id=link.affiliate_id,
    )


def _bot_signs(visit: Visit) -> tuple[BotSign, ...]:
    signs = []
    if _is_crawler(visit.user_agent[:MAX_USER_AGENT]):
        signs.append(BotSign.USER_AGENT)
    if visit.is_prefetch:
        signs.append(BotSign.PREFETCH)
    return tuple(signs)


@lru_cache(maxsize=10_000)
def _is_crawler(user_agent: str) -> bool:
    return bool(CrawlerDetect(user_agent=user_agent).isCrawler())


def _refused(redirect: RedirectDecision) -> str:
    if redirect.url is not None or redirect.requested is None:
        return ""
    return rules.storable(redirect.requested, MAX_REFUSED_REDIRECT)


def _answer(
    redirect_url: str,
    carried: ReferralCookie | None,
    *,
    brand: BrandConfig,
    now: datetime,
) -> VisitAnswer:
    if carried is None:
        return VisitAnswer(
            redirect_url=redirect_url,
            referral_cookie=None,
            referral_cookie_max_age=None,
        )
    sealed = seal_cookie(
        carried,
        brand_id=brand.id,
        ring=conf.cookie_keys,
        nonce=secrets.token_bytes(NONCE_LENGTH),
    )
    return VisitAnswer(
        redirect_url=redirect_url,
        referral_cookie=sealed,
        referral_cookie_max_age=remaining_seconds(carried, now=now),
    )
