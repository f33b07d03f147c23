"""The money arrives: once, whoever says so and however often."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from moneyed import Money

from affiliates.commissions.models import Commission
from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.payouts.services.batches import export_batch
from affiliates.payouts.services.confirmations import (
    confirm_batch,
    confirm_payout,
    confirm_payouts,
)
from affiliates.payouts.services.decisions import reject_payout
from tests.affiliates.payouts.looking import standing, steps_of
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory
from tests.races import at_once, needs_postgresql

WALLET = "wallet"


def confirm(payout, *, staff, now, reference="PP-1"):
    return confirm_payout(
        payout_id=payout.pk, reference=reference, actor_id=staff.pk, now=now
    )


@pytest.mark.parametrize("is_exported", [False, True])
def test_confirmed_payout_is_paid_with_its_commissions(
    affiliate, approved, staff, now, is_exported
):
    payout = approved()
    if is_exported:
        export_batch(payout_ids=[payout.pk], actor_id=staff.pk, now=now)

    confirm(payout, staff=staff, now=now)

    payout.refresh_from_db()
    assert (payout.status, payout.remote_ref, payout.finished_at) == (
        "paid",
        "PP-1",
        now,
    )
    assert standing(affiliate) == (0, 0, 10_000)
    assert Commission.objects.get().status == "paid"
    last = payout.events.last()
    assert (last.after, last.actor_id, last.at) == ("paid", staff.pk, now)


def test_repeat_changes_nothing(approved, staff, now):
    payout = approved()
    confirm(payout, staff=staff, now=now)

    with nothing_written():
        confirm(payout, staff=staff, now=now + timedelta(days=1))


def test_second_payment_under_another_reference_is_told(approved, staff, now):
    payout = approved()
    confirm(payout, staff=staff, now=now)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        confirm(payout, staff=staff, now=now, reference="PP-2")

    assert refused.value.code == "payout_paid"
    assert refused.value.detail == "It is paid already, reference PP-1."


def test_requested_one_is_not_paid(requested, staff, now):
    payout = requested()

    with nothing_written(), pytest.raises(StateConflict) as refused:
        confirm(payout, staff=staff, now=now)

    assert refused.value.code == "payout_not_approved"


def test_rejected_one_is_not_paid(approved, staff, now):
    payout = approved()
    reject_payout(payout_id=payout.pk, reason="Closed", actor_id=staff.pk, now=now)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        confirm(payout, staff=staff, now=now)

    assert refused.value.code == "payout_not_approved"


@pytest.mark.parametrize(
    ("code", "reference"),
    [("required", ""), ("required", " \t"), ("max_length", "a" * 141)],
)
def test_reference_is_needed(approved, staff, now, code, reference):
    payout = approved()

    with nothing_written(), pytest.raises(InvalidInput) as refused:
        confirm(payout, staff=staff, now=now, reference=reference)

    assert (refused.value.code, refused.value.field) == (code, "reference")


def test_what_was_agreed_is_confirmed_with_a_note(approved, staff, now):
    payout = approved("offline")

    confirm(payout, staff=staff, now=now, reference="Cheque 17, handed over")

    payout.refresh_from_db()
    assert (payout.status, payout.remote_ref) == ("paid", "Cheque 17, handed over")


def test_unknown_payout_is_not_found(db, staff, now):
    with pytest.raises(NotFound):
        confirm_payout(payout_id=0, reference="PP-1", actor_id=staff.pk, now=now)


def test_whole_batch_is_confirmed_but_for_what_was_returned(
    affiliate, brand, host, approved, staff, now
):
    other = AffiliateFactory(
        brand=brand, user=host.client(brand, email="other@example.com")
    )
    returned, paid = approved(), approved(owner=other)
    batch = export_batch(payout_ids=[returned.pk, paid.pk], actor_id=staff.pk, now=now)
    reject_payout(payout_id=returned.pk, reason="Unclaimed", actor_id=staff.pk, now=now)

    outcomes = [
        confirm_batch(batch_id=batch.pk, reference="B-1", actor_id=staff.pk, now=now)
        for _ in range(2)
    ]

    assert [(one.done, one.refused) for one in outcomes] == [(1, ()), (0, ())]
    assert (standing(affiliate), standing(other)) == (
        (10_000, 0, 0),
        (0, 0, 10_000),
    )


def test_account_credit_is_added_by_the_confirmation(
    affiliate, host, approved, staff, now, wallet
):
    before = host.wallet_balance(affiliate.user)
    payout = approved(WALLET)

    confirm(payout, staff=staff, now=now, reference="")

    payout.refresh_from_db()
    assert payout.status == "paid"
    assert payout.remote_ref != ""
    assert host.wallet_balance(affiliate.user) - before == Money(100, "EUR")
    [credit] = wallet.asked
    assert (credit.client_id, credit.payout_ref, credit.amount) == (
        str(affiliate.user_id),
        f"payout-{payout.pk}",
        Money("100.00", "EUR"),
    )
    assert steps_of(payout) == [
        ("", "requested"),
        ("requested", "approved"),
        ("approved", "exported"),
        ("exported", "paid"),
    ]


def test_repeated_confirmation_asks_for_no_credit(approved, staff, now, wallet):
    payout = approved(WALLET)
    confirm(payout, staff=staff, now=now)

    with nothing_written():
        confirm(payout, staff=staff, now=now)

    assert len(wallet.asked) == 1


def test_credit_whose_process_died_is_found_again(
    affiliate, host, approved, staff, now, wallet
):
    payout = approved(WALLET)
    wallet.dies_after = True
    with pytest.raises(KeyboardInterrupt):
        confirm(payout, staff=staff, now=now)
    payout.refresh_from_db()
    assert payout.status == "exported"
    with nothing_written(), pytest.raises(StateConflict) as unclear:
        reject_payout(payout_id=payout.pk, reason="Lost", actor_id=staff.pk, now=now)
    with nothing_written(), pytest.raises(StateConflict) as under_way:
        confirm(payout, staff=staff, now=now + timedelta(seconds=119))

    wallet.dies_after = False
    confirm(payout, staff=staff, now=now + timedelta(seconds=120))

    assert unclear.value.code == "credit_unclear"
    assert under_way.value.code == "credit_under_way"
    assert host.wallet_balance(affiliate.user) == Money(100, "EUR")
    assert standing(affiliate) == (0, 0, 10_000)


def test_account_credit_is_not_added_inside_a_transaction(approved, staff, now, wallet):
    payout = approved(WALLET)

    with (
        nothing_written(),
        pytest.raises(RuntimeError, match="durable"),
        transaction.atomic(),
    ):
        confirm(payout, staff=staff, now=now)

    assert wallet.asked == []


def test_what_is_paid_elsewhere_is_confirmed_inside_a_transaction(approved, staff, now):
    payout = approved("offline")

    with transaction.atomic():
        confirm(payout, staff=staff, now=now)

    payout.refresh_from_db()
    assert payout.status == "paid"


def test_refused_credit_leaves_the_payout_approved(
    affiliate, approved, staff, now, wallet
):
    payout = approved(WALLET)
    wallet.failure = StateConflict("no_wallet", "This host keeps no account credit.")

    with pytest.raises(StateConflict) as refused:
        confirm(payout, staff=staff, now=now)

    payout.refresh_from_db()
    assert refused.value.code == "no_wallet"
    assert (payout.status, payout.reason) == ("approved", wallet.failure.detail)
    assert standing(affiliate) == (0, 10_000, 0)
    reject_payout(payout_id=payout.pk, reason="No wallet", actor_id=staff.pk, now=now)
    assert standing(affiliate) == (10_000, 0, 0)


def test_refusal_after_an_unseen_try_leaves_it_being_paid(approved, staff, now, wallet):
    payout = approved(WALLET)
    wallet.failure = ConnectionError("the wallet is elsewhere and silent")
    with pytest.raises(ConnectionError):
        confirm(payout, staff=staff, now=now)
    wallet.failure = StateConflict("no_wallet", "Gone.")

    with pytest.raises(StateConflict):
        confirm(payout, staff=staff, now=now + timedelta(minutes=2))

    payout.refresh_from_db()
    assert payout.status == "exported"


def test_bulk_confirmation_says_of_each_that_stays_why(approved, requested, staff, now):
    paid, waiting = approved(), requested(currency="USD")

    outcome = confirm_payouts(
        payout_ids=[waiting.pk, paid.pk],
        reference="PP-1",
        actor_id=staff.pk,
        clock=lambda: now,
    )

    assert outcome.done == 1
    assert outcome.refused == (
        f"Payout {waiting.pk}: It is requested: only an approved one is paid.",
    )


@pytest.mark.django_db(transaction=True)
def test_each_credit_of_a_bulk_confirmation_is_under_way_from_its_own_moment(
    affiliate, brand, host, approved, staff, now, wallet
):
    user = host.client(brand, email="second@example.com")
    second = AffiliateFactory(brand=brand, user=user, code="second")
    payouts = [approved(WALLET), approved(WALLET, owner=second)]
    moments = iter([now, now + timedelta(minutes=3)])

    confirm_payouts(
        payout_ids=[one.pk for one in payouts],
        reference="",
        actor_id=staff.pk,
        clock=lambda: next(moments),
    )

    begun = [one.events.get(after="exported").at for one in payouts]
    assert begun == [now, now + timedelta(minutes=3)]


@needs_postgresql
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("to", ["paypal", WALLET])
def test_hundred_confirmations_at_once_are_one(
    affiliate, host, approved, staff, now, to
):
    payout = approved(to)
    steps_before = payout.events.count()

    def act(_):
        try:
            confirm(payout, staff=staff, now=now)
        except StateConflict as error:
            return error.code
        return "paid"

    # A server allows fewer connections than that: 25 at once, each four times.
    rounds = at_once(25, lambda number: [act(number) for _ in range(4)])
    answers = [answer for four in rounds for answer in four]

    assert len(answers) == 100
    assert set(answers) <= {"paid", "credit_under_way"}
    assert "paid" in answers
    assert standing(affiliate) == (0, 0, 10_000)
    assert payout.postings.count() == 2
    assert [event.after for event in payout.events.all()][steps_before:] == (
        ["exported", "paid"] if to is WALLET else ["paid"]
    )
    if to is WALLET:
        assert host.wallet_balance(affiliate.user) == Money(100, "EUR")
