"""What a client sees of their own in the shop, without scripts."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client

from portal.billing.services import mark_paid
from portal.clients.models import User
from portal.orders.services import end_service
from tests.factories.affiliates import BrandDomainFactory, BrandFactory
from tests.factories.portal import PASSWORD, ClientFactory, OrderFactory

SHOP = "shop.localhost:8000"
NOTHING_ORDERED = "You have ordered nothing yet."
NO_INVOICES = "You have no invoices yet."


@pytest.fixture(autouse=True)
def _shop(brand):
    BrandDomainFactory(brand=brand, host=SHOP)


def read(user: User, path: str, *, status: int = 200) -> str:
    person = Client(headers={"host": SHOP})
    person.force_login(user, "portal.clients.backends.ClientBackend")
    answer = person.get(path)
    assert answer.status_code == status
    return " ".join(answer.content.decode().split())


def test_orders_and_invoices_with_their_states(client, invoice_of, now, told):
    paid, unpaid, ended = (invoice_of(client, quantity=n) for n in (2, 1, 1))
    for one in (paid, ended):
        mark_paid(invoice_id=one.pk, now=now)
    end_service(order_id=ended.order_id, reason="Moved", now=now)
    OrderFactory(client=client)  # A basket is no order yet.

    page = read(client, "/account")

    orders, invoices = page.split('<h2 id="invoices">')
    row = "<tr> <td>1 Mar 2026</td> <td>{} × Business</td> <td>{}</td>"
    for quantity, state in ((2, "Paid"), (1, "Unpaid"), (1, "Ended")):
        assert row.format(quantity, state) in orders
    assert orders.count("<tr> <td>") == 3
    assert (
        f'<td><a href="/account/invoices/{paid.pk}">INV-000001</a></td> '
        "<td>1 Mar 2026</td> <td>Paid</td> "
        '<td class="number"> €21.42 <small>€18.00 and €3.42 tax</small>'
    ) in invoices
    assert invoices.count("<tr> <td>") == 3
    assert NOTHING_ORDERED not in page
    assert NO_INVOICES not in page


def test_whoever_has_none_is_told_so(client, other_client, invoice_of):
    invoice_of(other_client)

    page = read(client, "/account")

    assert NOTHING_ORDERED in page
    assert NO_INVOICES in page
    assert "INV-" not in page


def test_older_rows_are_on_further_pages(client, invoice_of, monkeypatch):
    for module in ("portal.orders.selectors", "portal.storefront.account"):
        monkeypatch.setattr(f"{module}.ORDERS_PER_PAGE", 2)
    for module in ("portal.billing.selectors", "portal.storefront.account"):
        monkeypatch.setattr(f"{module}.INVOICES_PER_PAGE", 2)
    for _ in range(3):
        invoice_of(client)

    first = read(client, "/account")
    second = read(client, "/account?orders=2&invoices=2")

    assert "?orders=2#orders" in first
    assert "?invoices=2#invoices" in first
    assert "Newest" not in first
    assert first.count("INV-00000") == 2
    assert second.count("INV-00000") == 1
    assert "?invoices=2#orders" in second
    assert "Older" not in second


@pytest.mark.parametrize("number", ["0", "-1", "x", "9" * 30, "%00"])
def test_a_page_that_is_none_breaks_nothing(number, client):
    assert NO_INVOICES in read(client, f"/account?orders={number}&invoices={number}")


def test_the_account_asks_as_much_of_the_database_however_long_it_is(
    client, invoice_of, django_assert_num_queries, settings
):
    person = Client(headers={"host": SHOP})
    person.force_login(client, "portal.clients.backends.ClientBackend")
    # The language is kept, and the brand's configuration.
    assert person.get("/account").status_code == 200
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600
    for _ in range(2):
        invoice_of(client)
        # The session and its client; the orders, their items, products and first
        # invoices; the invoices and their lines.
        with django_assert_num_queries(8):
            person.get("/account")


def test_an_invoice_is_whole_and_says_where_to_pay(
    client, invoice_of, webhook_secrets, now, told
):
    invoice = invoice_of(client, gateway="demo", quantity=2)
    path = f"/account/invoices/{invoice.pk}"

    unpaid = read(client, path)
    mark_paid(invoice_id=invoice.pk, now=now + timedelta(days=1))
    paid = read(client, path)

    for said in (
        "Invoice INV-000001",
        client.email,
        client.brand.name,
        "2 × €9.00 · tax 19.00 %",
    ):
        assert said in unpaid
    for label, amount in (("Net", "€18.00"), ("Tax", "€3.42"), ("Total", "€21.42")):
        assert (
            f'<th scope="row">{label}</th><td class="number">{amount}</td></tr>'
        ) in unpaid
    assert (
        f'href="http://api.localhost:8000/demo-bank/{invoice.pk}'
        "?return_url=http%3A%2F%2Fshop.localhost%3A8000%2Faccount%2Finvoices%2F"
    ) in unpaid
    assert "Paid on 2 Mar 2026" in paid
    assert "demo-bank" not in paid


def test_an_invoice_that_is_paid_by_hand_says_so(client, invoice_of, settings):
    settings.BANK_ACCOUNT = "Demo Hosting, IBAN DE02 1203 0000 0000 2020 51"
    invoice = invoice_of(client)

    page = read(client, f"/account/invoices/{invoice.pk}")

    assert "Please transfer €10.71 with the reference INV-000001." in page
    assert "Account: Demo Hosting, IBAN DE02 1203 0000 0000 2020 51" in page


def test_anothers_invoice_is_a_page_that_does_not_exist(
    client, other_client, other_brand, invoice_of
):
    foreign = (other_client, ClientFactory(brand=other_brand))
    for name in (*(invoice_of(one).pk for one in foreign), "x", "INV-000001"):
        path = f"/account/invoices/{name}"
        page = read(client, path, status=404)
        assert "This page does not exist" in page
        # Where a choice of language leads back to is all that names it.
        assert "INV-0" not in page.replace(path, "")


def test_without_a_session_an_invoice_asks_for_the_login(client, invoice_of):
    path = f"/account/invoices/{invoice_of(client).pk}"

    answer = Client(headers={"host": SHOP}).get(path)

    assert (answer.status_code, answer["Location"]) == (302, f"/login?next={path}")


def test_login_begins_with_the_address_of_a_new_affiliate_until_signed_in(client):
    person = Client(headers={"host": SHOP})
    session = person.session
    session["affiliates_joined_email"] = "ada@example.com"
    session.save()

    page = person.get("/login").text
    answer = person.post("/login", {"email": client.email, "password": PASSWORD})

    assert 'required value="ada@example.com"' in page
    assert answer.status_code == 302
    assert "affiliates_joined_email" not in person.session


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/account", 302),
        ("/account/sessions", 302),
        ("/account/password", 302),
        ("/account/second-factor", 302),
    ],
)
def test_a_session_opens_no_page_of_another_brand_s_shop(
    client, path, status, settings
):
    other = "shop.other.example"
    settings.ALLOWED_HOSTS = ["*"]
    BrandFactory(client_area=other)
    person = Client(headers={"host": other})
    person.force_login(client, "portal.clients.backends.ClientBackend")

    answer = person.get(path)

    assert answer.status_code == status
    assert answer["Location"].startswith("/login")
    assert person.post("/account/token").status_code == 401
