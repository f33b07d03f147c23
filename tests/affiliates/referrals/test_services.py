"""Binding a client and attributing an order, through the host's adapter."""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

import pytest
from moneyed import Money

from affiliates.brands.models.brand import Brand
from affiliates.conf import conf
from affiliates.contracts import (
    ClientRegistration,
    InvoiceLine,
    OrderConversion,
    PaidInvoice,
)
from affiliates.errors import NotAllowed, NotFound
from affiliates.host_events import invoice_paid
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals import selectors
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.referrals.services import register_client
from affiliates.sales.models import Sale
from affiliates.settlement.services import convert_order
from affiliates.visits.cookie import ReferralCookie, seal_cookie
from tests.factories.affiliates import AffiliateFactory, BrandFactory, ClickFactory

VISITOR = UUID(int=7)


@pytest.fixture
def client(host, brand):
    return host.client(brand, email="client@example.com")


def click(affiliate, at: datetime, **changes):
    return ClickFactory(
        affiliate=affiliate, visitor_id=VISITOR, created_at=at, **changes
    )


def cookie_of(clicked, *, brand: Brand | None = None) -> str:
    return seal_cookie(
        ReferralCookie(
            visitor_id=clicked.visitor_id,
            click_id=clicked.id,
            affiliate_id=clicked.affiliate_id,
            issued_at=clicked.created_at,
            expires_at=clicked.created_at + timedelta(days=90),
        ),
        brand_id=(brand or clicked.brand).pk,
        ring=conf.cookie_keys,
        nonce=b"n" * 12,
    )


def register(brand, cookie, now, *, email="new@example.com"):
    return register_client(
        registration=ClientRegistration(
            brand_id=brand.pk,
            email=email,
            firstname="New",
            lastname="Client",
            password="correct horse battery",
        ),
        referral_cookie=cookie,
        now=now,
    )


def convert(host, client, order_ref, now, *, cookie=None, origin_brand_id=None):
    return convert_order(
        conversion=OrderConversion(
            order_ref=order_ref,
            client_id=str(client.pk),
            payment_details_id=host.payment_details_id(client),
        ),
        origin_brand_id=origin_brand_id,
        referral_cookie=cookie,
        now=now,
    )


def pay(brand, converted, now) -> None:
    invoice_paid(
        PaidInvoice(
            brand_id=brand.pk,
            invoice_ref=converted["id"],
            order_ref=converted["order_id"],
            payment_ref="payment-1",
            gross=Money("11.90", "EUR"),
            lines=(
                InvoiceLine(
                    description="Hosting",
                    product_ref="1",
                    kind="hosting",
                    billing_cycle="monthly",
                    quantity=1,
                    net=Money("10.00", "EUR"),
                ),
            ),
            paid_at=now,
        ),
        now=now,
    )


def test_registration_binds_the_client_to_the_cookies_click(brand, affiliate, now):
    clicked = click(affiliate, now - timedelta(days=3))

    registered = register(brand, cookie_of(clicked), now)

    binding = ClientReferral.objects.get()
    assert str(binding.client_id) == registered.client.id
    assert binding.affiliate == affiliate
    assert binding.click_id == clicked.id
    assert binding.visitor_id == VISITOR
    assert binding.touched_at == now - timedelta(days=3)
    assert binding.bound_at == now
    assert binding.step == "register"


@pytest.mark.parametrize("cookie", [None, "", "garbage", "A" * 8192])
def test_registration_without_usable_cookie_binds_nobody(cookie, brand, now):
    register(brand, cookie, now)

    assert ClientReferral.objects.count() == 0


def test_cookie_of_another_brand_counts_as_absent(brand, affiliate, now):
    other = BrandFactory(client_area="other.example.com")
    clicked = click(affiliate, now)

    register(brand, cookie_of(clicked, brand=other), now)

    assert ClientReferral.objects.count() == 0


def test_conversion_stores_cookie_winner_and_decision(
    host, brand, affiliate, client, now
):
    clicked = click(affiliate, now - timedelta(days=2))
    cookie = cookie_of(clicked)
    order_ref = host.order(client)

    converted = convert(host, client, order_ref, now, cookie=cookie)

    referral = OrderReferral.objects.get()
    assert referral.brand == brand
    assert referral.order_ref == order_ref
    assert referral.invoice_ref == converted["id"]
    assert referral.client == client
    assert referral.referral_cookie == cookie
    assert (referral.outcome, referral.reason) == ("credited", "last_click")
    assert referral.affiliate == affiliate
    assert referral.click_id == clicked.id
    assert referral.touched_at == now - timedelta(days=2)
    assert referral.decision["cookie"] == "valid"
    assert referral.decision["terms"] == {
        "policy": "last_click",
        "claim_policy": "latest",
        "window_days": 90,
        "own_program": True,
        "existing_clients_earn": False,
        "bound_clients": "keep",
        "stand_down_minutes": 30,
        "coupon_over_link": True,
    }
    assert [one["verdict"] for one in referral.decision["candidates"]] == ["won"]


def test_click_counts_however_often_it_was_repeated(host, affiliate, client, now):
    first = click(affiliate, now - timedelta(hours=1))
    for number in range(60):
        click(affiliate, now - timedelta(minutes=50, seconds=-number), is_repeat=True)

    convert(host, client, host.order(client), now, cookie=cookie_of(first))

    referral = OrderReferral.objects.get()
    assert (referral.outcome, referral.click_id) == ("credited", first.id)
    assert len(referral.decision["candidates"]) == 50


def test_first_click_wins_against_any_number_of_later_ones(
    host, brand, affiliate, client, now
):
    brand.attribution_policy = "first_click"
    brand.save()
    rival = AffiliateFactory(
        brand=brand, user=host.client(brand, email="r@example.com")
    )
    first = click(affiliate, now - timedelta(days=50))
    last = [click(rival, now - timedelta(hours=number)) for number in range(60, 0, -1)]

    convert(host, client, host.order(client), now, cookie=cookie_of(last[-1]))

    referral = OrderReferral.objects.get()
    assert referral.click_id == first.id
    assert referral.reason == "first_click"


def test_no_number_of_late_clicks_pushes_out_the_one_they_cannot_displace(
    host, brand, affiliate, client, now, monkeypatch
):
    monkeypatch.setattr(selectors, "MAX_TOUCHES", 3)
    first = click(affiliate, now - timedelta(days=1))
    late = [
        click(
            AffiliateFactory(
                brand=brand, user=host.client(brand, email=f"{number}@example.com")
            ),
            now - timedelta(minutes=5, seconds=number),
        )
        for number in range(3)
    ]

    convert(host, client, host.order(client), now, cookie=cookie_of(late[0]))

    assert OrderReferral.objects.get().click_id == first.id


def test_order_of_nobody_keeps_its_decision(host, client, now):
    convert(host, client, host.order(client), now)

    referral = OrderReferral.objects.get()
    assert (referral.outcome, referral.reason) == ("nobody", "no_touch")
    assert referral.affiliate is None
    assert referral.referral_cookie == ""
    assert referral.decision["cookie"] == "absent"
    assert referral.decision["candidates"] == []


def test_repeated_conversion_answers_the_same_and_the_first_cookie_stands(
    host, brand, affiliate, client, now
):
    rival = AffiliateFactory(
        brand=brand, user=host.client(brand, email="r@example.com")
    )
    first = cookie_of(click(affiliate, now - timedelta(hours=2)))
    second = cookie_of(
        ClickFactory(
            affiliate=rival, visitor_id=UUID(int=8), created_at=now - timedelta(hours=1)
        )
    )
    order_ref = host.order(client)

    one = convert(host, client, order_ref, now, cookie=first)
    two = convert(host, client, order_ref, now + timedelta(hours=1), cookie=second)

    assert two == one
    referral = OrderReferral.objects.get()
    assert referral.affiliate == affiliate
    assert referral.referral_cookie == first


def test_binding_credits_an_order_from_another_device(host, brand, affiliate, now):
    registered = register(brand, cookie_of(click(affiliate, now)), now)
    client = ClientReferral.objects.get().client

    convert(host, client, host.order(client), now + timedelta(days=10))

    referral = OrderReferral.objects.get()
    assert str(referral.client_id) == registered.client.id
    assert referral.affiliate == affiliate
    assert referral.outcome == "credited"
    assert referral.decision["candidates"][0]["carrier"] == "binding"


def test_binding_ends_with_the_window(host, brand, affiliate, now):
    register(brand, cookie_of(click(affiliate, now)), now)
    client = ClientReferral.objects.get().client

    convert(host, client, host.order(client), now + timedelta(days=91))

    referral = OrderReferral.objects.get()
    assert (referral.outcome, referral.reason) == ("nobody", "no_eligible_touch")
    assert referral.decision["candidates"][0]["verdict"] == "outside_window"


def test_cookie_whose_click_is_gone_credits_nobody(host, affiliate, client, now):
    clicked = click(affiliate, now)
    cookie = cookie_of(clicked)
    clicked.delete()

    convert(host, client, host.order(client), now, cookie=cookie)

    referral = OrderReferral.objects.get()
    assert (referral.outcome, referral.reason) == ("nobody", "no_touch")
    assert referral.decision["cookie"] == "click_gone"


def test_affiliate_suspended_since_the_click_is_not_credited(
    host, affiliate, client, now
):
    cookie = cookie_of(click(affiliate, now))
    affiliate.status = AffiliateStatus.SUSPENDED
    affiliate.save(update_fields=["status"])

    convert(host, client, host.order(client), now, cookie=cookie)

    referral = OrderReferral.objects.get()
    assert referral.outcome == "nobody"
    assert referral.decision["candidates"][0]["verdict"] == "not_active_at_order"


def test_own_order_of_the_affiliate_is_held(host, affiliate, now):
    cookie = cookie_of(click(affiliate, now))
    client = affiliate.user

    convert(host, client, host.order(client), now, cookie=cookie)

    referral = OrderReferral.objects.get()
    assert (referral.outcome, referral.reason) == ("held", "self_referral")
    assert referral.affiliate == affiliate


def test_order_of_another_client_is_not_found(host, brand, client, now):
    outsider = host.client(brand, email="outsider@example.com")
    order_ref = host.order(client)

    with pytest.raises(NotFound):
        convert(host, outsider, order_ref, now)

    assert OrderReferral.objects.count() == 0


def test_origin_of_another_brand_is_refused(host, client, now):
    other = BrandFactory(client_area="other.example.com")

    with pytest.raises(NotAllowed) as refusal:
        convert(host, client, host.order(client), now, origin_brand_id=other.pk)

    assert refusal.value.code == "origin_of_another_brand"
    assert OrderReferral.objects.count() == 0


@pytest.mark.usefixtures("early_invoices")
def test_payment_before_conversion_makes_the_sale_at_conversion(
    host, brand, affiliate, client, now
):
    order_ref = host.order(client)
    early = PaidInvoice(
        brand_id=brand.pk,
        invoice_ref=f"invoice-{order_ref}",
        order_ref=order_ref,
        payment_ref="payment-1",
        gross=Money("10.00", "EUR"),
        lines=(),
        paid_at=now,
    )
    invoice_paid(early, now=now)
    assert Sale.objects.count() == 0

    convert(host, client, order_ref, now, cookie=cookie_of(click(affiliate, now)))

    assert Sale.objects.get().affiliate == affiliate


def test_conversion_and_payment_make_the_sale(host, brand, affiliate, client, now):
    cookie = cookie_of(click(affiliate, now))
    converted = convert(host, client, host.order(client), now, cookie=cookie)

    pay(brand, converted, now)

    sale = Sale.objects.get()
    assert sale.affiliate == affiliate
    assert sale.invoice_ref == converted["id"]
    assert sale.net == Money("10.00", "EUR")


def test_client_who_paid_before_credits_nobody(host, affiliate, client, now):
    cookie = cookie_of(click(affiliate, now))
    order_ref = host.order(client)
    host.mark_paid_before(order_ref)

    convert(host, client, order_ref, now, cookie=cookie)

    referral = OrderReferral.objects.get(order_ref=order_ref)
    assert (referral.outcome, referral.reason) == ("nobody", "existing_client")
    assert referral.affiliate is None
