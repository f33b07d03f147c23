"""Two persons, frozen files, and what a discarded draft leaves."""

from __future__ import annotations

import hashlib
from datetime import date

import pytest
from django.db import IntegrityError, transaction

from affiliates.contrib.payout_runs.models import PayoutRun
from affiliates.contrib.payout_runs.selectors import difference_to_last
from affiliates.contrib.payout_runs.services.approvals import (
    approve_run,
    close_if_finished,
    discard_run,
)
from affiliates.errors import StateConflict
from affiliates.payouts.models import PayoutBatch
from affiliates.payouts.selectors import batch_file
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import approve_payouts, reject_payout
from affiliates.payouts.services.requests import request_payout
from affiliates.program.models import Affiliate
from tests.affiliates.payouts.looking import standing, steps_of
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory
from tests.factories.payout_runs import PayoutRunFactory
from tests.guard.markers import marker
from tests.races import at_once, needs_postgresql


@pytest.fixture
def for_two(terms):
    terms.needs_second_person = True
    terms.save()


def approve(run, who, now):
    return approve_run(run_id=run.pk, actor_id=who and who.pk, now=now)


def refusal_of(run, who, now) -> str:
    with nothing_written(), pytest.raises(StateConflict) as refused:
        approve(run, who, now)
    return refused.value.code


def test_writes_a_file_for_each_method_with_its_digest(
    earner, drafted, own_account, staff, now
):
    bank = earner("bank")
    earner("paypal", to="paypal")
    earner("wallet", to="wallet")
    run = drafted()

    approve(run, staff, now)

    run.refresh_from_db()
    assert (run.status, run.approved_by_id, run.approved_at) == (
        "approved",
        staff.pk,
        now,
    )
    files = {file.kind: file for file in run.files.all()}
    assert set(files) == {"bank", "paypal"}
    for file in files.values():
        text = batch_file(file).text
        assert file.digest == hashlib.sha256(text.encode()).hexdigest()
    payout = bank.payouts.get()
    assert steps_of(payout) == [
        ("", "requested"),
        ("requested", "approved"),
        ("approved", "exported"),
    ]
    statuses = run.lines.values_list("affiliate__code", "payout__status")
    assert dict(statuses)["wallet"] == "approved"


def test_file_that_was_exchanged_is_not_given_out(released, earner):
    earner("bank")
    run = released()
    other = run.files.get()
    PayoutBatch.objects.update(digest="0" * 64)
    other.refresh_from_db()

    with pytest.raises(StateConflict) as refused:
        batch_file(other)

    assert refused.value.code == "file_changed"


def test_one_person_is_enough_where_the_brand_asks_for_no_other(
    earner, drafted, own_account, staff, now
):
    earner("bank")
    run = drafted(actor=staff)

    assert approve(run, staff, now).status == "approved"


def test_whoever_prepared_it_does_not_approve_it(
    earner, drafted, own_account, for_two, staff, second, now
):
    earner("bank")
    run = drafted(actor=staff)

    assert refusal_of(run, staff, now) == "second_person"
    assert approve(run, second, now).status == "approved"


@pytest.mark.parametrize("needed_then", [True, False])
def test_switched_after_the_draft_it_still_needs_a_second_person(
    earner, drafted, own_account, terms, staff, now, needed_then
):
    terms.needs_second_person = needed_then
    terms.save()
    earner("bank")
    run = drafted(actor=staff)
    terms.needs_second_person = not needed_then
    terms.save()

    assert refusal_of(run, staff, now) == "second_person"


def test_scheduled_run_is_looked_at_by_one_and_approved_by_another(
    earner, drafted, own_account, for_two, staff, second, now
):
    earner("bank")
    run = drafted(period=date(2026, 3, 5), actor=None)

    looked_at = approve(run, staff, now)

    assert (looked_at.status, looked_at.prepared_by_id) == ("draft", staff.pk)
    assert PayoutBatch.objects.count() == 0
    assert refusal_of(run, staff, now) == "second_person"
    assert approve(run, second, now).status == "approved"


def test_nobody_approves_what_pays_them(earner, drafted, own_account, now):
    payee = earner("bank").user
    earner("other")
    run = drafted()

    assert refusal_of(run, payee, now) == "own_payout"


def test_staffs_own_payout_is_approved_by_others_in_the_list_too(
    earner, staff, terms, now
):
    affiliate = earner("bank")
    payout = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)

    own = approve_payouts(payout_ids=[payout.pk], actor_id=affiliate.user_id, now=now)
    others = approve_payouts(payout_ids=[payout.pk], actor_id=staff.pk, now=now)

    assert own.refused == (
        f"Payout {payout.pk}: It pays you yourself: somebody else has to approve it.",
    )
    assert others.done == 1


def test_payouts_name_who_prepared_and_who_approved_the_run(
    earner, drafted, own_account, for_two, staff, second, now
):
    affiliate = earner("bank")

    approve(drafted(actor=staff), second, now)

    payout = affiliate.payouts.get()
    assert (payout.is_for_two, payout.prepared_by, payout.approved_by) == (
        True,
        staff,
        second,
    )
    steps = payout.events.values_list("after", "actor")
    assert list(steps) == [
        ("requested", None),
        ("requested", staff.pk),
        ("approved", second.pk),
        ("exported", second.pk),
    ]


def test_who_started_a_payout_does_not_approve_the_run_with_it(
    earner, drafted, own_account, for_two, staff, second, rival, now
):
    affiliate = earner("bank")
    payout = request_payout(
        affiliate_id=affiliate.pk, currency="EUR", now=now, started_by_id=second.pk
    )
    run = drafted(actor=staff)

    assert refusal_of(run, second, now) == "second_person"

    approve(run, rival.user, now)
    payout.refresh_from_db()
    assert (payout.prepared_by, payout.approved_by) == (second, rival.user)


def test_the_database_refuses_one_person_for_two(earner, drafted, for_two, staff):
    run = drafted(actor=staff)

    with pytest.raises(IntegrityError), transaction.atomic():
        PayoutRun.objects.filter(pk=run.pk).update(approved_by=staff.pk)


def test_file_that_cannot_be_written_approves_nothing(
    earner, drafted, terms, staff, now
):
    earner("bank")
    run = drafted()

    assert refusal_of(run, staff, now) == "no_own_account"


def test_suspended_since_the_money_is_payable_again(
    earner, drafted, own_account, staff, now
):
    affiliate, other = earner("bank"), earner("other")
    run = drafted()
    Affiliate.objects.filter(pk=affiliate.pk).update(status="suspended")

    approve(run, staff, now)

    assert (standing(affiliate), standing(other)) == ((10_000, 0, 0), (0, 10_000, 0))
    payout = affiliate.payouts.get()
    assert (payout.status, payout.reason, payout.batch) == (
        "rejected",
        "An affiliate that is pending or suspended is not paid.",
        None,
    )


def test_approved_run_is_not_approved_or_discarded_again(earner, released, staff, now):
    earner("bank")
    run = released()

    assert refusal_of(run, staff, now) == "run_not_draft"
    with nothing_written(), pytest.raises(StateConflict):
        discard_run(run_id=run.pk, reason="Late", actor_id=staff.pk, now=now)


def test_discarded_draft_gives_back_what_it_set_aside(earner, drafted, staff, now):
    set_aside, asked = earner("set-aside"), earner("asked")
    request_payout(affiliate_id=asked.pk, currency="EUR", now=now)
    run = drafted()

    discard_run(
        run_id=run.pk, reason=marker("staff", "run"), actor_id=staff.pk, now=now
    )

    run.refresh_from_db()
    assert (run.status, run.reason, run.closed_at) == (
        "discarded",
        marker("staff", "run"),
        now,
    )
    assert (standing(set_aside), standing(asked)) == ((10_000, 0, 0), (0, 10_000, 0))
    assert asked.payouts.get().status == "requested"
    again = drafted()
    outcomes = again.lines.values_list("affiliate__code", "outcome")
    assert dict(outcomes) == {"set-aside": "set_aside", "asked": "asked"}


def test_is_compared_with_the_last_run_of_its_brand_that_was_approved(
    earner, drafted, released, brand, staff, now
):
    earner("good")
    refused = earner("refused")
    first = released()
    acting = {"reason": "Wrong", "actor_id": staff.pk, "now": now}
    reject_payout(payout_id=refused.payouts.get().pk, **acting)
    discard_run(run_id=drafted().pk, **acting)
    elsewhere = BrandFactory(client_area="other.example.net")
    PayoutRunFactory(brand=elsewhere, status="closed")
    run = drafted()
    PayoutRunFactory(brand=brand, status="closed")

    last, found = difference_to_last(run)

    assert last == first
    assert [(one.affiliate, one.before, one.now) for one in found] == [
        ("good", 10_000, 0),
        ("refused", 0, 10_000),
    ]


def test_closes_when_nothing_is_under_way_any_more(earner, released, staff, now):
    affiliate = earner("bank")
    run = released()
    payout = affiliate.payouts.get()

    early = close_if_finished(run_id=run.pk, now=now)
    confirm_payout(payout_id=payout.pk, reference="BANK-1", actor_id=staff.pk, now=now)
    closed = close_if_finished(run_id=run.pk, now=now)

    run.refresh_from_db()
    assert (early, closed, run.status, run.closed_at) == (False, True, "closed", now)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_many_approvals_at_once_one_writes_the_files(
    earner, drafted, own_account, staff, now
):
    for number in range(3):
        earner(f"earner-{number}")
    run = drafted()

    def act(_):
        try:
            return approve(run, staff, now).status
        except StateConflict as error:
            return error.code

    answers = at_once(6, act)

    assert sorted(answers) == ["approved", *["run_not_draft"] * 5]
    assert PayoutBatch.objects.count() == 1


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_an_approval_and_a_discard_at_once_one_holds(
    earner, drafted, own_account, staff, now
):
    affiliate = earner("bank")
    run = drafted()

    def act(number):
        try:
            if number:
                return approve(run, staff, now).status
            return discard_run(
                run_id=run.pk, reason="No", actor_id=staff.pk, now=now
            ).status
        except StateConflict:
            return "refused"

    answers = at_once(2, act)

    run.refresh_from_db()
    assert sorted(answers) == sorted([run.status, "refused"])
    is_released = run.status == "approved"
    assert standing(affiliate) == ((0, 10_000, 0) if is_released else (10_000, 0, 0))
