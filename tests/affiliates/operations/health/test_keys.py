from __future__ import annotations

from datetime import timedelta
from io import StringIO
from uuid import UUID

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from affiliates.conf import conf
from affiliates.emails.links import seal_link
from affiliates.operations.health import keys
from affiliates.operations.health.examine import check_settings, check_stored
from affiliates.payouts.details import encrypt
from affiliates.payouts.models import PayoutDestination
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
    emails, destinations, integrations = keys.stored_secrets(now)

    assert destinations.id == integrations.id == emails.id == "affiliates.D009"
    assert destinations.msg == (
        "2 of 3 texts of payout destinations, details need key 1, which this server does "
        "not have."
    )
    assert destinations.hint == "Put key 1 back at the end of AFFILIATES_SECRET_KEYS."
    assert integrations.msg.startswith("1 of 1 texts of tracking integrations, secrets")
    assert emails.msg.startswith("1 of 1 texts of e-mails, link need key 1")


def test_wrong_key_of_the_right_id_is_named(affiliate, settings, now):
    DestinationFactory(affiliate=affiliate)
    settings.AFFILIATES_SECRET_KEYS = NEW.replace("2:", "1:")

    [finding] = keys.stored_secrets(now)

    assert finding.msg == (
        "1 of 1 texts of payout destinations, details were encrypted with another key 1 "
        "than this server's."
    )
    assert finding.hint.startswith("Put the right key 1 into AFFILIATES_SECRET_KEYS")


def test_text_that_was_never_encrypted_is_named(affiliate, now):
    destination = DestinationFactory(affiliate=affiliate)
    PayoutDestination.objects.filter(pk=destination.pk).update(details="{}")

    [finding] = keys.stored_secrets(now)

    assert finding.msg == (
        "1 of 1 texts of payout destinations, details were not encrypted by this product."
    )


def test_check_of_the_database_says_so_at_the_start(affiliate, settings):
    """As ``migrate`` does; commands that name no database read no row."""
    DestinationFactory(affiliate=affiliate)
    call_command("check", databases=["default"], stdout=StringIO())
    settings.AFFILIATES_SECRET_KEYS = NEW

    call_command("check", stdout=StringIO())
    with pytest.raises(SystemCheckError, match="D009.+need key 1, which this server"):
        call_command("check", databases=["default"], stdout=StringIO())


def test_check_of_an_empty_database_finds_nothing(settings, monkeypatch):
    """``migrate`` asks before it has made the tables."""
    monkeypatch.setattr(PayoutDestination._meta, "db_table", "affiliates_not_there")

    assert check_stored(None, databases=["default"]) == []


def test_unusable_keys_are_said_once(affiliate, settings):
    DestinationFactory(affiliate=affiliate)
    settings.AFFILIATES_SECRET_KEYS = "no key"

    assert check_stored(None, databases=["default"]) == []
    assert [one.id for one in check_settings(None)] == ["affiliates.E007"]


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
