"""On a host that separates thousands: numbers that nobody reads stay as they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.template.loader import render_to_string

import affiliates
from tests.factories.affiliates import AffiliateLinkFactory, CreativeFactory
from tests.factories.books import CommissionFactory, PayoutFactory
from tests.factories.payouts import DestinationFactory
from tests.factories.recruitment import ProgramTermsFactory

pytestmark = pytest.mark.django_db

TEMPLATES = Path(affiliates.__file__).parent / "templates"
LOGIC = re.compile(r"\{%.*?%\}")
START_TAG = re.compile(r"<[a-z][^<>]*>")
EXPRESSION = re.compile(r"\{\{ ?(.*?) ?\}\}")
# What is a number, by its name; those of a chart are texts.
NUMBER = re.compile(
    r"(?!bar\.)[\w.]*\b(pk|id|key|number|page|width|height|\w+_page_number)(\|add:-?\d+)?"
)


@pytest.fixture(autouse=True)
def _separated(settings):
    settings.USE_THOUSAND_SEPARATOR = True


def test_a_commission_leads_to_its_movements(browser, affiliate):
    CommissionFactory(pk=1234, affiliate=affiliate)

    page = browser.get("/affiliate/commissions/1234").text

    assert 'href="/affiliate/postings?commission=1234"' in page
    assert browser.get("/affiliate/postings?commission=1234").status_code == 200


def test_a_payout_is_called_as_its_address_is(browser, affiliate):
    destination = DestinationFactory(affiliate=affiliate)
    PayoutFactory(pk=1234, affiliate=affiliate, destination=destination)

    page = browser.get("/affiliate/payouts/1234").text

    assert re.search(r"<h1>\D*1234</h1>", page)


def test_an_image_has_its_size(browser, brand):
    CreativeFactory(brand=brand, image=f"{'0' * 32}.png", width=1200, height=1600)

    page = browser.get("/affiliate/creatives").text

    assert 'width="1200" height="1600"' in page
    assert "1200 × 1600" in page


def test_terms_are_accepted_by_their_number(browser, brand, affiliate):
    ProgramTermsFactory(brand=brand, number=1234)

    page = browser.get("/affiliate/terms").text
    browser.post("/affiliate/terms", {"terms": "1234"})

    assert 'name="terms" value="1234"' in page
    assert affiliate.accepted_terms.get().version.number == 1234


def test_what_is_copied_is_found(browser, affiliate):
    AffiliateLinkFactory(pk=1234, affiliate=affiliate)

    page = browser.get("/affiliate/links").text

    assert '<input id="link-1234"' in page
    assert 'data-copies="link-1234"' in page


def test_pages_lead_to_their_neighbours():
    found = {"page": 1235, "pages": 2000, "query": ""}

    page = render_to_string("affiliates/area/pages.html", {"found": found})

    assert 'href="?page=1234"' in page
    assert 'href="?page=1236"' in page


def test_no_attribute_of_a_template_has_a_number_as_it_is_read():
    faults = [
        f"{path.relative_to(TEMPLATES)}: {expression}"
        for path in sorted(TEMPLATES.rglob("*.html"))
        for tag in START_TAG.findall(LOGIC.sub("", path.read_text("utf-8")))
        for expression in EXPRESSION.findall(tag)
        if NUMBER.fullmatch(expression)
    ]

    assert faults == []
