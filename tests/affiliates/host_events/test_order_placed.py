"""Orders that a host places of itself, without our endpoints."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from affiliates.contracts import OrderConversion
from affiliates.errors import InvalidInput, StateConflict
from affiliates.host_events import client_registered, invoice_paid, order_placed
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.types import CookieUse, EventResult
from affiliates.settlement.services import convert_order
from tests.affiliates.host_events.cookies import click_of, cookie_of
from tests.database import nothing_written
from tests.factories.affiliates import ClickFactory
from tests.factories.plans import CouponCodeFactory

DAY = timedelta(days=1)


class TestOrderPlaced:
    def test_is_attributed_as_a_conversion_is(
        self, placed, host, buyer, clicked, cookie, now
    ):
        order_ref = host.order(buyer, created_at=now)
        convert_order(
            conversion=OrderConversion(
                order_ref=order_ref,
                client_id=str(buyer.pk),
                payment_details_id=host.payment_details_id(buyer),
            ),
            origin_brand_id=None,
            referral_cookie=cookie,
            ip_prefix="203.0.113.0/24",
            now=now,
        )

        order_placed(
            replace(placed, ip="203.0.113.77"), referral_cookie=cookie, now=now
        )

        own = {"id", "order_ref", "invoice_ref", "salt", "seal"}
        converted, told = (
            {name: value for name, value in row.items() if name not in own}
            for row in OrderReferral.objects.order_by("id").values()
        )
        assert told == converted
        assert told["click_id"] == clicked.pk

    def test_keeps_the_hosts_references_and_moment(self, placed, cookie, now):
        order_placed(placed, referral_cookie=cookie, now=now + DAY)

        referral = OrderReferral.objects.get()
        assert referral.order_ref == "subscription-1"
        assert referral.invoice_ref == "in_1"
        assert referral.converted_at == now
        assert referral.referral_cookie == cookie

    def test_is_credited_by_the_clients_binding(
        self, registered, placed, affiliate, cookie, now
    ):
        client_registered(registered, referral_cookie=cookie, now=now)

        order_placed(placed, referral_cookie=None, now=now)

        referral = OrderReferral.objects.get()
        assert (referral.outcome, referral.affiliate) == ("credited", affiliate)

    def test_is_credited_by_a_coupon(self, placed, affiliate, now):
        CouponCodeFactory(affiliate=affiliate, code="PARTNER10")

        order_placed(
            replace(placed, coupon_codes=("partner10",)), referral_cookie=None, now=now
        )

        assert OrderReferral.objects.get().affiliate == affiliate

    def test_of_an_existing_client_credits_nobody(self, placed, cookie, now):
        order_placed(
            replace(placed, client_paid_before=True), referral_cookie=cookie, now=now
        )

        referral = OrderReferral.objects.get()
        assert (referral.outcome, referral.reason) == ("nobody", "existing_client")

    def test_of_the_affiliate_in_person_is_held(self, placed, affiliate, cookie, now):
        own = replace(placed, client_id=str(affiliate.user_id))

        order_placed(own, referral_cookie=cookie, now=now)

        referral = OrderReferral.objects.get()
        assert (referral.outcome, referral.reason) == ("held", "self_referral")

    def test_told_months_late_is_decided_as_if_told_at_once(
        self, placed, affiliate, cookie, now
    ):
        order_placed(placed, referral_cookie=cookie, now=now + timedelta(days=200))

        assert OrderReferral.objects.get().affiliate == affiliate

    def test_what_was_clicked_since_counts_for_nothing(
        self, placed, affiliate, rival, clicked, now
    ):
        ClickFactory(
            affiliate=rival,
            visitor_id=clicked.visitor_id,
            created_at=now + timedelta(seconds=1),
        )

        order_placed(placed, referral_cookie=cookie_of(clicked), now=now + DAY)

        assert OrderReferral.objects.get().affiliate == affiliate

    def test_a_late_click_stands_down_by_the_baskets_beginning(
        self, placed, affiliate, rival, clicked, now
    ):
        late = ClickFactory(
            affiliate=rival,
            visitor_id=clicked.visitor_id,
            created_at=now - timedelta(hours=1),
        )
        began = replace(placed, created_at=now - timedelta(hours=2))

        order_placed(began, referral_cookie=cookie_of(late), now=now)

        assert OrderReferral.objects.get().affiliate == affiliate

    def test_a_repeat_writes_nothing_whatever_cookie_it_brings(
        self, plan, placed, paid, rival, cookie, now
    ):
        order_placed(placed, referral_cookie=cookie, now=now)
        invoice_paid(paid, now=now)
        other = cookie_of(click_of(rival, now - timedelta(hours=1)))

        with nothing_written():
            order_placed(placed, referral_cookie=other, now=now + DAY)
            order_placed(placed, referral_cookie=None, now=now + DAY)

    def test_an_order_converted_by_the_endpoint_is_known(
        self, placed, host, buyer, cookie, now
    ):
        order_ref = host.order(buyer)
        converted = convert_order(
            conversion=OrderConversion(
                order_ref=order_ref,
                client_id=str(buyer.pk),
                payment_details_id=host.payment_details_id(buyer),
            ),
            origin_brand_id=None,
            referral_cookie=None,
            now=now,
        )
        same = replace(placed, order_ref=order_ref, invoice_ref=converted["id"])

        with nothing_written():
            order_placed(same, referral_cookie=cookie, now=now)

    @pytest.mark.parametrize(
        "change",
        [
            {"invoice_ref": "in_2"},
            {"order_ref": "subscription-2"},
            {"client_id": "rival"},
        ],
    )
    def test_an_order_known_otherwise_is_refused(
        self, change, placed, rival, cookie, now
    ):
        order_placed(placed, referral_cookie=cookie, now=now)
        if "client_id" in change:
            change = {"client_id": str(rival.user_id)}

        with nothing_written(), pytest.raises(StateConflict) as refusal:
            order_placed(replace(placed, **change), referral_cookie=cookie, now=now)

        assert refusal.value.code == "order_placed_otherwise"

    @pytest.mark.parametrize("field", ["order_ref", "invoice_ref"])
    def test_a_long_reference_is_refused(self, field, placed, cookie, now):
        too_long = replace(placed, **{field: "x" * 65})

        with nothing_written(), pytest.raises(InvalidInput) as refusal:
            order_placed(too_long, referral_cookie=cookie, now=now)

        assert refusal.value.code == "too_long"

    def test_the_host_learns_how_the_cookie_was_read(self, placed, cookie, now):
        first = order_placed(placed, referral_cookie=cookie, now=now)
        repeated = order_placed(placed, referral_cookie=cookie[:-1], now=now)

        assert first == EventResult(cookie=CookieUse.USABLE)
        assert repeated == EventResult(cookie=CookieUse.UNUSABLE)
