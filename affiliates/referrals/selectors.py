"""The touches of a client: the facts an attribution decision is made from."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db.models import Case, Q, When

from affiliates.brands.rules import AttributionPolicy, BrandConfig
from affiliates.contracts import Client
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import ClientReferral
from affiliates.referrals.rules import Carrier, Terms, Touch, is_same_person
from affiliates.visits.cookie import ReferralCookie
from affiliates.visits.models import Click

MAX_TOUCHES = 50


def terms_of(brand: BrandConfig) -> Terms:
    return Terms(
        policy=brand.attribution_policy,
        window=brand.attribution_window,
        own_program=brand.own_program,
        existing_clients_earn=brand.existing_clients_earn,
    )


def clicks_of_visitor(
    *, brand: BrandConfig, cookie: ReferralCookie, client: Client, now: datetime
) -> list[Touch]:
    """The clicks of the cookie's visitor, oldest first, at most MAX_TOUCHES.

    Those that can win come before all others, however many there are: the cookie's own,
    then persons' clicks inside the window in the order the brand's policy prefers.
    """
    is_first_click = brand.attribution_policy is AttributionPolicy.FIRST_CLICK
    order = ("created_at", "id") if is_first_click else ("-created_at", "-id")
    can_win = Q(
        is_repeat=False, bot_signs="", created_at__gte=now - brand.attribution_window
    )
    clicks = (
        Click.objects.filter(brand_id=brand.id, visitor_id=cookie.visitor_id)
        .select_related("affiliate__user")
        .annotate(
            rank=Case(
                When(pk=cookie.click_id, then=0), When(can_win, then=1), default=2
            )
        )
        .order_by("rank", *order)[:MAX_TOUCHES]
    )
    told = sorted(clicks, key=lambda click: (click.created_at, click.id))
    return [_from_click(click, client) for click in told]


def binding_of_client(*, brand_id: int, client: Client) -> Touch | None:
    """The touch the client is bound to since registration, or None."""
    referral = (
        ClientReferral.objects.filter(brand_id=brand_id, client__pk=client.id)
        .select_related("affiliate__user")
        .first()
    )
    if referral is None:
        return None
    return Touch(
        carrier=Carrier.BINDING,
        click_id=referral.click_id,
        touched_at=referral.touched_at,
        affiliate_id=referral.affiliate_id,
        affiliate_code=referral.affiliate.code,
        status_at_visit=AffiliateStatus.ACTIVE,
        status_now=AffiliateStatus(referral.affiliate.status),
        program_on_at_visit=True,
        is_bot=False,
        is_repeat=False,
        is_self=_is_self(referral.affiliate, client),
    )


def _from_click(click: Click, client: Client) -> Touch:
    return Touch(
        carrier=Carrier.COOKIE,
        click_id=click.id,
        touched_at=click.created_at,
        affiliate_id=click.affiliate_id,
        affiliate_code=click.affiliate.code,
        status_at_visit=AffiliateStatus(click.affiliate_status),
        status_now=AffiliateStatus(click.affiliate.status),
        program_on_at_visit=click.own_program,
        is_bot=bool(click.bot_signs),
        is_repeat=click.is_repeat,
        is_self=_is_self(click.affiliate, client),
    )


def _is_self(affiliate: Affiliate, client: Client) -> bool:
    user: Any = affiliate.user
    return is_same_person(
        affiliate_user_id=str(user.pk),
        affiliate_email=getattr(user, user.get_email_field_name(), ""),
        client_id=client.id,
        client_email=client.email,
    )
