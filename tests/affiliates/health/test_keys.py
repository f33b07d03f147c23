from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest

from affiliates.conf import conf
from affiliates.emails.links import seal_link
from affiliates.health import keys
from affiliates.payouts.details import encrypt
from affiliates.visits.cookie import ReferralCookie, seal_cookie
from tests.factories.emails import EmailFactory
from tests.factories.integrations import WebhookFactory
from tests.factories.payouts import DestinationFactory

pytestmark = pytest.mark.django_db

OLD, NEW = "1:" + "A" * 43 + "=", "2:" + "B" * 43 + "="


@pytest.fixture(autouse=True)
def old_key(settings) -> None:
    settings.AFFILIATES_COOKIE_KEYS = settings.AFFILIATES_SECRET_KEYS = OLD


def test_secrets_whose_key_is_gone_are_counted(affiliate, settings, now):
    for _ in range(2):
        DestinationFactory(affiliate=affiliate)
    WebhookFactory(brand=affiliate.brand)
    EmailFactory(brand=affiliate.brand, link=seal_link("https://example.com/token"))
    assert list(keys.stored_secrets(now)) == []

    settings.AFFILIATES_SECRET_KEYS = NEW
    DestinationFactory(affiliate=affiliate)
    destinations, integrations, emails = keys.stored_secrets(now)

    assert destinations.id == integrations.id == "affiliates.D009"
    assert destinations.msg == (
        "2 of 3 payout destinations cannot be read with the keys of this server."
    )
    assert integrations.msg.startswith("1 of 1 tracking integrations cannot be read")
    assert emails.msg.startswith("1 of 1 e-mails cannot be read")
    assert destinations.hint == (
        "Put the key that encrypted them back at the end of AFFILIATES_SECRET_KEYS."
    )


def test_a_retired_key_that_is_kept_opens_them(affiliate, settings, now):
    DestinationFactory(affiliate=affiliate)

    settings.AFFILIATES_SECRET_KEYS = f"{NEW},{OLD}"

    assert encrypt("new")
    assert list(keys.stored_secrets(now)) == []


@pytest.fixture
def converted(order):
    """An order that came with a cookie."""
    at = order.converted_at
    order.referral_cookie = seal_cookie(
        ReferralCookie(
            visitor_id=UUID(int=1),
            click_id=UUID(int=2),
            affiliate_id=order.affiliate_id,
            issued_at=at,
            expires_at=at + timedelta(days=90),
        ),
        brand_id=order.brand_id,
        ring=conf.cookie_keys,
        nonce=bytes(12),
    )
    order.save()
    return order


def test_cookies_whose_key_is_gone_are_named_while_they_live(converted, settings):
    at = converted.converted_at
    assert list(keys.cookies_in_use(at)) == []

    settings.AFFILIATES_COOKIE_KEYS = NEW
    (finding,) = keys.cookies_in_use(at + timedelta(days=90))

    assert finding.id == "affiliates.D010"
    assert finding.msg.startswith("1 of the last orders came with a cookie whose key")
    assert "back at the end of AFFILIATES_COOKIE_KEYS" in finding.hint
    assert list(keys.cookies_in_use(at + timedelta(days=91))) == []


def test_cookies_of_a_retired_key_that_is_kept_are_fine(converted, settings):
    settings.AFFILIATES_COOKIE_KEYS = f"{NEW},{OLD}"

    assert list(keys.cookies_in_use(converted.converted_at)) == []
