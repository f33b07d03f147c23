from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.test import Client
from moneyed import Money

from portal.billing.models import Invoice, Payment
from portal.billing.payment_events import PaymentEvent
from portal.demo.bank import permitted_return_url

SHOP = "http://shop.localhost:8000"

pytestmark = pytest.mark.usefixtures("webhook_secrets")


@pytest.fixture
def invoice(client, invoice_of) -> Invoice:
    return invoice_of(client, gateway="demo")


@pytest.fixture
def browser() -> Client:
    return Client(enforce_csrf_checks=True)


def press_pay(browser: Client, path: str):
    """Open the page and send its form, as a browser would."""
    browser.get(path)
    token = browser.cookies["csrftoken"].value
    return browser.post(path, {"csrfmiddlewaretoken": token})


def test_the_page_shows_what_is_to_pay(browser, invoice):
    page = browser.get(f"/demo-bank/{invoice.pk}").content.decode()

    assert "€10.71" in page
    assert invoice.number in page
    assert 'id="pay"' in page
    assert invoice.brand.name in page


def test_paying_takes_the_way_of_every_gateway(browser, invoice, told):
    response = press_pay(browser, f"/demo-bank/{invoice.pk}")

    assert response.status_code == 200
    assert 'id="paid"' in response.content.decode()
    payment = Payment.objects.get()
    assert (payment.gateway, payment.reference) == ("demo", f"demo-{invoice.pk}")
    assert payment.amount == Money("10.71", "EUR")
    event = PaymentEvent.objects.get()
    assert (event.gateway, event.outcome) == ("demo", "processed")
    assert json.loads(event.body)["type"] == "payment.succeeded"
    assert len(told) == 1


def test_the_client_is_sent_back_to_the_shop(browser, invoice, told):
    target = f"{SHOP}/thank-you?invoice=1"

    response = press_pay(browser, f"/demo-bank/{invoice.pk}?return_url={target}")

    assert (response.status_code, response["Location"]) == (302, target)


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "javascript:alert(1)", "//evil.example", ""]
)
def test_nobody_is_sent_elsewhere(target, browser, invoice, told):
    response = press_pay(browser, f"/demo-bank/{invoice.pk}?return_url={target}")

    assert response.status_code == 200
    assert "evil" not in response.content.decode()
    assert Payment.objects.count() == 1


def test_paying_twice_is_harmless(browser, invoice, told):
    press_pay(browser, f"/demo-bank/{invoice.pk}")

    response = browser.post(
        f"/demo-bank/{invoice.pk}",
        {"csrfmiddlewaretoken": browser.cookies["csrftoken"].value},
    )

    assert response.status_code == 200
    assert Payment.objects.count() == 1
    assert len(told) == 1


def test_a_form_of_another_site_pays_nothing(browser, invoice, told):
    response = browser.post(f"/demo-bank/{invoice.pk}")

    assert response.status_code == 403
    assert not Payment.objects.exists()


def test_an_unknown_invoice_is_404(browser, db):
    assert browser.get(f"/demo-bank/{uuid4()}").status_code == 404
    assert browser.get("/demo-bank/x").status_code == 404


@pytest.mark.parametrize("_case", ["off", "without a secret"])
def test_there_is_no_bank_when_the_demo_is(_case, browser, invoice, settings):
    # The first request loads the URLs, which a process without the demo lacks.
    assert browser.get(f"/demo-bank/{invoice.pk}").status_code == 200

    if _case == "off":
        settings.DEMO_GATEWAY = False
    else:
        settings.PAYMENT_WEBHOOK_SECRETS = {}

    assert browser.get(f"/demo-bank/{invoice.pk}").status_code == 404
    assert not Payment.objects.exists()


@pytest.mark.parametrize(
    ("_case", "wanted", "permitted"),
    [
        ("the shop", f"{SHOP}/thanks", f"{SHOP}/thanks"),
        ("the shop as browsers read it", " HTTP://SHOP.localhost:8000\\a", f"{SHOP}/a"),
        ("another port", "http://shop.localhost:9000/", None),
        ("another scheme", "https://shop.localhost:8000/", None),
        ("another host", "http://shop.localhost.evil.example:8000/", None),
        ("the shop as user name", "http://shop.localhost:8000@evil.example/", None),
        ("backslashes", "\\\\evil.example", None),
        ("tab", "/\t/evil.example", None),
        ("blob of the shop", f"blob:{SHOP}/0197", None),
        ("script", "javascript:alert(1)", None),
        ("data", "data:text/html,x", None),
        ("relative", "/thanks", None),
        ("lone surrogate", "http://\ud800", None),
        ("nothing", "", None),
    ],
)
def test_return_is_permitted_to_the_shop_alone(_case, wanted, permitted):
    assert permitted_return_url(wanted) == permitted
