"""Specification, title and section 1: what the service does."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
import time_machine
from django.utils import timezone

from affiliates.conf import conf
from affiliates.outbox import payload
from affiliates.outbox.active import settings_of
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.registry import ADAPTERS
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import Sale
from affiliates.visits.cookie import read_cookie
from affiliates.visits.models import Click
from tests.contract.frontend import BROWSER, cookie_octets
from tests.contract.openapi import operations

SHOP = "https://shop.example.com"
PLANS = "https://shop.example.com/plans"


def test_s0_1_visits_signups_and_orders_are_offered():
    assert operations() >= {
        ("POST", "/api/affiliate_link/visit"),
        ("POST", "/api/clients/register"),
        ("POST", "/api/clients/register/guest"),
        ("POST", "/api/clients/{client_id}/complete_registration"),
        ("PATCH", "/api/orders/{order_id}/convert"),
    }


def test_s1_1_click_signup_and_order_are_attributed(
    frontend, affiliate, link_url, product_id
):
    frontend.visit(link_url)
    frontend.register()
    frontend.buy(product_id)

    assert Click.objects.get().affiliate_id == affiliate.pk
    assert ClientReferral.objects.get().affiliate_id == affiliate.pk
    assert OrderReferral.objects.get().affiliate_id == affiliate.pk


def test_s1_2a_the_cookie_alone_carries_the_attribution(
    frontend, open_browser, affiliate, link_url, product_id
):
    """Another browser, another address: whoever sends the cookie is attributed."""
    frontend.visit(link_url)
    other = open_browser()
    other.cookie = frontend.cookie
    other.api.defaults["REMOTE_ADDR"] = "203.0.113.9"
    other.become_guest(referral_cookie=None)
    other.buy(product_id)

    assert not ClientReferral.objects.exists()
    assert OrderReferral.objects.get().affiliate_id == affiliate.pk


def test_s1_2b_value_of_the_visit_is_taken_at_each_step(frontend, link_url, product_id):
    frontend.visit(link_url)
    first = frontend.cookie
    frontend.visit("https://shop.example.com/vps")
    frontend.become_guest()
    frontend.complete_registration()
    frontend.buy(product_id)

    assert first != frontend.cookie
    assert ClientReferral.objects.get().click_id == Click.objects.get().pk
    assert OrderReferral.objects.get().referral_cookie == frontend.cookie


def test_s1_3_flow_of_the_own_affiliate_system(
    frontend, affiliate, link_url, product_id
):
    frontend.visit(link_url)
    frontend.register()
    frontend.pay(frontend.buy(product_id))

    assert Sale.objects.get().affiliate_id == affiliate.pk


def test_s1_3_flow_of_the_tracking_integration(frontend, integration, product_id):
    frontend.visit(f"{SHOP}/?aid=partner-1")
    frontend.register()
    frontend.pay(frontend.buy(product_id))

    assert not Sale.objects.filter(status="recorded").exists()
    assert queued(integration) == ["click", "sale"]


def test_s1_3_flow_of_both(frontend, affiliate, link_url, integration, product_id):
    frontend.visit(f"{link_url}?aid=partner-1")
    frontend.register()
    frontend.pay(frontend.buy(product_id))

    assert Sale.objects.get().affiliate_id == affiliate.pk
    assert Click.objects.get().external_affiliate == "partner-1"
    assert "click" in queued(integration)


def test_s1_4a_click_data_goes_to_the_tracking_address(frontend, integration):
    frontend.visit(
        f"{SHOP}/plans?aid=partner-1", referrer_url="https://blog.example.org/post"
    )

    call = urlsplit(call_of(Delivery.objects.get()).url)
    told = parse_qs(call.query)
    assert f"{call.scheme}://{call.netloc}" == "https://tracker.example.com"
    assert told["url"] == ["S_shop.example.com/plans"]
    assert told["referrer"] == ["S_blog.example.org/post"]
    assert "aid=partner-1" in told["getParams"][0]
    assert told["useragent"] == [BROWSER]


def test_s1_4a_cookie_holds_the_identifier_that_clicks_and_sales_are_matched_by(
    frontend, brand, integration, product_id
):
    frontend.visit(f"{SHOP}/?aid=partner-1")
    frontend.become_guest()
    frontend.pay(frontend.buy(product_id))

    held = read_cookie(
        frontend.cookie, brand_id=brand.pk, ring=conf.cookie_keys, now=timezone.now()
    )
    click, sale = Delivery.objects.order_by("id")
    assert click.visitor_ref == sale.visitor_ref == held.external_visitor_id
    told = parse_qs(urlsplit(call_of(click).url).query)
    assert told["visitorId"] == [held.external_visitor_id]


@pytest.mark.parametrize(
    "page",
    ["/?aid=partner-1", "/plans?x=1&aid=partner-1#top", "/#/plans?aid=partner-1"],
)
def test_s1_4b_links_are_recognised_by_their_affiliate_parameter(
    frontend, integration, page
):
    frontend.visit(SHOP + page)

    click = Click.objects.get()
    assert click.integration_id == integration.pk
    assert click.external_affiliate == "partner-1"


def queued(integration):
    rows = Delivery.objects.filter(integration=integration).order_by("id")
    return list(rows.values_list("operation", flat=True))


def call_of(delivery):
    """What is sent for a queued click."""
    adapter = ADAPTERS[delivery.integration.provider]
    run = adapter.run(
        payload.read_click(delivery.payload),
        delivery.visitor_ref,
        settings_of(delivery.integration),
    )
    return next(run)


def test_s1_5_cookie_is_stored_and_used_for_the_sale_after_payment(
    frontend, affiliate, link_url, product_id
):
    frontend.visit(link_url)
    frontend.become_guest(referral_cookie=None)
    invoice = frontend.buy(product_id)

    referral = OrderReferral.objects.get()
    assert referral.invoice_ref == invoice["id"]
    assert referral.referral_cookie == frontend.cookie
    assert not Sale.objects.exists()

    frontend.pay(invoice)

    sale = Sale.objects.get()
    assert sale.order_referral_id == referral.pk
    assert sale.invoice_ref == invoice["id"]
    assert sale.affiliate_id == affiliate.pk


def test_s1_6_client_side_flow_from_link_to_sale(
    frontend, affiliate, link_url, product_id
):
    data = frontend.visit(link_url)
    assert data["redirect_url"] == PLANS
    assert frontend.become_guest().status_code == 201
    assert frontend.complete_registration().status_code == 200
    frontend.pay(frontend.buy(product_id))

    sale = Sale.objects.get()
    click = Click.objects.get()
    assert sale.affiliate_id == affiliate.pk
    assert sale.order_referral.click_id == click.pk
    assert ClientReferral.objects.get().click_id == click.pk


@pytest.mark.parametrize(
    "page", ["/aff/{hash}", "/?ref={hash}", "/?ref=partner", "/#/plans?ref=partner"]
)
def test_s1_6_1_affiliate_urls_are_recognised(frontend, affiliate, link, page):
    frontend.visit("https://shop.example.com" + page.format(hash=link.hash))

    assert Click.objects.get().affiliate_id == affiliate.pk


def test_s1_6_2_visit_with_and_without_an_existing_cookie(frontend, link_url):
    frontend.visit(link_url)
    frontend.visit(link_url)

    first, second = Click.objects.order_by("id")
    assert first.visitor_id == second.visitor_id
    assert (first.is_repeat, second.is_repeat) == (False, True)


def test_s1_6_3_answer_has_redirect_url_and_a_new_or_refreshed_cookie(
    frontend, link_url
):
    with time_machine.travel("2026-03-01T12:00:00Z", tick=False) as clock:
        new = frontend.visit(link_url)
        clock.shift(timedelta(days=1))
        refreshed = frontend.visit("https://shop.example.com/vps")

    assert new["redirect_url"] == PLANS
    assert new["referral_cookie_max_age"] == 90 * 86_400
    assert refreshed["redirect_url"] == "https://shop.example.com/vps#"
    assert refreshed["referral_cookie"] != new["referral_cookie"]
    assert refreshed["referral_cookie_max_age"] == 89 * 86_400


def test_s1_6_4_cookie_can_be_set_and_redirect_followed(frontend, link_url):
    data = frontend.visit(link_url)

    assert cookie_octets(data["referral_cookie"])
    assert data["referral_cookie_max_age"] > 0
    target = urlsplit(data["redirect_url"])
    assert (target.scheme, target.netloc) == ("https", "shop.example.com")


def test_s1_6_5_registration_takes_the_cookie(frontend, affiliate, link_url):
    frontend.visit(link_url)

    assert frontend.register().status_code == 201
    assert ClientReferral.objects.get().affiliate_id == affiliate.pk


def test_s1_6_6_conversion_takes_the_cookie_again(
    frontend, affiliate, link_url, product_id
):
    frontend.visit(link_url)
    frontend.register(referral_cookie=None)
    frontend.buy(product_id)

    assert not ClientReferral.objects.exists()
    assert OrderReferral.objects.get().affiliate_id == affiliate.pk
