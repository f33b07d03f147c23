"""Runs by schedule: on the day in the brand's zone, once, approved if the brand says so."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from affiliates.contrib.payout_runs.models import PayoutRun
from affiliates.contrib.payout_runs.rules import due_period
from affiliates.contrib.payout_runs.services import schedule
from affiliates.contrib.payout_runs.services.answers import begin_answer, keep_answer
from affiliates.contrib.payout_runs.services.approvals import approve_run, discard_run
from affiliates.contrib.payout_runs.services.schedule import work_at_runs
from affiliates.verification.seals import judge_seal
from tests.affiliates.payouts.bank import paid, statement
from tests.affiliates.payouts.looking import standing
from tests.database import nothing_written
from tests.races import at_once, needs_postgresql

FIRST = date(2026, 3, 5)
DUE = datetime(2026, 3, 5, 9, tzinfo=UTC)


def work(at=DUE) -> str:
    return work_at_runs(clock=lambda: at, should_stop=lambda: False)


@pytest.fixture
def scheduled(terms, own_account):
    terms.refresh_from_db()
    terms.first_run_on = FIRST
    terms.save()
    return terms


@pytest.mark.parametrize(
    ("_case", "first", "today", "period"),
    [
        ("no schedule", None, FIRST, None),
        ("the day before", FIRST, date(2026, 3, 4), None),
        ("the day", FIRST, FIRST, FIRST),
        ("later that month", FIRST, date(2026, 3, 31), FIRST),
        ("before the day of the next", FIRST, date(2026, 4, 4), FIRST),
        ("the next", FIRST, date(2026, 4, 5), date(2026, 4, 5)),
        ("over the year", date(2026, 12, 28), date(2027, 1, 3), date(2026, 12, 28)),
        ("worker was away", FIRST, date(2026, 7, 20), date(2026, 7, 5)),
    ],
)
def test_due_on_the_day_of_each_month(_case, first, today, period):
    assert due_period(first_run_on=first, today=today) == period


def test_drafted_on_its_day_once(scheduled, earner):
    affiliate = earner("bank")

    assert work(DUE - timedelta(days=1)) == ""
    assert work() == "1 payout runs drafted."
    with nothing_written():
        assert work(DUE + timedelta(days=20)) == ""

    run = PayoutRun.objects.get()
    assert (run.status, run.period, run.prepared_by_id) == ("draft", FIRST, None)
    assert standing(affiliate) == (0, 10_000, 0)


@pytest.mark.parametrize(
    ("zone", "runs"), [("UTC", 0), ("Asia/Tokyo", 1), ("America/New_York", 0)]
)
def test_the_day_is_the_brands(scheduled, brand, zone, runs):
    brand.time_zone = zone
    brand.save()

    work(datetime(2026, 3, 4, 20, tzinfo=UTC))

    assert PayoutRun.objects.count() == runs


def test_brand_that_was_switched_off_pays_by_no_schedule(scheduled, brand, earner):
    earner("bank")
    brand.is_active = False
    brand.save()

    with nothing_written():
        work()


def test_approves_itself_where_the_brand_says_so(scheduled, earner):
    earner("bank")
    scheduled.runs_approve_themselves = True
    scheduled.save()

    work()

    run = PayoutRun.objects.get()
    assert (run.status, run.approved_by_id, run.files.count()) == ("approved", None, 1)


def test_what_cannot_approve_itself_waits_and_says_why(scheduled, earner):
    earner("bank")
    scheduled.runs_approve_themselves = True
    scheduled.debtor_iban = ""
    scheduled.save()

    work()

    run = PayoutRun.objects.get()
    assert run.status == "draft"
    assert run.reason.startswith("Fill in the account that")
    with nothing_written():
        work()


def test_what_staff_discard_before_it_approves_itself_keeps_their_reason(
    scheduled, earner, staff, monkeypatch
):
    earner("bank")
    scheduled.runs_approve_themselves = True
    scheduled.save()

    def discard_first(*, run_id, actor_id, now):
        discard_run(run_id=run_id, reason="Not yet", actor_id=staff.pk, now=now)
        return approve_run(run_id=run_id, actor_id=actor_id, now=now)

    monkeypatch.setattr(schedule, "approve_run", discard_first)
    work()

    run = PayoutRun.objects.get()
    assert (run.status, run.reason) == ("discarded", "Not yet")
    assert list(judge_seal(run)) == []


def test_run_made_by_hand_never_approves_itself(scheduled, earner, drafted):
    earner("bank")
    scheduled.runs_approve_themselves = True
    scheduled.first_run_on = None
    scheduled.save()
    run = drafted()
    PayoutRun.objects.filter(pk=run.pk).update(status="drafting")

    work()

    run.refresh_from_db()
    assert run.status == "draft"


def test_worker_goes_on_with_answers_and_closes_runs(
    earner, released, brand, staff, now
):
    affiliate = earner("bank")
    run = released()
    content = statement(paid(f"PAYOUT-{affiliate.payouts.get().pk}", 10_000))
    answer = keep_answer(
        brand_id=brand.pk, name="file", content=content, actor_id=staff.pk, now=now
    )
    work()
    assert standing(affiliate) == (0, 10_000, 0)
    begin_answer(answer_id=answer.pk, actor_id=staff.pk)

    work()
    work()

    run.refresh_from_db()
    assert standing(affiliate) == (0, 0, 10_000)
    assert (run.status, run.closed_at) == ("closed", DUE)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_workers_at_once_make_one_run(scheduled, earner):
    affiliates = [earner(f"earner-{number}") for number in range(4)]
    scheduled.runs_approve_themselves = True
    scheduled.save()

    at_once(5, lambda _: work())

    run = PayoutRun.objects.get()
    assert (run.status, run.line_count, run.files.count()) == ("approved", 4, 1)
    assert [standing(one) for one in affiliates] == [(0, 10_000, 0)] * 4
