"""Registration and conversion: the host does its part, and the referral is kept."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from affiliates.adapter import get_adapter
from affiliates.brands.rules import BrandConfig
from affiliates.brands.selectors import get_brand
from affiliates.conf import conf
from affiliates.contracts import (
    Client,
    ClientRegistration,
    ConvertedOrder,
    GuestRegistration,
    Order,
    OrderConversion,
    RegisteredClient,
    RegistrationCompletion,
)
from affiliates.errors import NotAllowed, NotFound
from affiliates.referrals import rules, selectors, trace
from affiliates.referrals.models import (
    ClientReferral,
    OrderReferral,
    RegistrationStep,
)
from affiliates.referrals.rules import CookieState, Decision, Touch
from affiliates.visits.cookie import ReferralCookie, read_cookie


@transaction.atomic
def register_client(
    *, registration: ClientRegistration, referral_cookie: str | None, now: datetime
) -> RegisteredClient:
    """Create the client and bind it to the affiliate its cookie names."""
    registered = get_adapter().register_client(registration, now=now)
    _bind(registered.client, referral_cookie, step=RegistrationStep.REGISTER, now=now)
    return registered


@transaction.atomic
def register_guest(
    *, registration: GuestRegistration, referral_cookie: str | None, now: datetime
) -> RegisteredClient:
    """Create the guest and bind it to the affiliate its cookie names."""
    registered = get_adapter().register_guest(registration, now=now)
    _bind(registered.client, referral_cookie, step=RegistrationStep.GUEST, now=now)
    return registered


@transaction.atomic
def complete_registration(
    *,
    completion: RegistrationCompletion,
    caller_id: str,
    origin_brand_id: int | None,
    referral_cookie: str | None,
    now: datetime,
) -> RegisteredClient:
    """Make the guest a client. A binding it has stays; without one it gets one.

    Raises NotFound when the caller is somebody else, and NotAllowed when the request
    comes from another brand's client area.
    """
    if completion.client_id != caller_id:
        raise NotFound
    registered = get_adapter().complete_registration(completion, now=now)
    _require_same_brand(registered.client.brand_id, origin_brand_id)
    _bind(registered.client, referral_cookie, step=RegistrationStep.COMPLETE, now=now)
    return registered


@transaction.atomic
def convert_order(
    *,
    conversion: OrderConversion,
    origin_brand_id: int | None,
    referral_cookie: str | None,
    now: datetime,
) -> ConvertedOrder:
    """Turn the basket into its initial invoice and store whom it is credited to.

    A repeat answers the same, and the first cookie stands. Raises NotFound for an
    order that is absent or another client's, NotAllowed for another brand's Origin.
    """
    order = get_adapter().get_order(
        conversion.order_ref, client_id=conversion.client_id
    )
    if order is None:
        raise NotFound
    _require_same_brand(order.brand_id, origin_brand_id)
    converted = get_adapter().convert_order(conversion, now=now)
    _attribute(order, converted, referral_cookie=referral_cookie, now=now)
    return converted


def _require_same_brand(brand_id: int, origin_brand_id: int | None) -> None:
    if origin_brand_id is not None and origin_brand_id != brand_id:
        raise NotAllowed(
            "origin_of_another_brand",
            "This belongs to another brand than the request's Origin.",
        )


def _bind(
    client: Client,
    referral_cookie: str | None,
    *,
    step: RegistrationStep,
    now: datetime,
) -> None:
    brand = get_brand(client.brand_id)
    cookie = _read(referral_cookie, brand=brand, now=now)
    if cookie is None:
        return
    touches = selectors.clicks_of_visitor(
        brand=brand, cookie=cookie, client=client, now=now
    )
    decision = rules.decide_client(
        touches,
        cookie=_cookie_state(referral_cookie, cookie, touches),
        terms=selectors.terms_of(brand),
        now=now,
    )
    if decision.winner is None:
        return
    # A guest that completes its registration may be bound already: that stays.
    ClientReferral.objects.bulk_create(
        [
            ClientReferral(
                brand_id=brand.id,
                client_id=client.id,
                affiliate_id=decision.winner.affiliate_id,
                click_id=decision.winner.click_id,
                visitor_id=cookie.visitor_id,
                touched_at=decision.winner.touched_at,
                bound_at=now,
                step=step,
            )
        ],
        ignore_conflicts=True,
    )


def _attribute(
    order: Order,
    converted: ConvertedOrder,
    *,
    referral_cookie: str | None,
    now: datetime,
) -> None:
    brand = get_brand(order.brand_id)
    cookie = _read(referral_cookie, brand=brand, now=now)
    decision = _decide(order, cookie, brand=brand, sent=referral_cookie, now=now)
    winner = decision.winner
    # The order's first referral stands; a repeated conversion adds none.
    OrderReferral.objects.bulk_create(
        [
            OrderReferral(
                brand_id=brand.id,
                order_ref=order.order_ref,
                invoice_ref=converted.invoice_ref,
                client_id=order.client.id,
                referral_cookie=(referral_cookie or "") if cookie else "",
                outcome=decision.outcome.value,
                reason=decision.reason.value,
                affiliate_id=None if winner is None else winner.affiliate_id,
                click_id=None if winner is None else winner.click_id,
                touched_at=None if winner is None else winner.touched_at,
                converted_at=converted.converted_at,
                decision=trace.to_json(decision),
            )
        ],
        ignore_conflicts=True,
    )


def _decide(
    order: Order,
    cookie: ReferralCookie | None,
    *,
    brand: BrandConfig,
    sent: str | None,
    now: datetime,
) -> Decision:
    clicks: list[Touch] = []
    if cookie is not None:
        clicks = selectors.clicks_of_visitor(
            brand=brand, cookie=cookie, client=order.client, now=now
        )
    binding = selectors.binding_of_client(brand_id=brand.id, client=order.client)
    return rules.decide_order(
        rules.merge_touches(clicks, binding),
        cookie=_cookie_state(sent, cookie, clicks),
        client_paid_before=order.client_paid_before,
        terms=selectors.terms_of(brand),
        now=now,
    )


def _read(
    referral_cookie: str | None, *, brand: BrandConfig, now: datetime
) -> ReferralCookie | None:
    return read_cookie(
        referral_cookie, brand_id=brand.id, ring=conf.cookie_keys, now=now
    )


def _cookie_state(
    sent: str | None, cookie: ReferralCookie | None, clicks: list[Touch]
) -> CookieState:
    if not sent:
        return CookieState.ABSENT
    if cookie is None:
        return CookieState.UNUSABLE
    return CookieState.VALID if clicks else CookieState.CLICK_GONE
