"""Clients that a host registers of itself, without our endpoints."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest

from affiliates.host_events import client_registered
from affiliates.outbox.models.delivery import Delivery
from affiliates.referrals.models import ClientReferral
from affiliates.referrals.rules.types import CookieUse, EventResult
from tests.affiliates.host_events.cookies import click_of, cookie_of
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory, ClickFactory
from tests.factories.integrations import TrackingIntegrationFactory

DAY = timedelta(days=1)


class TestClientRegistered:
    def test_binds_the_client_as_of_its_registration(
        self, registered, buyer, affiliate, clicked, cookie, now
    ):
        client_registered(registered, referral_cookie=cookie, now=now + DAY)

        binding = ClientReferral.objects.get()
        assert (binding.client, binding.affiliate) == (buyer, affiliate)
        assert (binding.click_id, binding.visitor_id) == (
            clicked.pk,
            clicked.visitor_id,
        )
        assert (binding.touched_at, binding.bound_at) == (now - DAY, now)
        assert binding.step == "register"

    def test_binds_a_guest_who_stays_bound_as_a_client(
        self, registered, host, brand, cookie, now
    ):
        guest = replace(registered, client_id=str(host.guest(brand).pk))

        client_registered(guest, referral_cookie=cookie, now=now)

        assert ClientReferral.objects.get().step == "guest"

    def test_the_first_cookie_stands(self, registered, rival, cookie, now):
        client_registered(registered, referral_cookie=cookie, now=now)
        other = cookie_of(click_of(rival, now - timedelta(hours=1)))

        with nothing_written():
            client_registered(registered, referral_cookie=other, now=now + DAY)
            client_registered(registered, referral_cookie=None, now=now + DAY)

    def test_told_at_each_login_it_binds_nobody_by_a_later_click(
        self, registered, affiliate, now
    ):
        later = cookie_of(click_of(affiliate, now + timedelta(seconds=1)))

        with nothing_written():
            client_registered(registered, referral_cookie=None, now=now)
            client_registered(registered, referral_cookie=later, now=now + DAY)

    def test_told_months_late_it_binds_as_if_told_at_once(
        self, registered, affiliate, cookie, now
    ):
        late = now + timedelta(days=200)

        client_registered(registered, referral_cookie=cookie, now=late)

        assert ClientReferral.objects.get().affiliate == affiliate

    def test_a_host_whose_clock_is_ahead_binds_as_of_now(self, registered, cookie, now):
        ahead = replace(registered, registered_at=now + DAY)

        client_registered(ahead, referral_cookie=cookie, now=now)

        assert ClientReferral.objects.get().bound_at == now

    @pytest.mark.parametrize("is_guest", [False, True])
    def test_the_integration_hears_once_of_a_full_client(
        self, is_guest, registered, host, brand, now
    ):
        integration = TrackingIntegrationFactory(
            brand=brand, config={"lead_action": "signup"}
        )
        click = ClickFactory(
            brand=brand,
            affiliate=None,
            affiliate_status="",
            integration=integration,
            external_affiliate="testaff",
            visitor_id=uuid4(),
            created_at=now - DAY,
        )
        if is_guest:
            registered = replace(registered, client_id=str(host.guest(brand).pk))
        sent = cookie_of(click, external="visitor-1")

        for given_cookie in (sent, sent, None):
            client_registered(registered, referral_cookie=given_cookie, now=now)

        leads = Delivery.objects.filter(operation="lead")
        expected = [] if is_guest else [f"lead:{registered.client_id}"]
        assert [lead.key for lead in leads] == expected

    def test_the_host_learns_how_the_cookie_was_read(self, registered, clicked, now):
        other = BrandFactory(client_area="other.example.com")
        expected = {
            None: CookieUse.ABSENT,
            "": CookieUse.ABSENT,
            cookie_of(clicked): CookieUse.USABLE,
            cookie_of(clicked)[:-1]: CookieUse.UNUSABLE,
            cookie_of(clicked, brand_id=other.pk): CookieUse.UNUSABLE,
            "x" * 8192: CookieUse.UNUSABLE,
        }

        answered = {
            given_cookie: client_registered(
                registered, referral_cookie=given_cookie, now=now
            )
            for given_cookie in expected
        }

        assert answered == {
            given_cookie: EventResult(cookie=use)
            for given_cookie, use in expected.items()
        }
