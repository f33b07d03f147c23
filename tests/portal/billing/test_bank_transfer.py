"""An order that names no payment details is paid by bank transfer."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from affiliates.referrals.models import OrderReferral
from portal.billing.models import Invoice
from portal.billing.services import mark_paid
from portal.orders.models import PaymentDetails
from tests.affiliates.api.calls import convert, refusal
from tests.database import nothing_written
from tests.factories.portal import (
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
    StaffFactory,
)

EUROS = {"amount": "10.71", "currency": "EUR"}
ACCOUNT = "Demo Hosting, IBAN DE02 1203 0000 0000 2020 51"


@pytest.fixture
def order(client) -> str:
    order = OrderFactory(client=client)
    OrderItemFactory(order=order)
    return str(order.pk)


@pytest.fixture
def invoice(client, order, speak_as) -> Invoice:
    convert(speak_as(client), order)
    return Invoice.objects.get()


@pytest.fixture(autouse=True)
def _account(settings) -> None:
    settings.BANK_ACCOUNT = ACCOUNT


@pytest.mark.parametrize("body", [{}, {"payment_details_id": None}, {"gateway_id": 1}])
@pytest.mark.usefixtures("webhook_secrets")
def test_an_order_without_payment_details_becomes_an_unpaid_invoice(
    body, client, order, speak_as
):
    answer = convert(speak_as(client), order, **body)

    invoice = Invoice.objects.get()
    assert (answer.status_code, answer.json()) == (
        200,
        {
            "data": {
                "id": str(invoice.pk),
                "number": "INV-000001",
                "unpaid_amount": EUROS,
                "order_id": order,
                "status": "converted",
                "total": EUROS,
                "payment_url": None,
            }
        },
    )
    assert (invoice.status, invoice.gateway) == ("unpaid", "manual")
    details = PaymentDetails.objects.get()
    assert invoice.payment_details == details
    assert (details.client, details.gateway, details.label) == (
        client,
        "manual",
        "Bank transfer",
    )
    assert OrderReferral.objects.get().invoice_ref == str(invoice.pk)


def test_a_repeat_answers_the_same_also_once_paid(
    client, order, invoice, speak_as, now
):
    api = speak_as(client)
    first = convert(api, order).json()
    mark_paid(invoice_id=invoice.pk, now=now)

    with nothing_written():
        repeats = [convert(api, order), convert(api, order, payment_details_id=7)]

    assert [one.json() for one in repeats] == [first, first]
    assert first["data"]["unpaid_amount"] == EUROS


def test_an_empty_basket_is_refused(client, speak_as):
    empty = OrderFactory(client=client)
    api = speak_as(client)

    with nothing_written():
        answer = convert(api, empty.pk)

    assert refusal(answer) == (400, "basket_empty", None)


def test_anothers_payment_details_are_refused(client, other_client, order, speak_as):
    details = PaymentDetailsFactory(client=other_client)
    api = speak_as(client)

    with nothing_written():
        answer = convert(api, order, payment_details_id=details.pk)

    assert refusal(answer) == (400, "invalid", "payment_details_id")


def test_the_invoice_says_what_to_transfer_until_it_is_paid(
    client, invoice, speak_as, now
):
    api, path = speak_as(client), f"/api/invoices/{invoice.pk}"

    unpaid = api.get(path).json()["data"]
    mark_paid(invoice_id=invoice.pk, now=now)
    paid = api.get(path).json()["data"]

    assert unpaid["unpaid_amount"] == EUROS
    assert unpaid["bank_transfer"] == {
        "amount": EUROS,
        "reference": "INV-000001",
        "account": ACCOUNT,
    }
    assert paid["unpaid_amount"] == {"amount": "0.00", "currency": "EUR"}
    assert paid["bank_transfer"] is None


@pytest.mark.usefixtures("webhook_secrets")
def test_an_invoice_of_a_gateway_is_not_transferred(client, invoice_of, speak_as):
    invoice = invoice_of(client, gateway="acme")

    data = speak_as(client).get(f"/api/invoices/{invoice.pk}").json()["data"]

    assert data["unpaid_amount"] == EUROS
    assert data["bank_transfer"] is None


def test_staff_see_what_to_wait_for_until_they_mark_it_paid(invoice, now):
    staff = Client()
    staff.force_login(StaffFactory(is_superuser=True))
    page = reverse("admin:portal_invoice_change", args=[invoice.pk])
    expected = "€10.71 with the reference INV-000001"

    unpaid = staff.get(page).content.decode()
    mark_paid(invoice_id=invoice.pk, now=now)
    paid = staff.get(page).content.decode()

    assert expected in unpaid
    assert expected not in paid
