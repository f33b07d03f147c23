"""The state of what works in the background, each part in a sentence."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.db import DatabaseError
from django.db.migrations.recorder import MigrationRecorder
from django.test import RequestFactory

from affiliates.contrib.desk.system.health import parts
from affiliates.ledger.models import AccountBalance
from affiliates.management.commands import verify_ledger
from affiliates.operations.health import work
from affiliates.outbox.models.integration import IntegrationHealth
from affiliates.outbox.queue.rules import QueueState
from affiliates.worker.models import WorkerJob
from affiliates.worker.registry import job_names
from affiliates.worker.selectors import health, last_verification
from affiliates.worker.services import beat, note_verification
from tests.factories.integrations import DeliveryFactory, TrackingIntegrationFactory
from tests.factories.program import make_program


@pytest.fixture
def request_of(admin_user):
    request = RequestFactory().get("/")
    request.user = admin_user
    return request


@pytest.fixture
def said(request_of, now):
    def said(name):
        [part] = [one for one in parts(request_of, now) if one.name == name]
        return part.colour, part.sentence

    return said


def run_every_job(now):
    for name in job_names():
        beat(name, now=now)


def test_jobs_that_have_never_run(said):
    assert said("Background jobs") == (
        "danger",
        "No background job has run yet: nothing is delivered, approved or sent.",
    )


def test_jobs_on_time(said, now):
    run_every_job(now)

    assert said("Background jobs") == (
        "success",
        f"{len(job_names())} jobs, all on time.",
    )


def test_jobs_that_nobody_runs_any_more(said, now):
    run_every_job(now - timedelta(days=2))

    colour, sentence = said("Background jobs")
    assert colour == "danger"
    assert sentence == f"These background jobs are late: {', '.join(job_names())}."


def test_job_that_fails(said, now):
    run_every_job(now)
    beat("emails", error="The mail server cannot be used", now=now)
    WorkerJob.objects.filter(name="emails").update(last_succeeded_at=None)

    assert said("Background jobs") == (
        "warning",
        "The background job emails fails: The mail server cannot be used",
    )


def test_deliveries_and_the_integrations_they_go_to(said, brand, now):
    integration = TrackingIntegrationFactory(brand=brand)
    fine, unused = said("Deliveries"), said(str(integration))
    waits = {"integration": integration, "operation": "event", "visitor_ref": "order:1"}
    DeliveryFactory(**waits, state="retry", next_at=now + timedelta(hours=6))
    DeliveryFactory(**waits, created_at=now - timedelta(hours=5))
    waiting = said("Deliveries")
    DeliveryFactory(
        integration=integration,
        state=QueueState.WAITING,
        created_at=now - timedelta(hours=2),
    )
    IntegrationHealth.objects.create(
        integration=integration, failures=3, last_failure="HTTP 503."
    )

    assert fine == ("success", "Nothing is late.")
    assert unused == ("info", "Not called yet.")
    assert waiting == (
        "success",
        "Nothing is late. Some deliveries wait for an earlier one of their visitor or "
        "subject.",
    )
    [doctors] = [one for one in work.deliveries(now) if one.id == "affiliates.D015"]
    assert said("Deliveries") == ("danger", doctors.msg)
    assert said(str(integration)) == (
        "warning",
        "Not lately: 3 failures in a row. HTTP 503.",
    )


@pytest.mark.parametrize(
    ("days", "colour", "sentence"),
    [
        (
            1,
            "success",
            "Not verified yet: run manage.py verify_ledger in the first two days.",
        ),
        (3, "warning", "Never verified: run manage.py verify_ledger every night."),
    ],
)
def test_books_that_were_never_verified(said, now, days, colour, sentence):
    installed = now - timedelta(days=days)
    MigrationRecorder.Migration.objects.update(applied=installed)

    assert said("Books") == (colour, sentence)


@pytest.mark.parametrize(
    ("hours", "found", "colour", "sentence"),
    [
        (3, "", "success", "Everything agreed when verified 3 hours ago."),
        (72, "", "warning", "Everything agreed, but that was 3 days ago."),
        (3, "2 findings", "danger", "2 findings when verified 3 hours ago."),
        (72, "2 findings", "danger", "2 findings when verified 3 days ago."),
    ],
)
def test_books_as_they_were_verified_last(said, now, hours, found, colour, sentence):
    note_verification(found=found, now=now - timedelta(hours=hours))

    shown, words = said("Books")
    assert (shown, words.replace("\xa0", " ")) == (colour, sentence)


def test_verification_notes_what_it_found(affiliate, now):
    make_program(affiliate, now=now)
    call_command("verify_ledger")
    agreed = last_verification()
    AccountBalance.objects.update(amount=1)
    with pytest.raises(SystemExit):
        call_command("verify_ledger")

    assert agreed is not None
    assert agreed.found == ""
    assert last_verification().found == "6 findings"


def test_verification_of_one_brand_is_not_one_of_all(brand):
    call_command("verify_ledger", brand=brand.name)

    assert last_verification() is None


def test_verification_is_no_job_of_the_worker(db, now):
    note_verification(found="", now=now)

    assert "verification" not in [job.name for job in health(now)]


def test_what_cannot_be_written_to_can_be_verified(db, monkeypatch, capsys):
    def refuse(**_):
        raise DatabaseError("read-only")

    monkeypatch.setattr(verify_ledger, "note_verification", refuse)

    call_command("verify_ledger")

    said = capsys.readouterr()
    assert said.out.splitlines()[-1] == "Everything agrees."
    assert said.err.splitlines()[-1].endswith("is not noted: read-only")
