"""Specification, sections 4.2 and 4.3: registration and conversion."""

from __future__ import annotations

import pytest

from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import Sale
from portal.clients.models import User
from tests.affiliates.api.calls import refusal
from tests.contract.frontend import BROWSER, PERSON
from tests.database import nothing_written

PUBLIC = {"id", "email", "firstname", "lastname", "is_guest", "token"}


def test_s4_2_t1_standard_client_registration(frontend):
    answer = frontend.register()

    assert answer.status_code == 201
    assert set(answer.json()) == {"data"}
    data = answer.json()["data"]
    user = User.objects.get()
    assert data == {
        "id": str(user.pk),
        "email": "ada@example.org",
        "firstname": PERSON["firstname"],
        "lastname": PERSON["lastname"],
        "is_guest": False,
        "token": data["token"],
    }


def test_s4_2_t2_guest_client_creation_for_basket_operations(frontend, product_id):
    answer = frontend.become_guest()

    assert answer.status_code == 201
    data = answer.json()["data"]
    assert data == {
        "id": str(User.objects.get().pk),
        "email": "",
        "firstname": "",
        "lastname": "",
        "is_guest": True,
        "token": data["token"],
    }
    assert frontend.buy(product_id)["id"]


def test_s4_2_t3_completion_of_a_guest_registration(frontend):
    guest = frontend.become_guest().json()["data"]
    answer = frontend.complete_registration()

    assert answer.status_code == 200
    data = answer.json()["data"]
    assert set(data) == PUBLIC
    assert (data["id"], data["is_guest"]) == (guest["id"], False)
    assert data["token"] != guest["token"]
    user = User.objects.get()
    assert (user.email, user.is_guest) == ("ada@example.org", False)


@pytest.mark.parametrize("step", ["register", "become_guest", "complete_registration"])
@pytest.mark.parametrize("with_cookie", [True, False])
def test_s4_2_1a_cookie_is_optional_beside_the_registration_fields(
    frontend, link_url, step, with_cookie
):
    if step == "complete_registration":
        frontend.become_guest()
    frontend.visit(link_url)
    if not with_cookie:
        frontend.cookie = None

    answer = getattr(frontend, step)()

    assert answer.status_code == (200 if step == "complete_registration" else 201)
    assert ClientReferral.objects.exists() is with_cookie


def test_s4_2_1b_shown_fields_are_taken_together(frontend, link_url):
    frontend.visit(link_url)
    answer = frontend.api.post(
        "/api/clients/register",
        {
            "email": "ada@example.org",
            "firstname": "Ada",
            "lastname": "Lovelace",
            "password": PERSON["password"],
            "referral_cookie": frontend.cookie,
            "user_agent": BROWSER,
        },
        format="json",
    )

    assert answer.status_code == 201
    user = User.objects.get(email="ada@example.org")
    assert (user.firstname, user.lastname) == ("Ada", "Lovelace")
    assert ClientReferral.objects.get().client_id == user.pk


def test_s4_3_t1_method_and_path(frontend, product_id):
    frontend.become_guest()
    order_id, details_id = frontend.fill_basket(product_id)
    path, body = f"/api/orders/{order_id}/convert", {"payment_details_id": details_id}
    with nothing_written():
        for method in (frontend.api.post, frontend.api.put, frontend.api.get):
            refused = method(path, body)
            assert refused.status_code in {405, 415}
    answer = frontend.api.patch(path, body, format="json")

    assert answer.status_code == 200
    data = answer.json()["data"]
    assert data == {
        "id": data["id"],
        "number": "INV-000001",
        "unpaid_amount": {"amount": "10.71", "currency": "EUR"},
        "order_id": order_id,
        "status": "converted",
        "total": {"amount": "10.71", "currency": "EUR"},
        "payment_url": None,
    }


def test_s4_3_t2_request_body_with_and_without_the_cookie(
    frontend, affiliate, link_url, product_id
):
    frontend.visit(link_url)
    cookie, frontend.cookie = frontend.cookie, None
    frontend.become_guest()
    without = frontend.buy(product_id)
    frontend.cookie = cookie
    with_cookie = frontend.buy(product_id)

    credited = {
        referral.invoice_ref: referral.affiliate_id
        for referral in OrderReferral.objects.all()
    }
    assert credited == {
        without["id"]: None,
        with_cookie["id"]: affiliate.pk,
    }


@pytest.mark.parametrize("body", [{}, {"gateway_id": 1}])
def test_a_client_without_payment_details_goes_on_to_pay(frontend, product_id, body):
    frontend.become_guest()
    order_id, _ = frontend.fill_basket(product_id)
    path = f"/api/orders/{order_id}/convert"

    converted = frontend.api.patch(path, body, format="json")

    assert converted.status_code == 200, converted.content
    data = converted.json()["data"]
    invoice = frontend.api.get(f"/api/invoices/{data['id']}").json()["data"]
    assert invoice["unpaid_amount"] == data["unpaid_amount"]
    assert invoice["bank_transfer"] == {
        "amount": data["unpaid_amount"],
        "reference": data["number"],
        "account": "",
    }


def test_s4_3_t3_cookie_is_stored_and_used_after_payment(
    frontend, affiliate, link_url, product_id
):
    frontend.visit(link_url)
    frontend.become_guest(referral_cookie=None)
    invoice = frontend.buy(product_id)
    frontend.visit(link_url)

    frontend.pay(invoice)
    frontend.pay(invoice)

    referral = OrderReferral.objects.get()
    assert referral.invoice_ref == invoice["id"]
    assert referral.referral_cookie
    sale = Sale.objects.get()
    assert (sale.affiliate_id, sale.order_referral_id) == (affiliate.pk, referral.pk)
    assert (str(sale.net.amount), sale.net.currency.code) == ("9.000", "EUR")


def test_unpaid_or_uncredited_orders_make_no_sale(frontend, product_id):
    frontend.become_guest()
    invoice = frontend.buy(product_id)
    assert not Sale.objects.exists()

    frontend.pay(invoice)

    assert not Sale.objects.exists()
    assert OrderReferral.objects.get().outcome == "nobody"


def test_refusals_have_the_described_shape(frontend, open_browser, product_id):
    frontend.become_guest()
    order_id, details_id = frontend.fill_basket(product_id)
    stranger = open_browser()
    with nothing_written():
        assert refusal(stranger.convert(order_id, details_id)) == (
            401,
            "not_authenticated",
            None,
        )
    stranger.become_guest()
    with nothing_written():
        absent = stranger.convert(order_id, details_id)
    own_order, _ = stranger.fill_basket(product_id)
    with nothing_written():
        foreign = stranger.convert(own_order, details_id)

    assert refusal(absent) == (404, "not_found", None)
    assert refusal(foreign) == (400, "invalid", "payment_details_id")
