"""Clicks of a tracking integration's links, and what clients do after them."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from affiliates.conf import conf
from affiliates.contracts import (
    ClientRegistration,
    GuestRegistration,
    OrderConversion,
    RegistrationCompletion,
)
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.services import (
    complete_registration,
    register_client,
    register_guest,
)
from affiliates.settlement.services import convert_order
from affiliates.visits.cookie import ReferralCookie, seal_cookie
from affiliates.visits.rules import TouchSource
from tests.factories.affiliates import ClickFactory

VISITOR = UUID(int=7)
EXTERNAL_VISITOR = "0f3c9a7be2d14c55a1b2c3d4e5f60718"
PERSON = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"
PASSWORD = "correct horse battery"


def own_click(affiliate, at: datetime, **changes):
    return ClickFactory(
        affiliate=affiliate, visitor_id=VISITOR, created_at=at, **changes
    )


def external_click(integration, at: datetime, **changes):
    facts = {
        "brand": integration.brand,
        "affiliate": None,
        "affiliate_status": "",
        "integration": integration,
        "external_affiliate": "testaff",
        "source": TouchSource.INTEGRATION,
        "visitor_id": VISITOR,
        "created_at": at,
        "ip_prefix": "203.0.113.0/24",
        "user_agent": PERSON,
        **changes,
    }
    return ClickFactory(**facts)


def cookie_of(clicked, *, external: str = EXTERNAL_VISITOR, issued_at=None) -> str:
    issued_at = issued_at or clicked.created_at
    return seal_cookie(
        ReferralCookie(
            visitor_id=clicked.visitor_id,
            click_id=clicked.id,
            affiliate_id=clicked.affiliate_id or 0,
            issued_at=issued_at,
            expires_at=issued_at + timedelta(days=90),
            external_visitor_id=external,
        ),
        brand_id=clicked.brand_id,
        ring=conf.cookie_keys,
        nonce=b"n" * 12,
    )


def register(brand, cookie, now):
    return register_client(
        registration=ClientRegistration(
            brand_id=brand.pk,
            email="new@example.com",
            firstname="New",
            lastname="Client",
            password=PASSWORD,
        ),
        referral_cookie=cookie,
        now=now,
    )


def come_as_guest(brand, cookie, now):
    return register_guest(
        registration=GuestRegistration(brand_id=brand.pk),
        referral_cookie=cookie,
        now=now,
    )


def complete(guest, cookie, now):
    return complete_registration(
        completion=RegistrationCompletion(
            client_id=guest.client.id,
            email="new@example.com",
            firstname="New",
            lastname="Client",
            password=PASSWORD,
        ),
        caller_id=guest.client.id,
        origin_brand_id=None,
        referral_cookie=cookie,
        now=now,
    )


def convert(host, client, now, *, cookie=None) -> OrderReferral:
    order_ref = host.order(client)
    convert_order(
        conversion=OrderConversion(
            order_ref=order_ref,
            client_id=str(client.pk),
            payment_details_id=host.payment_details_id(client),
        ),
        origin_brand_id=None,
        referral_cookie=cookie,
        now=now,
    )
    return OrderReferral.objects.get(order_ref=order_ref)


def external_fields(referral) -> tuple:
    return (
        referral.integration_id,
        referral.external_visitor_id,
        referral.external_affiliate,
        referral.external_click_id,
        referral.external_touched_at,
        referral.external_ip,
        referral.external_user_agent,
    )


NOTHING = (None, "", "", None, None, "", "")
