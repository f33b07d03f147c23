"""The account menu: who is signed in, the account's pages, and the way out."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from affiliates.adapter import get_adapter
from affiliates.contrib.area.sections import MONEY
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.contrib.area.test_matrix import looking

pytestmark = pytest.mark.django_db
OWN = [
    ("/affiliate/profile", "Profile"),
    ("/affiliate/notifications", "Notifications"),
    ("/affiliate/keys", "API keys"),
    ("/affiliate/webhook", "Webhook"),
]
LEAVE = ("/affiliate/leave", "Leave the program")


@pytest.fixture(autouse=True)
def _host_pages(monkeypatch):
    pages = {"Password": "/account/password"}
    monkeypatch.setattr(type(get_adapter()), "account_pages", lambda self: pages)


def menu_of(page: str) -> str:
    [menu] = re.findall(r'<details class="account">.*?</details>', page, re.DOTALL)
    return menu


def links_of(part: str) -> list[tuple[str, str]]:
    return re.findall(r'<a [^>]*?href="([^"]*)"[^>]*>([^<]*)</a>', part)


def test_menu_names_the_client_and_leads_everywhere(browser, affiliate, brand):
    menu = menu_of(browser.get("/affiliate/").text)

    shop = (brand.default_redirect_url, f"Back to {brand.name}")
    assert links_of(menu) == [*OWN, ("/account/password", "Password"), shop, LEAVE]
    assert f"Signed in as {affiliate.user.email}</p>" in menu
    assert re.findall(r'<form method="post" action="([^"]*)"', menu) == [
        "/affiliate/language",
        "/affiliate/sign-out",
    ]


def test_leaving_is_no_entry_of_the_sections(browser):
    page = browser.get("/affiliate/leave").text

    [sections] = re.findall(r'<nav class="sections".*?</nav>', page, re.DOTALL)
    named = [name for _, name in links_of(sections)]
    money = [str(title) for title in MONEY.values()]
    assert money[:4] == ["Balances", "Payouts", "Payout destination", "My terms"]
    assert named[-len(money) :] == money
    assert 'href="/affiliate/leave" aria-current="page"' in menu_of(page)


def test_affiliate_who_has_left_finds_what_is_still_paid(browser, affiliate):
    affiliate.status = AffiliateStatus.LEFT
    affiliate.save()

    menu = menu_of(browser.get("/affiliate/").text)

    assert links_of(menu)[-1] == ("/affiliate/leave", "See what is still paid")


def test_language_is_chosen_at_the_foot_without_an_account(brand):
    visitor = Client(headers={"host": "shop.example.com"})

    page = visitor.get("/affiliate/program").text

    assert '<details class="account">' not in page
    assert page.count('action="/affiliate/language"') == 1


def test_staff_who_look_get_neither_the_hosts_pages_nor_a_form(affiliate, rival):
    name = get_user_model().USERNAME_FIELD
    boss = get_user_model().objects.create(
        **{name: "boss@example.com", "is_staff": True, "is_superuser": True}
    )
    browser = Client(headers={"host": "shop.example.com"})
    browser.force_login(rival.user)

    menu = menu_of(looking(affiliate, boss, browser).get("/affiliate/").text)

    assert f">{affiliate.code}</span></summary>" in menu
    assert rival.user.email not in menu
    assert "<form" not in menu
    assert "Password" not in menu
