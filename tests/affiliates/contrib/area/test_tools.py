"""What the pages of keys and of the webhook say about the API."""

from __future__ import annotations

import pytest
from django.urls import include, path

from affiliates.adapter import get_adapter

pytestmark = pytest.mark.django_db
PAGES = ("/affiliate/keys", "/affiliate/webhook")
BASE = (
    "<dt>Base address</dt><dd><code>http://shop.example.com/api/affiliate/</code></dd>"
)

# Of a host with the area alone.
urlpatterns = [path("affiliate/", include("affiliates.contrib.area.urls"))]


@pytest.mark.parametrize("page", PAGES)
def test_base_address_is_that_of_the_same_host(browser, page):
    assert BASE in browser.get(page).text


def test_limits_of_keys_are_said_in_words(browser, settings):
    page = browser.get("/affiliate/keys").text
    settings.AFFILIATES_THROTTLE_RATES = {"affiliate": "9/hour"}
    slower = browser.get("/affiliate/keys").text
    settings.AFFILIATES_THROTTLE_RATES = {"affiliate": ""}
    unlimited = browser.get("/affiliate/keys").text

    assert "At most 120 calls a minute are answered, from one network." in page
    assert "You can have 20 keys at a time, each for at most 365 days." in page
    assert "At most 9 calls an hour are answered, from one network." in slower
    assert "At most" not in unlimited


@pytest.mark.urls(__name__)
@pytest.mark.parametrize("page", PAGES)
def test_host_without_the_api_names_no_address(browser, monkeypatch, page):
    monkeypatch.setattr(type(get_adapter()), "account_pages", lambda self: {})

    shown = browser.get(page).text

    assert "Base address" not in shown
    assert "Documentation" not in shown
