"""Nothing that a visitor or client reads in the shop is left in English."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.auth.tokens import default_token_generator
from django.test import Client
from django.urls import URLPattern

from affiliates.extending import LINK_ROUTE
from portal.billing.services import mark_paid
from portal.demo.urls import urlpatterns as demo_patterns
from portal.storefront.urls import urlpatterns as shop_patterns
from tests.factories.affiliates import BrandDomainFactory
from tests.texts import WORD, Texts

ROOT = Path(__file__).resolve().parents[2]
SHOP = "shop.localhost:8000"
HELP = "docs.shop.localhost:8000"
SERVICE = "api.localhost:8000"
LINK = f"aff/{'0123456789' * 4}"
# Each route of the pages, and what of it is read; nothing of what is posted to.
ROWS = {
    "": ((SHOP, ""), (HELP, ""), (SERVICE, "")),
    "plans": ((SHOP, "plans"),),
    "register": ((SHOP, "register"),),
    "basket": ((SHOP, "basket"),),
    "checkout": ((SHOP, "checkout"),),
    "pay": ((SHOP, "pay"),),
    "thank-you": ((SHOP, "thank-you"),),
    "login": ((SHOP, "login"),),
    # Read by tests/portal/clients/test_second_factor_login.py, after a password.
    "login/code": (),
    "logout": (),
    "password-reset": ((SHOP, "password-reset"),),
    "password-reset/sent": ((SHOP, "password-reset/sent"),),
    "password-reset/<str:token>": (
        (SHOP, "password-reset/{token}"),
        (SHOP, "password-reset/ended"),
    ),
    "account": ((SHOP, "account"),),
    "account/invoices/<str:invoice_id>": (
        (SHOP, "account/invoices/{unpaid}"),
        (SHOP, "account/invoices/{paid}"),
    ),
    "account/sessions": ((SHOP, "account/sessions"),),
    "account/password": ((SHOP, "account/password"),),
    "account/second-factor": ((SHOP, "account/second-factor"),),
    "account/confirm": ((SHOP, "account/confirm"),),
    "account/token": (),
    # What the scripts say is compared by tests/test_translations.py.
    "legal": ((SHOP, "legal"),),
    "texts/<str:language>.js": (),
    LINK_ROUTE: ((SHOP, LINK),),
    r"^(?P<path>(?!api/|admin/|static/).+)\Z": ((SHOP, "nothing"),),
    "demo-bank/<uuid:invoice_id>": (
        (SERVICE, "demo-bank/{unpaid}"),
        (SERVICE, "demo-bank/{paid}?return_url=http://shop.localhost:8000/"),
    ),
}
# The same in German, a key, or a name: of languages, brands, products, clients, invoices.
ALIKE = re.compile(
    r"(English|Deutsch|Extras|Demo Hosting|Brand \d+|Business|First\d* Last\d*|"
    r"INV-\d+|\S+@\S+|Code|[A-Z2-7]{32}|\W|\d)*"
)
CODE = re.compile(r"(?:InvalidInput|StateConflict)\(\s*\"(\w+)\"")
# What the shop's scripts never ask for, or staff alone do.
NOT_ASKED = {"already_ended", "invalid", "not_converted"}


def test_every_route_has_its_row():
    patterns = [*shop_patterns, *demo_patterns]

    assert {_route(one) for one in patterns} == set(ROWS)


def test_every_page_is_in_german(client, invoice_of, webhook_secrets, now, told):
    """What two languages have alike is a name, or was forgotten."""
    paid, unpaid = (invoice_of(client, gateway="demo") for _ in range(2))
    invoice_of(client)
    mark_paid(invoice_id=paid.pk, now=now)
    BrandDomainFactory(brand=client.brand, host=SHOP)
    person = Client()
    person.force_login(client, "portal.clients.backends.ClientBackend")
    client.refresh_from_db()
    token = f"{client.pk.hex}-{default_token_generator.make_token(client)}"
    pages = [
        (host, path.format(paid=paid.pk, unpaid=unpaid.pk, token=token))
        for row in ROWS.values()
        for host, path in row
    ]

    forgotten = {
        (path, text)
        for visitor in (person, Client())
        for host, path in pages
        for text in _alike(visitor, host, path)
        if WORD.search(text) and not ALIKE.fullmatch(text)
    }

    assert sorted(forgotten) == []


def test_amounts_and_dates_are_as_german_writes_them(client, invoice_of):
    BrandDomainFactory(brand=client.brand, host=SHOP)
    invoice = invoice_of(client, quantity=2)
    person = Client(headers={"host": SHOP, "accept-language": "de"})
    person.force_login(client, "portal.clients.backends.ClientBackend")

    page = person.get(f"/account/invoices/{invoice.pk}").text.replace("\xa0", " ")

    for said in (
        "1. März 2026",
        "2 × 9,00 €",
        "Steuer 19,00 %",
        "21,42 €",
        "Business · Monatlich",
    ):
        assert said in page


def test_refusals_of_the_login_are_in_german(brand):
    person = Client(headers={"host": SHOP, "accept-language": "de"})

    page = person.post("/login", {"email": "nobody@example.com"})

    assert page.status_code == 400
    assert "Dieses Feld ist zwingend erforderlich." in page.text


@pytest.mark.parametrize(
    "module",
    ["clients/services", "orders/services", "orders/rules", "billing/invoicing"],
)
def test_the_scripts_have_words_for_what_the_shop_refuses(module):
    """They know a refusal by its code, for the API's sentences are English."""
    spoken = (ROOT / "portal/static/storefront/js/refusals.js").read_text("utf-8")
    codes = set(CODE.findall((ROOT / f"portal/{module}.py").read_text("utf-8")))

    # What does not exist is said by its field.
    missing = codes - NOT_ASKED - {"required", "does_not_exist"}

    assert codes
    assert {code for code in missing if f"  {code}: " not in spoken} == set()


def _route(pattern: URLPattern) -> str:
    return str(pattern.pattern)


def _alike(visitor: Client, host: str, path: str) -> set[str]:
    pages = [
        visitor.get(f"/{path}", headers={"host": host, "accept-language": language})
        for language in ("en", "de")
    ]
    if pages[0].status_code == 302:
        return set()
    return set.intersection(*(Texts(page.text).found for page in pages))
