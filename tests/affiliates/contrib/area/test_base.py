"""Who sees the area, on which host, and how its pages are sent."""

from __future__ import annotations

import pytest
from django.test import Client

from affiliates.brands.models.brand import Brand
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from tests.factories.affiliates import BrandFactory
from tests.factories.recruitment import ApplicationQuestionFactory, ProgramTermsFactory
from tests.guard.markers import marker

pytestmark = pytest.mark.django_db


def test_whoever_is_not_signed_in_is_sent_to_the_hosts_login(browser):
    browser.logout()

    answer = browser.get("/affiliate/")

    assert answer.status_code == 302
    assert answer["Location"].endswith("?next=/affiliate/")


def test_a_host_of_no_brand_has_no_area(browser):
    assert (
        browser.get("/affiliate/", headers={"host": "other.example.com"}).status_code
        == 404
    )


def test_on_another_brands_host_the_affiliate_is_nobody(browser):
    BrandFactory(client_area="other.example.com")

    answer = browser.get(
        "/affiliate/", headers={"host": "other.example.com"}, follow=True
    )

    assert answer.status_code == 404


def test_a_page_is_private_and_loads_our_own_files_alone(browser):
    answer = browser.get("/affiliate/")

    assert answer.status_code == 200
    assert answer["Cache-Control"] == "private, no-store"
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert answer["Referrer-Policy"] == "same-origin"
    assert "<style" not in answer.text
    assert answer.text.count("<script") == answer.text.count("<script src=")
    assert " style=" not in answer.text


def test_a_page_leads_out(browser):
    form = '<form method="post" action="/affiliate/sign-out">'
    assert form in browser.get("/affiliate/links").text

    browser.post("/affiliate/sign-out")

    assert browser.get("/affiliate/links").status_code == 302


def test_a_client_becomes_an_affiliate_in_two_clicks(brand, host):
    client = host.client(brand, email="new@example.com")
    browser = Client(headers={"host": "shop.example.com"})
    browser.force_login(client)

    asked = browser.get("/affiliate/", follow=True)
    answer = browser.post("/affiliate/welcome", {"code": "newcomer"}, follow=True)

    assert asked.redirect_chain == [("/affiliate/welcome", 302)]
    affiliate = Affiliate.objects.get(user=client)
    assert (affiliate.code, affiliate.status) == ("newcomer", AffiliateStatus.PENDING)
    assert answer.redirect_chain == [("/affiliate/", 302)]
    assert "Your application is being looked at" in answer.text


def test_what_is_asked_and_accepted_is_kept_with_the_two_clicks(brand, host, plan):
    client = host.client(brand, email="new@example.com")
    browser = Client(headers={"host": "shop.example.com"})
    browser.force_login(client)
    asked = ApplicationQuestionFactory(brand=brand, text="Where?", is_required=True)
    ProgramTermsFactory(brand=brand, text="Be fair.")
    given = {f"question_{asked.pk}": marker("applicant", "answer"), "terms": "1"}

    page = browser.get("/affiliate/welcome").text
    refused = browser.post("/affiliate/welcome", given)
    assert not Affiliate.objects.exists()
    browser.post("/affiliate/welcome", {**given, "accepts": "on"})

    assert "1. 10 % of everything." in page
    assert "Be fair." in page
    assert refused.status_code == 400
    affiliate = Affiliate.objects.get()
    assert affiliate.application.answers == [
        {"question": "Where?", "answer": marker("applicant", "answer")}
    ]
    assert affiliate.accepted_terms.get().version.number == 1


def test_a_code_that_is_taken_is_refused_and_nothing_is_written(affiliate, brand, host):
    client = host.client(brand, email="new@example.com")
    browser = Client(headers={"host": "shop.example.com"})
    browser.force_login(client)

    answer = browser.post("/affiliate/welcome", {"code": affiliate.code})

    assert answer.status_code == 400
    assert "Another affiliate of this brand has this code." in answer.text
    assert Affiliate.objects.count() == 1


@pytest.mark.parametrize(
    ("look", "rule"),
    [
        ({}, "--accent: #2457c5; --on-accent: #ffffff;"),
        ({"colour": "#ffff00"}, "--accent: #737300; --on-accent: #ffffff;"),
        ({}, "--font: system-ui, sans-serif;"),
        ({"font": "serif"}, "--font: Charter, 'Bitstream Charter', 'Sitka Text', "),
    ],
)
def test_the_brands_colour_and_font_are_a_stylesheet(brand, browser, look, rule):
    Brand.objects.update(**look)
    brand.refresh_from_db()
    brand.save()

    answer = browser.get("/affiliate/brand.css")

    assert answer["Content-Type"] == "text/css"
    assert rule in answer.text


def test_unknown_row_is_refused_with_a_page_of_the_area_in_its_language(browser):
    answer = browser.get("/affiliate/orders/999", headers={"Accept-Language": "de"})

    assert answer.status_code == 404
    text = answer.content.decode()
    assert "<h1" in text
    assert "Diese Seite gibt es nicht" in text
    assert 'href="/affiliate/"' in text
