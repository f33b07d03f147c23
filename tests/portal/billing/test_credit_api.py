"""Paying with account credit, and its way back."""

from __future__ import annotations

from uuid import uuid4

import pytest
from moneyed import Money

from affiliates.errors import InvalidInput, StateConflict
from portal.billing.models import Payment, Refund
from portal.billing.services import mark_paid, pay_with_credit, record_refund
from portal.clients.credit import balance_of
from portal.clients.models import WalletEntry
from tests.factories.portal import WalletEntryFactory
from tests.portal.conftest import NOT_FOUND
from tests.races import at_once, needs_postgresql

GROSS = Money("10.71", "EUR")


def path(invoice) -> str:
    return f"/api/invoices/{invoice.pk}/pay_with_credit"


def balance(client) -> Money:
    return balance_of(client.pk, currency="EUR")


@pytest.fixture
def invoice(client, invoice_of):
    return invoice_of(client)


@pytest.fixture
def credit(client) -> WalletEntry:
    return WalletEntryFactory(client=client)


@pytest.fixture
def paid(invoice, credit, now, told):
    pay_with_credit(invoice_id=invoice.pk, now=now)
    invoice.refresh_from_db()
    return invoice


def test_credit_pays_the_whole_invoice(client, invoice, credit, speak_as, told):
    response = speak_as(client).post(path(invoice), {}, format="json")

    assert response.status_code == 200
    data = response.json()["data"]
    assert (data["id"], data["status"]) == (str(invoice.pk), "paid")
    assert balance(client) == Money("39.29", "EUR")
    assert Payment.objects.get().gateway == "account_credit"
    (event,) = told
    assert event.gross == GROSS
    assert [line.credit for line in event.lines] == [Money("9.00", "EUR")]


def test_paying_again_is_harmless(client, invoice, credit, speak_as, told):
    answers = [
        speak_as(client).post(path(invoice), {}, format="json") for _ in range(2)
    ]

    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert balance(client) == Money("39.29", "EUR")
    assert len(told) == 1


def test_exactly_enough_is_enough(client, invoice, speak_as, told):
    WalletEntryFactory(client=client, amount=1071)

    response = speak_as(client).post(path(invoice), {}, format="json")

    assert response.status_code == 200
    assert balance(client) == Money(0, "EUR")


@pytest.mark.parametrize(
    ("_case", "entry"),
    [
        ("a cent too little", {"amount": 1070}),
        ("another currency", {"currency": "USD"}),
    ],
)
def test_too_little_pays_nothing(_case, entry, client, invoice, speak_as, told):
    WalletEntryFactory(client=client, **entry)

    response = speak_as(client).post(path(invoice), {}, format="json")

    assert response.status_code == 409
    assert response.json()["errors"][0]["code"] == "insufficient_credit"
    invoice.refresh_from_db()
    assert (invoice.status, invoice.paid_at) == ("unpaid", None)
    assert not Payment.objects.exists()
    assert WalletEntry.objects.count() == 1
    assert told == []


def test_an_invoice_paid_otherwise_is_not_paid_again(
    client, invoice, credit, speak_as, now, told
):
    mark_paid(invoice_id=invoice.pk, now=now)

    response = speak_as(client).post(path(invoice), {}, format="json")

    assert response.status_code == 409
    assert response.json()["errors"][0]["code"] == "already_paid"
    assert balance(client) == Money("50.00", "EUR")


def test_nobody_pays_with_anothers_credit(
    other_client, invoice, credit, speak_as, told
):
    response = speak_as(other_client).post(path(invoice), {}, format="json")

    assert (response.status_code, response.json()) == (404, NOT_FOUND)
    assert WalletEntry.objects.count() == 1
    assert told == []


def test_it_cannot_be_chosen_beforehand(client, speak_as):
    response = speak_as(client).post(
        "/api/payment_details", {"gateway": "account_credit"}, format="json"
    )

    assert response.status_code == 400


def test_a_refund_goes_back_to_the_credit(client, paid, now, told):
    for reference, amount in (("one", "3.00"), ("two", "7.71"), ("two", "7.71")):
        record_refund(
            invoice_id=paid.pk,
            gateway="manual",
            reference=reference,
            amount=Money(amount, "EUR"),
            kind="refund",
            now=now,
        )

    assert balance(client) == Money("50.00", "EUR")
    assert Refund.objects.count() == 2
    assert len(told) == 3


def test_credit_cannot_be_charged_back(client, paid, now, told):
    with pytest.raises(InvalidInput):
        record_refund(
            invoice_id=paid.pk,
            gateway="manual",
            reference="one",
            amount=GROSS,
            kind="chargeback",
            now=now,
        )

    assert not Refund.objects.exists()
    assert balance(client) == Money("39.29", "EUR")


def test_the_client_reads_its_credit(client, credit, paid, speak_as):
    response = speak_as(client).get("/api/account_credit")

    assert response.status_code == 200
    data = response.json()["data"]
    assert data["balances"] == [{"amount": "39.29", "currency": "EUR"}]
    assert [
        (entry["amount"]["amount"], entry["reason"]) for entry in data["entries"]
    ] == [("-10.71", "Payment of invoice INV-000001"), ("50.00", credit.reason)]


def test_a_client_without_credit_has_none(client, other_client, credit, speak_as):
    data = speak_as(other_client).get("/api/account_credit").json()["data"]

    assert data == {"balances": [], "entries": []}


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_racing_payments_of_two_invoices_spend_the_credit_once(
    client, invoice_of, now, told
):
    WalletEntryFactory(client=client, amount=1071)
    invoices = [invoice_of(client), invoice_of(client)]

    def pay(number: int) -> str:
        try:
            pay_with_credit(invoice_id=invoices[number % 2].pk, now=now)
        except StateConflict as refusal:
            return refusal.code
        return "paid"

    outcomes = at_once(2, pay)

    assert sorted(outcomes) == ["insufficient_credit", "paid"]
    assert balance(client) == Money(0, "EUR")


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_racing_payments_of_one_invoice_pay_it_once(client, invoice, credit, now, told):
    payments = at_once(20, lambda _: pay_with_credit(invoice_id=invoice.pk, now=now).pk)

    assert len(set(payments)) == 1
    assert balance(client) == Money("39.29", "EUR")


def test_an_absent_invoice_is_not_found(client, speak_as):
    response = speak_as(client).post(f"/api/invoices/{uuid4()}/pay_with_credit", {})

    assert response.status_code == 404
