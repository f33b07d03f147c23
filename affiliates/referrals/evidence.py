"""The facts about who sent a client, gathered once per request and then judged."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from affiliates.brands.rules import BrandConfig
from affiliates.brands.selectors import reported_brand
from affiliates.conf import conf
from affiliates.contracts import Client, Order
from affiliates.core.checking import storable
from affiliates.outbox.active import active_integration
from affiliates.plans.selectors import find_coupon
from affiliates.referrals import selectors
from affiliates.referrals.models import ClientReferral
from affiliates.referrals.rules import click_attribution as own
from affiliates.referrals.rules import decision as rules
from affiliates.referrals.rules import provider_match
from affiliates.referrals.rules.choices import CookieState
from affiliates.referrals.rules.types import (
    CookieUse,
    Coupon,
    Decision,
    EventResult,
    ExternalTouch,
    Inputs,
    OrderInputs,
    Policy,
    Touch,
)
from affiliates.referrals.selectors import NO_TOUCHES, Touches
from affiliates.referrals.typed_codes import find_typed_code
from affiliates.visits.cookie import ReferralCookie, read_cookie


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """A client and the contents of their request's cookie.

    ``integration_id`` is that of the brand's active integration. ``binding`` is None
    also if it was not asked for.
    """

    client: Client
    brand: BrandConfig
    integration_id: int | None
    cookie: ReferralCookie | None
    cookie_state: CookieState
    seen: Touches
    binding: ClientReferral | None


def gather(
    client: Client,
    *,
    brand_id: int,
    referral_cookie: str | None,
    binding: ClientReferral | None = None,
    order: Order | None = None,
    now: datetime,
) -> Evidence:
    """``order`` is the converted order; a registration has none."""
    brand = reported_brand(brand_id)
    integration = active_integration(brand_id)
    integration_id = None if integration is None else integration.id
    cookie = read_cookie(
        referral_cookie, brand_id=brand_id, ring=conf.cookie_keys, now=now
    )
    seen = NO_TOUCHES
    if cookie is not None:
        seen = selectors.touches_of_visitor(
            brand=brand,
            integration_id=integration_id,
            cookie=cookie,
            client=client,
            in_time=now
            if order is None
            else own.in_time_until(order.created_at, terms=brand.terms, now=now),
            now=now,
        )
    return Evidence(
        client=client,
        brand=brand,
        integration_id=integration_id,
        cookie=cookie,
        cookie_state=_cookie_state(referral_cookie, cookie, seen),
        seen=seen,
        binding=binding,
    )


def result_of(
    referral_cookie: str | None, *, brand_id: int, at: datetime
) -> EventResult:
    """Returns whether the cookie that a host passed with an event is usable."""
    if not referral_cookie:
        return EventResult(cookie=CookieUse.ABSENT)
    cookie = read_cookie(
        referral_cookie, brand_id=brand_id, ring=conf.cookie_keys, now=at
    )
    return EventResult(
        cookie=CookieUse.UNUSABLE if cookie is None else CookieUse.USABLE
    )


def own_sender(evidence: Evidence, *, now: datetime) -> Touch | None:
    """The own affiliate's click to which a client who registers is bound."""
    return own.sender_of_client(evidence.seen.own, terms=evidence.brand.terms, now=now)


def sender_of_cookie(
    referral_cookie: str | None, *, brand_id: int, now: datetime
) -> Touch | None:
    """The own affiliate's click that a visitor with this cookie came by."""
    visitor = Client(id="", brand_id=brand_id, email="", is_guest=True)
    evidence = gather(
        visitor, brand_id=brand_id, referral_cookie=referral_cookie, now=now
    )
    return own_sender(evidence, now=now)


def external_sender(
    evidence: Evidence, *, binding: ClientReferral | None = None, now: datetime
) -> ExternalTouch | None:
    """The integration's visit that counts, also that of the client's binding."""
    touches = [*_bound(evidence, binding).external, *evidence.seen.external]
    match = provider_match.judge_external(touches, terms=evidence.brand.terms, now=now)
    if match is None or not match.verdict.is_credited:
        return None
    return match.touch


def decide(evidence: Evidence, order: Order, *, now: datetime) -> Decision:
    """Decides the order's credit by coupon, cookie and the client's binding."""
    bound = _bound(evidence, evidence.binding)
    brand = evidence.brand
    return rules.decide(
        Inputs(
            touches=own.merge_touches(evidence.seen.own, bound.own),
            external=(*bound.external, *evidence.seen.external),
            binding=bound.binding,
            order=OrderInputs(
                basket_at=order.created_at,
                client_paid_before=order.client_paid_before,
                coupon=_coupon(order),
                typed=_typed_code(order),
            ),
            cookie=evidence.cookie_state,
            policy=Policy(
                terms=brand.terms,
                version_id=brand.policy_version_id,
                version=brand.policy_version,
            ),
            now=now,
            is_brand_active=brand.is_active,
        )
    )


def _coupon(order: Order) -> Coupon | None:
    """The affiliate's coupon code on the order; no query if the order has no code."""
    codes = [code for code in order.coupon_codes if storable(code) == code]
    if not codes:
        return None
    coupon = find_coupon(brand_id=order.brand_id, codes=codes)
    if coupon is None:
        return None
    return _code_of(order, coupon.code, coupon.affiliate_id)


def _typed_code(order: Order) -> Coupon | None:
    owned = find_typed_code(order.affiliate_code, brand_id=order.brand_id)
    return None if owned is None else _code_of(order, *owned)


def _code_of(order: Order, code: str, affiliate_id: int) -> Coupon | None:
    sender = selectors.sender_of(
        affiliate_id, brand_id=order.brand_id, client=order.client
    )
    return None if sender is None else Coupon(code=code, sender=sender)


def _bound(evidence: Evidence, binding: ClientReferral | None) -> Touches:
    return selectors.touches_of_binding(
        binding,
        integration_id=evidence.integration_id,
        client=evidence.client,
    )


def _cookie_state(
    sent: str | None, cookie: ReferralCookie | None, seen: Touches
) -> CookieState:
    if not sent:
        return CookieState.ABSENT
    if cookie is None:
        return CookieState.UNUSABLE
    return CookieState.VALID if seen.is_click_known else CookieState.CLICK_GONE
