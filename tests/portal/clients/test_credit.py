from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from moneyed import Money

from affiliates.errors import InvalidInput, NotFound, StateConflict
from portal.clients.credit import add_credit, balance_of, balances_of, spend_credit
from portal.clients.models import WalletEntry
from tests.factories.portal import StaffFactory, WalletEntryFactory
from tests.races import at_once, needs_postgresql

FIVE = Money("5.00", "EUR")


def add(client, now, **changes) -> WalletEntry:
    values = {"amount": FIVE, "reason": "A present", "reference": "payout:1"}
    return add_credit(client_id=client.pk, **{**values, **changes}, now=now)


def test_the_balance_is_the_sum_of_the_entries(client, now):
    add(client, now)
    add(client, now, amount=Money("0.01", "EUR"), reference="payout:2")
    add(client, now, amount=Money("700", "JPY"), reference="payout:3")
    add(client, now, amount=Money("1.234", "KWD"), reference="payout:4")
    spend_credit(
        client_id=client.pk,
        amount=Money("2.00", "EUR"),
        reason="Payment",
        reference="payment:1",
        now=now,
    )

    assert balances_of(client.pk) == [
        Money("3.01", "EUR"),
        Money("700", "JPY"),
        Money("1.234", "KWD"),
    ]
    assert balance_of(client.pk, currency="USD") == Money(0, "USD")


def test_the_same_reference_adds_once(client, now):
    first = add(client, now)

    assert add(client, now) == first
    assert balance_of(client.pk, currency="EUR") == FIVE


@pytest.mark.parametrize(
    ("_case", "changes"),
    [
        ("another amount", {"amount": Money("6.00", "EUR")}),
        ("another currency", {"amount": Money("5.00", "USD")}),
    ],
)
def test_a_reference_stands_for_one_thing(_case, changes, client, now):
    add(client, now)

    with pytest.raises(StateConflict) as refusal:
        add(client, now, **changes)

    assert refusal.value.code == "reference_used"
    assert WalletEntry.objects.count() == 1


def test_a_reference_belongs_to_one_client(client, other_client, now):
    add(client, now)

    with pytest.raises(StateConflict):
        add(other_client, now)

    assert WalletEntry.objects.get().client == client


@pytest.mark.parametrize("amount", ["0", "-1", "0.001", "1000000000001"])
def test_an_amount_that_cannot_be_paid_is_refused(amount, client, now):
    with pytest.raises(InvalidInput) as refusal:
        add(client, now, amount=Money(amount, "EUR"))

    assert refusal.value.field == "amount"
    assert not WalletEntry.objects.exists()


@pytest.mark.parametrize("reason", ["", "  ", "x" * 256])
def test_a_reason_is_needed(reason, client, now):
    with pytest.raises(InvalidInput) as refusal:
        add(client, now, reason=reason)

    assert refusal.value.field == "reason"
    assert not WalletEntry.objects.exists()


def test_only_clients_have_credit(db, now):
    with pytest.raises(NotFound):
        add(StaffFactory(), now)
    with pytest.raises(NotFound):
        add_credit(client_id=uuid4(), amount=FIVE, reason="x", reference="x", now=now)

    assert not WalletEntry.objects.exists()


@pytest.mark.parametrize("amount", [Money("50.01", "EUR"), Money("0.01", "USD")])
def test_credit_never_falls_below_zero(amount, client, now):
    WalletEntryFactory(client=client)

    with pytest.raises(StateConflict) as refusal:
        spend_credit(
            client_id=client.pk, amount=amount, reason="x", reference="x", now=now
        )

    assert refusal.value.code == "insufficient_credit"
    assert WalletEntry.objects.count() == 1


def test_database_refuses_an_entry_of_nothing(client):
    with pytest.raises(IntegrityError), transaction.atomic():
        WalletEntryFactory(client=client, amount=0)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_credit_is_added_while_somebody_writes_rows_that_name_the_client(client, now):
    def add_quickly(_):
        with connection.cursor() as cursor:
            cursor.execute("SET lock_timeout = '5s'")
        add(client, now)

    with transaction.atomic():
        WalletEntryFactory(client=client)
        # The foreign key locks the client's row now, until the transaction ends.
        connection.check_constraints()
        at_once(1, add_quickly)

    assert WalletEntry.objects.count() == 2
