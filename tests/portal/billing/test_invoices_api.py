from __future__ import annotations

from uuid import uuid4

import pytest

from portal.billing.selectors import get_invoice, list_invoices
from portal.billing.serializers import InvoiceDetailSerializer
from portal.billing.services import mark_paid
from tests.factories.portal import ClientFactory
from tests.portal.conftest import NOT_FOUND


def path(invoice: object) -> str:
    return f"/api/invoices/{getattr(invoice, 'pk', invoice)}"


def test_an_invoice_is_answered_whole(client, invoice_of, speak_as):
    invoice = invoice_of(client, quantity=2)

    response = speak_as(client).get(path(invoice))

    assert response.status_code == 200
    (line,) = invoice.lines.all()
    assert response.json()["data"] == {
        "id": str(invoice.pk),
        "number": "INV-000001",
        "order_id": str(invoice.order_id),
        "renewal_number": 0,
        "status": "unpaid",
        "created_at": "2026-03-01T12:00:00Z",
        "paid_at": None,
        "lines": [
            {
                "description": "Business",
                "sku": line.product_ref,
                "kind": "hosting",
                "tld": "",
                "operation": "",
                "billing_cycle": "monthly",
                "quantity": 2,
                "unit_price": {"amount": "9.00", "currency": "EUR"},
                "tax_rate": "19.00",
                "discount": {"amount": "0.00", "currency": "EUR"},
                "net": {"amount": "18.00", "currency": "EUR"},
                "tax": {"amount": "3.42", "currency": "EUR"},
            }
        ],
        "discount": {"amount": "0.00", "currency": "EUR"},
        "net": {"amount": "18.00", "currency": "EUR"},
        "tax": {"amount": "3.42", "currency": "EUR"},
        "total": {"amount": "21.42", "currency": "EUR"},
        "unpaid_amount": {"amount": "21.42", "currency": "EUR"},
        "bank_transfer": {
            "amount": {"amount": "21.42", "currency": "EUR"},
            "reference": "INV-000001",
            "account": "",
        },
        "payment_url": None,
    }


@pytest.mark.usefixtures("webhook_secrets")
def test_an_unpaid_invoice_of_the_demo_gateway_says_where_to_pay(
    guest, invoice_of, speak_as, now, told
):
    invoice = invoice_of(guest, gateway="demo")
    api = speak_as(guest)

    unpaid = api.get(path(invoice)).json()["data"]
    mark_paid(invoice_id=invoice.pk, now=now)
    paid = api.get(path(invoice)).json()["data"]

    assert unpaid["payment_url"] == f"/demo-bank/{invoice.pk}"
    assert paid["payment_url"] is None
    assert (paid["status"], paid["paid_at"]) == ("paid", "2026-03-01T12:00:00Z")


@pytest.mark.parametrize(
    "_case", ["another client's", "another brand's", "absent", "malformed", "a number"]
)
def test_any_other_invoice_is_404(
    _case, client, other_client, other_brand, invoice_of, speak_as
):
    invoice = {
        "another client's": lambda: invoice_of(other_client),
        "another brand's": lambda: invoice_of(ClientFactory(brand=other_brand)),
        "absent": uuid4,
        "malformed": lambda: "x" * 5000,
        "a number": lambda: invoice_of(other_client).number,
    }[_case]()

    response = speak_as(client).get(path(invoice))

    assert (response.status_code, response.json()) == (404, NOT_FOUND)


def test_invoices_are_listed_whole_and_the_newest_first(
    client, other_client, invoice_of, speak_as, monkeypatch, django_assert_num_queries
):
    monkeypatch.setattr("portal.billing.selectors.INVOICES_PER_PAGE", 2)
    invoices = [invoice_of(client) for _ in range(3)]
    invoice_of(other_client)
    api = speak_as(client)

    with django_assert_num_queries(2):  # the invoices and their lines
        found = list_invoices(client=client, page=1)
        InvoiceDetailSerializer(found, many=True).data  # noqa: B018 - reads every field
    first = api.get("/api/invoices").json()["data"]
    second = api.get("/api/invoices", {"page": 2}).json()["data"]

    newest = sorted(invoices, key=lambda one: one.pk, reverse=True)
    listed = [one["id"] for one in (*first, *second)]
    assert listed == [str(one.pk) for one in newest]
    assert second == [api.get(path(newest[2])).json()["data"]]
    assert api.get("/api/invoices", {"page": "0"}).status_code == 400


def test_an_invoice_is_read_in_two_queries(
    client, invoice_of, django_assert_num_queries
):
    invoice = invoice_of(client)

    with django_assert_num_queries(2):  # the invoice and its lines
        found = get_invoice(client=client, invoice_id=str(invoice.pk))
        InvoiceDetailSerializer(found).data  # noqa: B018 - reads every field


def test_an_invoice_cannot_be_changed_through_the_api(client, invoice_of, speak_as):
    invoice = invoice_of(client)
    api = speak_as(client)

    for call in (api.post, api.put, api.patch, api.delete):
        assert call(path(invoice), {"status": "paid"}, format="json").status_code == 405
