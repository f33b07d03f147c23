"""Each batch is sent to its provider exactly once, even if a process dies."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse

from affiliates.errors import InvalidInput
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import balance
from affiliates.outbox.http.types import FailureKind, Response
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.types import OutcomeKind
from affiliates.payouts.models import PayoutBatch
from affiliates.payouts.providers.sender import BatchAnswer, ItemState
from affiliates.payouts.sending import services
from affiliates.payouts.sending.decisions import (
    look_up_now,
)
from affiliates.payouts.sending.services import LEASE
from affiliates.payouts.sending_models import PayoutSending
from affiliates.payouts.statement_models import PayoutStatement
from tests.affiliates.payouts.sending.conftest import Line, state_of, status_of
from tests.affiliates.verification.finding import everything_found
from tests.database import nothing_written

pytestmark = pytest.mark.django_db

QUICK = timedelta(seconds=5)
DAY = timedelta(days=1)


def test_a_payout_is_sent_looked_up_and_paid(desk, approved, provider, now):
    payout = approved()

    sending = desk.send(payout)
    assert status_of(payout) == "exported"
    assert desk.work() == {"unclear": 1}
    assert (sending.batch.reference in provider.taken, status_of(payout)) == (
        True,
        "exported",
    )
    assert desk.work(after=QUICK) == {"sent": 1}

    assert (status_of(payout), payout.remote_ref) == ("paid", f"T-PAYOUT-{payout.pk}")
    assert state_of(sending) == (QueueState.SENT, "", False)
    assert (provider.sends, provider.looks) == (1, 1)
    assert sending.results[f"PAYOUT-{payout.pk}"]["fee"] == "0.25 EUR"
    assert PayoutStatement.objects.get(payout=payout).amount == payout.amount
    assert desk.work(after=DAY) == {}


def test_the_provider_gets_the_details_of_the_approval(desk, approved, provider):
    payout = approved(amount=12_345)

    sending = desk.send(payout)
    desk.work()

    [transfer] = provider.taken[sending.batch.reference].transfers
    assert (transfer.reference, transfer.amount, transfer.currency) == (
        f"PAYOUT-{payout.pk}",
        12_345,
        "EUR",
    )
    assert dict(transfer.details) == {"email": "partner@example.org"}
    assert "partner@example.org" not in sending.batch.content


def test_what_arrives_in_another_currency_is_kept_beside_the_books(
    desk, approved, provider, affiliate, browser_of, second
):
    payout = approved()
    provider.received = (5_210, "USD")

    sending = desk.send(payout)
    desk.work()
    desk.work(after=QUICK)

    assert status_of(payout) == "paid"
    assert (payout.received_amount, payout.received_currency) == (5_210, "USD")
    assert balance(affiliate.pk, "EUR", Account.PAID_OUT) == payout.amount
    assert balance(affiliate.pk, "USD", Account.PAID_OUT) == 0
    statement = PayoutStatement.objects.get(payout=payout)
    assert statement.document["received"] == [5_210, "USD"]
    assert (statement.currency, statement.amount) == ("EUR", payout.amount)
    assert not [one for one in everything_found() if "Payout" in one]
    clerk = browser_of(second)
    for page, row, text in (
        ("payoutbatch", sending.batch, "Why. Paid as $52.10. Fee 0.25 EUR."),
        ("payout", payout, "$52.10"),
    ):
        path = reverse(f"admin:affiliates_{page}_change", args=[row.pk])
        assert text in clerk.get(path).text


@pytest.mark.parametrize(
    ("state", "status", "holds"),
    [
        (ItemState.FAILED, "rejected", Account.PAYABLE),
        (ItemState.RETURNED, "rejected", Account.PAYABLE),
        (ItemState.PENDING, "exported", Account.CLEARING),
        (ItemState.HELD, "exported", Account.CLEARING),
    ],
)
def test_what_is_not_paid_is_payable_again_or_waits(
    desk, approved, provider, affiliate, state, status, holds
):
    payout = approved()
    provider.says[f"PAYOUT-{payout.pk}"] = state
    sending = desk.send(payout)

    desk.work()
    desk.work(after=QUICK)

    assert status_of(payout) == status
    assert payout.reason == ("Why." if status == "rejected" else "")
    assert balance(affiliate.pk, "EUR", holds) == payout.amount
    assert state_of(sending)[2] is (status == "exported")
    assert not PayoutStatement.objects.exists()


def test_money_that_comes_back_later_is_returned(desk, approved, provider):
    payout = approved()
    sending = desk.send(payout)
    desk.work()
    desk.work(after=QUICK)
    assert status_of(payout) == "paid"
    provider.says[f"PAYOUT-{payout.pk}"] = ItemState.RETURNED

    # As a webhook does, or a person.
    assert look_up_now(PayoutSending.objects.filter(pk=sending.pk), now=desk.at)
    desk.work()

    assert (status_of(payout), payout.reason) == ("returned", "Why.")
    assert PayoutStatement.objects.filter(payout=payout).count() == 2


@pytest.mark.parametrize("failure", [FailureKind.NOT_SENT, FailureKind.NO_ANSWER])
@pytest.mark.parametrize("after_taking", [False, True])
def test_a_lost_answer_sends_nothing_twice(
    desk, approved, provider, failure, after_taking
):
    payout = approved()
    sending = desk.send(payout)
    desk.line.failures = [None, failure] if after_taking else [failure]

    desk.work()
    assert status_of(payout) == "exported"
    assert state_of(sending)[2]
    desk.work(after=timedelta(minutes=1))
    desk.work(after=timedelta(minutes=1))

    assert status_of(payout) == "paid"
    assert list(provider.taken) == [sending.batch.reference]


@pytest.mark.parametrize("at", [1, 2])
def test_a_process_that_dies_while_it_sends_is_followed_by_another(
    desk, approved, provider, at
):
    payout = approved()
    sending = desk.send(payout)
    desk.line.failures = [*[None] * (at - 1), KeyboardInterrupt()]

    with pytest.raises(KeyboardInterrupt):
        desk.work()
    assert state_of(sending)[0] == QueueState.SENDING
    assert desk.work(after=LEASE - QUICK) == {}
    assert desk.work(after=QUICK) == {"unclear": 1}
    desk.work(after=timedelta(minutes=1))

    assert status_of(payout) == "paid"
    assert (len(provider.taken), provider.sends) == (1, 2)


def test_a_refused_batch_makes_its_payouts_approved_again(desk, approved, provider):
    payout = approved()
    provider.refuses = BatchAnswer(kind=OutcomeKind.REJECTED, detail="No funds.")
    sending = desk.send(payout)

    desk.work()

    assert (status_of(payout), payout.reason) == ("approved", "No funds.")
    assert state_of(sending) == (QueueState.FAILED, "No funds.", False)


def test_no_refusal_of_a_repeat_is_final(desk, approved, provider):
    payout = approved()
    sending = desk.send(payout)
    desk.line.failures = [None, FailureKind.NO_ANSWER]
    desk.work()
    provider.refuses = BatchAnswer(kind=OutcomeKind.REJECTED, detail="Broken.")

    desk.work(after=timedelta(minutes=1))

    assert (status_of(payout), state_of(sending)) == (
        "exported",
        (QueueState.UNCLEAR, "Broken.", False),
    )


def test_wrong_credentials_are_tried_again_and_then_a_refusal_is_final(
    desk, approved, provider
):
    payout = approved()
    sending = desk.send(payout)
    provider.refuses = BatchAnswer(kind=OutcomeKind.CONFIG, detail="Wrong secret.")
    desk.work()
    assert state_of(sending) == (QueueState.RETRY, "Wrong secret.", True)
    provider.refuses = BatchAnswer(kind=OutcomeKind.REJECTED, detail="No funds.")

    desk.work(after=timedelta(hours=1))

    assert status_of(payout) == "approved"


def test_another_amount_is_never_booked(desk, approved, provider):
    payout = approved()
    provider.states_amount = 1
    sending = desk.send(payout)
    desk.work()
    desk.work(after=QUICK)

    assert status_of(payout) == "exported"
    sending.refresh_from_db()
    problem = sending.results[f"PAYOUT-{payout.pk}"]["problem"]
    assert problem == "The provider states another amount than the payout's."


def test_a_process_that_was_suspended_gives_nothing_back(desk, approved, provider):
    """Its batch is another's by now, who may have sent it."""
    payout = approved()
    sending = desk.send(payout)
    refusal = BatchAnswer(kind=OutcomeKind.REJECTED, detail="No funds.")

    def suspended(call):
        # Meanwhile another process takes the batch over and sends it.
        desk.at += LEASE
        desk.line = Line()
        desk.work()
        provider.refuses = refusal
        return Response(status=200, headers={}, body=b"")

    desk.line.send = suspended
    desk.work()

    assert status_of(payout) == "exported"
    assert (state_of(sending)[0], sending.remote_id) == (
        QueueState.UNCLEAR,
        f"R-{sending.batch.reference}",
    )


def test_a_process_dies_while_it_gives_a_refused_batch_back(
    desk, approved, provider, monkeypatch
):
    payout = approved()
    sending = desk.send(payout)
    provider.refuses = BatchAnswer(kind=OutcomeKind.REJECTED, detail="No funds.")

    def die(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(services, "give_back", die)
        with pytest.raises(KeyboardInterrupt):
            desk.work()
    assert (status_of(payout), state_of(sending)[0]) == ("exported", "sending")
    desk.work(after=LEASE)

    # An earlier try may have been taken, for all that is known now.
    assert (status_of(payout), state_of(sending)[::2]) == (
        "exported",
        (QueueState.UNCLEAR, False),
    )


def test_a_batch_is_as_large_as_the_provider_takes(desk, approved, another):
    payouts = [approved(owner=another(), currency="EUR") for _ in range(3)]

    with nothing_written(), pytest.raises(InvalidInput, match="at most 2 payouts"):
        desk.send(*payouts)

    assert not PayoutBatch.objects.exists()


def test_each_of_a_batch_has_its_own_end(desk, approved, provider, another):
    first, second = (approved(owner=another()) for _ in range(2))
    provider.says[f"PAYOUT-{second.pk}"] = ItemState.FAILED
    before = everything_found()
    sending = desk.send(first, second)

    desk.work()
    desk.work(after=QUICK)

    assert (status_of(first), status_of(second)) == ("paid", "rejected")
    assert state_of(sending)[0] == QueueState.SENT
    assert everything_found() == before
