"""What is refused or repeated as expected is no error in PostgreSQL's log.

The log would quote the whole statement: the password's hash, the cookie, the message.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import DatabaseError, connection
from django.utils import timezone
from moneyed import Money

from affiliates.contracts import (
    ClientRegistration,
    OrderConversion,
    RegistrationCompletion,
)
from affiliates.errors import InvalidInput, StateConflict
from affiliates.referrals.models import OrderReferral
from affiliates.settlement.services import convert_order
from portal.billing.models import Payment
from portal.billing.payment_events import PaymentEvent
from portal.billing.services import record_payment
from portal.billing.webhooks import receive_webhook, sign
from portal.clients.credit import add_credit
from portal.clients.models import User, WalletEntry
from portal.clients.services import complete_registration, register_client
from tests.factories.portal import PASSWORD, ClientFactory, GuestFactory
from tests.races import at_once, needs_postgresql

ADA = {"firstname": "Ada", "lastname": "Lovelace", "password": PASSWORD}
TAKEN = "ada@example.com"


@contextmanager
def no_errors_in_the_database() -> Iterator[None]:
    errors = []

    def watch(execute, statement, values, many, context):
        try:
            return execute(statement, values, many, context)
        except DatabaseError as error:
            errors.append(f"{type(error).__name__}: {statement}")
            raise

    with connection.execute_wrapper(watch):
        yield
    assert errors == []


def test_registering_a_taken_email(brand, now):
    ClientFactory(brand=brand, email=TAKEN)

    with no_errors_in_the_database(), pytest.raises(InvalidInput) as refusal:
        register_client(
            ClientRegistration(brand_id=brand.pk, email=TAKEN, **ADA), now=now
        )

    assert (refusal.value.code, refusal.value.field) == ("email_taken", "email")
    assert User.objects.count() == 1


def test_completing_a_registration_with_a_taken_email(brand, now):
    ClientFactory(brand=brand, email=TAKEN)
    guest = GuestFactory(brand=brand)

    with no_errors_in_the_database(), pytest.raises(InvalidInput) as refusal:
        complete_registration(
            RegistrationCompletion(client_id=str(guest.pk), email=TAKEN, **ADA), now=now
        )

    assert (refusal.value.code, refusal.value.field) == ("email_taken", "email")
    guest.refresh_from_db()
    assert guest.is_guest
    assert guest.email != TAKEN


def test_a_repeated_conversion(host, brand, now):
    client = host.client(brand, email=TAKEN)
    conversion = OrderConversion(
        order_ref=host.order(client),
        client_id=str(client.pk),
        payment_details_id=host.payment_details_id(client),
    )

    with no_errors_in_the_database():
        first, repeat = (
            convert_order(
                conversion=conversion,
                origin_brand_id=None,
                referral_cookie="a cookie of somebody",
                now=now,
            )
            for _ in range(2)
        )

    assert repeat == first
    assert OrderReferral.objects.count() == 1


def test_a_payments_reference_of_another_invoice(brand, invoice_of, client, now):
    paid, unpaid = invoice_of(client), invoice_of(client)

    def pay(invoice):
        record_payment(
            invoice_id=invoice.pk,
            gateway="acme",
            reference="payment-1",
            amount=invoice.gross,
            now=now,
        )

    with no_errors_in_the_database():
        pay(paid)
        with pytest.raises(StateConflict) as refusal:
            pay(unpaid)

    assert refusal.value.code == "reference_used"
    assert [payment.invoice for payment in Payment.objects.all()] == [paid]
    unpaid.refresh_from_db()
    assert unpaid.status == "unpaid"


@pytest.mark.usefixtures("webhook_secrets")
def test_a_repeated_message_of_a_gateway(settings, db):
    body, now = b'{"type": "payment.pending"}', timezone.now()
    secret = settings.PAYMENT_WEBHOOK_SECRETS["acme"]
    message = {
        "gateway": "acme",
        "headers": sign(secret=secret, event_id="event-1", body=body, now=now),
        "body": body,
        "now": now,
    }

    with no_errors_in_the_database():
        first, repeat = receive_webhook(**message), receive_webhook(**message)

    assert repeat == first == PaymentEvent.objects.get()


def test_a_repeated_credit(client, now):
    credit = {
        "client_id": client.pk,
        "amount": Money("5.00", "EUR"),
        "reason": "Sorry",
        "reference": "sorry-1",
        "now": now,
    }

    with no_errors_in_the_database():
        first, repeat = add_credit(**credit), add_credit(**credit)

    assert repeat == first == WalletEntry.objects.get()


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_20_racing_registrations_one_gets_the_email_and_none_is_logged(brand, now):
    def register(number: int) -> str:
        try:
            with no_errors_in_the_database():
                register_client(
                    ClientRegistration(brand_id=brand.pk, email=TAKEN, **ADA), now=now
                )
        except InvalidInput as refusal:
            return refusal.code
        return "registered"

    answers = at_once(20, register)

    assert sorted(answers) == ["email_taken"] * 19 + ["registered"]
    assert User.objects.get().email == TAKEN
