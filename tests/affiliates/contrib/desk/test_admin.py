"""What the pages of actions have in common, in Django admin."""

from __future__ import annotations

import re

import pytest
from django.contrib import admin
from django.urls import reverse
from django.utils.html import strip_tags

from affiliates.brands.admin import BrandAdmin
from affiliates.brands.models.brand import Brand
from affiliates.program.admin import AffiliateAdmin
from affiliates.program.models import Affiliate
from tests.factories.integrations import TrackingIntegrationFactory
from tests.factories.ledger import OrderReferralFactory

WITH_DATES = {
    "orderreferral_what_if": "What if",
    "orderreferral_reconcile": "Reconcile with the tracker",
    "delivery_replay": "Send deliveries of a time range again",
}
CALENDAR = ("/admin/jsi18n/", "admin/js/core.js", "admin/js/calendar.js")


@pytest.fixture
def integration(brand):
    return TrackingIntegrationFactory(brand=brand)


def headings(page) -> list[list[str]]:
    """Each h1's parts, without those of the theme's closed dialogs."""
    found = re.findall(
        r"<h1\b(?![^>]*tracking-tight).*?</h1>", page.content.decode(), re.DOTALL
    )
    return [
        [line.strip() for line in strip_tags(one).splitlines() if line.strip()]
        for one in found
    ]


@pytest.mark.parametrize("name", WITH_DATES)
def test_calendar_is_preceded_by_what_it_needs(admin_client, integration, name):
    text = admin_client.get(reverse(f"admin:affiliates_{name}")).content.decode()

    places = [text.find(script) for script in CALENDAR]
    assert -1 not in places
    assert places == sorted(places)


def test_page_without_dates_loads_no_calendar(admin_client):
    text = admin_client.get(reverse("admin:affiliates_click_try_url")).content.decode()

    assert [one for one in CALENDAR if one in text] == []


@pytest.mark.parametrize(("name", "title"), WITH_DATES.items())
def test_heading_ends_with_the_title(admin_client, integration, name, title):
    page = admin_client.get(reverse(f"admin:affiliates_{name}"))

    [heading] = headings(page)
    assert len(heading) > 1
    assert heading[0].startswith("Affiliates")
    assert heading[-1].endswith(title)


def test_heading_of_a_rows_page_names_what_is_done(
    admin_client, brand, host, integration
):
    order = OrderReferralFactory(
        brand=brand,
        client=host.client(brand, email="a@example.com"),
        order_ref="order-1",
    )
    pages = [
        reverse("admin:affiliates_orderreferral_assign", args=[order.pk]),
        reverse(
            "admin:affiliates_trackingintegration_test_connection",
            args=[integration.pk],
        ),
    ]

    found = [headings(admin_client.get(url)) for url in pages]

    assert [len(one) for one in found] == [1, 1]
    assert found[0][0][-1].endswith("Assign order order-1")
    assert found[1][0][-1].endswith("Test the connection?")


def test_heading_of_a_page_of_no_model_is_its_title(admin_client):
    page = admin_client.get(reverse("admin:affiliates_click_try_url"))

    assert headings(page) == [["Try a URL"]]


def test_what_other_packages_show_of_a_brand_and_an_affiliate_is_composed_at_the_top():
    brand, affiliate = (admin.site.get_model_admin(one) for one in (Brand, Affiliate))

    assert [one.model.__name__ for one in brand.inlines_of_saved] == [
        "AttributionPolicyVersion",
        "TrackingIntegration",
        "Webhook",
        "Affiliate",
        "FraudPolicy",
        "RecruitmentPolicy",
        "ApplicationQuestion",
        "ProgramTermsVersion",
    ]
    assert [one.model.__name__ for one in affiliate.inlines_of_saved] == [
        "Application",
        "TermsAcceptance",
        "AccountBalance",
        "AffiliateNote",
    ]
    assert BrandAdmin.inlines_of_saved == AffiliateAdmin.inlines_of_saved == ()
