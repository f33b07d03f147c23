"""Records a visit: the product's busiest path, without network access."""

from __future__ import annotations

from datetime import datetime

from affiliates.brands.links import names_somebody
from affiliates.brands.rules import BrandConfig, ConsentRule
from affiliates.conf import conf
from affiliates.core.ids import new_id
from affiliates.core.secrets.nonces import new_nonce
from affiliates.core.urls import HttpUrl, first_parameter, parse_http_url
from affiliates.db.deadlines.deadline import Deadline, Unknown
from affiliates.encrypted.addresses import seal_address
from affiliates.errors import InvalidInput
from affiliates.outbox.active import ActiveIntegration, active_integration
from affiliates.telemetry.counters import count_visit
from affiliates.telemetry.refusals import log_refused_redirect
from affiliates.visits import selectors
from affiliates.visits.commits.leader import ClickStoreUnavailable
from affiliates.visits.consent.rules import (
    Consent,
    KnownConsent,
    known_consent,
    without_person,
)
from affiliates.visits.consent.withdrawal import withdraw
from affiliates.visits.cookie import (
    ReferralCookie,
    read_cookie,
    remaining_seconds,
    seal_cookie,
)
from affiliates.visits.country import country_of
from affiliates.visits.decision import VisitDecision, VisitInputs, decide_visit
from affiliates.visits.models import (
    MAX_REFUSED_REDIRECT,
    MAX_STORED_URL,
    MAX_USER_AGENT,
)
from affiliates.visits.recognition import delivery_of, parameters_of, recognise
from affiliates.visits.request_key import visit_of_request
from affiliates.visits.rules import (
    BotSign,
    ClickRow,
    DeliveryRow,
    TouchSource,
    Visit,
    VisitAnswer,
    bot_signs,
    storable,
    sub_ids_of,
)
from affiliates.visits.unstored import counts
from affiliates.visits.unstored.ids import VisitId, read_visit_id, seal_visit_id
from affiliates.visits.writer import write_click

# Beside the reasons of touches: what visits without a click are counted as.
UNSTORED = "unstored"


def track_visit(*, brand: BrandConfig, visit: Visit, now: datetime) -> VisitAnswer:
    """Records the click if the visit names an affiliate; returns the destination.

    The affiliate may be of the brand's own program, of its tracking integration, or one
    of each. A visit that names none writes nothing. Without the consent that the brand
    needs, the answer has no cookie and the click no person; a refusal also unlinks the
    cookie's earlier clicks. Where the database does not answer within the deadline, the
    answer is what this process knows, without a new cookie. Raises InvalidInput on
    ``visit_url`` when it is not an http(s) URL.
    """
    url = read_visit_url(visit.visit_url)
    with Deadline(conf.visit_deadline_seconds):
        return _track(url, brand=brand, visit=visit, now=now)


def _track(
    url: HttpUrl, *, brand: BrandConfig, visit: Visit, now: datetime
) -> VisitAnswer:
    ring = conf.cookie_keys
    unknown = Unknown()
    consent, held = _admit(visit, unknown, brand=brand, now=now)
    earlier = read_visit_id(visit.visit_id, brand_id=brand.id, ring=ring, now=now)
    earlier = earlier or visit_of_request(visit, now=now)
    known = earlier if earlier is not None and earlier.is_stored else held or earlier
    this = VisitId(
        visitor_id=new_id() if known is None else known.visitor_id,
        click_id=new_id() if earlier is None else earlier.click_id,
        issued_at=now if earlier is None else earlier.issued_at,
    )
    integration = None
    with unknown:
        integration = active_integration(brand.id)
    inputs = _inputs(
        url,
        integration,
        unknown,
        held=held,
        brand=brand,
        visit=visit,
        consent=consent,
        at=this.issued_at,
    )
    decision = decide_visit(
        url,
        inputs,
        brand=brand,
        visitor_id=this.visitor_id,
        click_id=this.click_id,
        now=this.issued_at,
    )
    if not (unknown.is_something or decision.click):
        return _answer(decision, brand=brand, now=now)
    reason = counts.UnstoredReason.NOT_KNOWN
    if decision.click is not None and not unknown.is_something:
        row = _click_row(decision, decision.click, url=url, visit=visit, brand=brand)
        try:
            write_click(row, _delivery(inputs, row, integration, url=url, visit=visit))
        except ClickStoreUnavailable:
            reason = counts.UnstoredReason.NOT_WRITTEN
        else:
            return _answer(decision, brand=brand, now=now)
    counts.count_unstored(reason, now=now)
    return _answer(decision._replace(touch=held), brand=brand, now=now, unstored=this)


def _admit(
    visit: Visit, unknown: Unknown, *, brand: BrandConfig, now: datetime
) -> tuple[KnownConsent, ReferralCookie | None]:
    """The consent, and the cookie's touch where it may be known; withdraws otherwise."""
    ring = conf.cookie_keys
    held = read_cookie(visit.referral_cookie, brand_id=brand.id, ring=ring, now=now)
    consent = known_consent(visit.consent, opts_out=visit.opts_out, brand=brand)
    if held is None or consent.has_person:
        return consent, held
    if visit.consent is Consent.DENIED:
        with unknown:
            withdraw(held, brand_id=brand.id)
    return consent, None


def _inputs(
    url: HttpUrl,
    integration: ActiveIntegration | None,
    unknown: Unknown,
    *,
    held: ReferralCookie | None,
    brand: BrandConfig,
    visit: Visit,
    consent: KnownConsent,
    at: datetime,
) -> VisitInputs:
    named, is_repeat = None, False
    with unknown:
        named, _ = selectors.find_named_link(url, brand)
    recognition = recognise(url, integration=integration, held=held)
    if held is not None:
        with unknown:
            is_repeat = selectors.is_repeat(
                held, named, recognition, brand=brand, now=at
            )
    is_recorded = named is not None or recognition is not None
    return VisitInputs(
        named=named,
        recognition=recognition,
        integration_parameters=parameters_of(integration),
        held=held,
        is_repeat=is_repeat,
        bot_signs=_bot_signs(visit) if is_recorded else (),
        consent=consent.consent,
        has_person=consent.has_person,
    )


def _bot_signs(visit: Visit) -> tuple[BotSign, ...]:
    return bot_signs(
        visit.user_agent[:MAX_USER_AGENT],
        is_prefetch=visit.is_prefetch,
        is_automated=visit.is_automated,
    )


def is_arrival(url: HttpUrl, *, brand: BrandConfig) -> bool:
    """Whether the address is a link or has a parameter that may name an affiliate."""
    parameters = parameters_of(active_integration(brand.id))
    return names_somebody(url, parameter=brand.link_parameter) or any(
        first_parameter(url, name) for name in parameters
    )


def read_visit_url(text: str) -> HttpUrl:
    """The visited page. Raises InvalidInput when it is not an http(s) URL."""
    url = parse_http_url(text, limit=None)
    if url is None:
        raise InvalidInput(
            "invalid", "Send the full http or https URL of the page.", field="visit_url"
        )
    return url


def _click_row(
    decision: VisitDecision,
    click: ReferralCookie,
    *,
    url: HttpUrl,
    visit: Visit,
    brand: BrandConfig,
) -> ClickRow:
    named, recognition = decision.inputs.named, decision.inputs.recognition
    link = None if named is None else named.link
    guard = decision.redirect.guard
    refused = guard.requested or "" if guard.url is None else ""
    sub_id, more_sub_ids = sub_ids_of(url)
    row = ClickRow(
        id=click.click_id,
        created_at=click.issued_at,
        brand_id=brand.id,
        affiliate_id=None if link is None else link.affiliate_id,
        link_id=None if link is None else link.link_id,
        integration_id=None if recognition is None else recognition.integration_id,
        external_affiliate="" if recognition is None else recognition.affiliate,
        visitor_id=click.visitor_id,
        source=TouchSource.INTEGRATION if named is None else named.source,
        affiliate_status="" if link is None else link.status,
        own_program=brand.terms.own_program,
        is_repeat=decision.inputs.is_repeat,
        bot_signs=",".join(decision.inputs.bot_signs),
        visit_url=url.href[:MAX_STORED_URL],
        referrer_url=storable(visit.referrer_url, MAX_STORED_URL),
        user_agent=storable(visit.user_agent, MAX_USER_AGENT),
        ip_prefix=seal_address(visit.ip_prefix),
        redirect_reason=guard.reason,
        refused_redirect=storable(refused, MAX_REFUSED_REDIRECT),
        sub_id=sub_id,
        more_sub_ids=more_sub_ids,
        country=country_of(visit.ip),
        consent=decision.inputs.consent,
        embedding=visit.embedding,
    )
    if decision.inputs.has_person:
        return row
    return row._replace(
        **without_person(visit_url=row.visit_url, referrer_url=row.referrer_url)
    )


def _delivery(
    inputs: VisitInputs,
    row: ClickRow,
    integration: ActiveIntegration | None,
    *,
    url: HttpUrl,
    visit: Visit,
) -> DeliveryRow | None:
    """The notification of the integration: of people's clicks, if it wants them."""
    recognition = inputs.recognition
    if integration is None or recognition is None or not inputs.has_person:
        return None
    if inputs.bot_signs or not recognition.is_notified:
        return None
    return delivery_of(
        recognition,
        integration=integration,
        click_id=row.id,
        url=url,
        visit=visit,
        now=row.created_at,
    )


def _answer(
    decision: VisitDecision,
    *,
    brand: BrandConfig,
    now: datetime,
    unstored: VisitId | None = None,
) -> VisitAnswer:
    touch, url, guard = decision.touch, decision.redirect.url, decision.redirect.guard
    counts.count_answered()
    count_visit(decision.touch_reason if unstored is None else UNSTORED, guard.reason)
    if guard.requested is not None and guard.url is None:
        log_refused_redirect(reason=guard.reason, brand_id=brand.id)
    ring = conf.cookie_keys
    visit_id = cookie = max_age = None
    if unstored is not None:
        visit_id = seal_visit_id(
            unstored, brand_id=brand.id, ring=ring, nonce=new_nonce()
        )
    if touch is not None:
        cookie = seal_cookie(touch, brand_id=brand.id, ring=ring, nonce=new_nonce())
        # Without an age, browsers keep it for the session.
        if brand.consent is not ConsentRule.SESSION_ONLY:
            max_age = remaining_seconds(touch, now=now)
    return VisitAnswer(
        redirect_url=url,
        referral_cookie=cookie,
        referral_cookie_max_age=max_age,
        visit_id=visit_id,
    )
