"""What the jobs do."""

from __future__ import annotations

from datetime import timedelta
from itertools import chain

import pytest
from django.apps import apps

from affiliates.emails.models import Email
from affiliates.outbox.models.delivery import Delivery
from affiliates.worker import purges
from affiliates.worker.registry import job_names
from affiliates.worker.running import run_job
from affiliates.worker.types import JobFailed
from tests.factories.emails import EmailFactory
from tests.factories.integrations import DeliveryFactory, TrackingIntegrationFactory
from tests.factories.program import make_program

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)
OWN = [
    "alerts",
    "commissions",
    "deliveries",
    "departures",
    "emails",
    "purge",
    "repeats",
]
OF_APPS = {
    "affiliates.contrib.desk": ["lists"],
    "affiliates.contrib.imports": ["imports"],
    "affiliates.contrib.payout_runs": ["payout_runs"],
    "affiliates.contrib.statistics": ["statistics", "summaries"],
}


def test_the_packages_register_these_jobs():
    added = [OF_APPS[one] for one in OF_APPS if apps.is_installed(one)]
    assert {*OWN, *chain(*added)} <= set(job_names())


@pytest.mark.parametrize("name", job_names())
def test_every_job_has_nothing_to_do_in_an_empty_database(name, now):
    if name == "clicks":
        # On PostgreSQL it makes the partitions of the coming months.
        run_job(name, now=now)

    assert str(run_job(name, now=now)) == f"{name}: nothing to do."


@pytest.mark.parametrize("name", job_names())
def test_every_job_runs_where_everything_has_happened(name, affiliate, now):
    make_program(affiliate, now=now)

    assert run_job(name, now=now + 60 * DAY).is_done is True


def test_purge_deletes_and_empties_what_is_old_enough(brand, now, settings):
    settings.AFFILIATES_KEEP_DELIVERIES_DAYS = 10
    settings.AFFILIATES_KEEP_EMAILS_DAYS = 5
    integration = TrackingIntegrationFactory(brand=brand)
    for days in (10, 11):
        made = now - days * DAY
        DeliveryFactory(integration=integration, state="sent", created_at=made)
    for days in (5, 6):
        EmailFactory(brand=brand, state="sent", created_at=now - days * DAY)

    report = run_job("purge", now=now).report

    assert report == "1 deliveries deleted, 1 e-mails emptied."
    assert Delivery.objects.count() == 1
    assert Email.objects.filter(recipient="").count() == 1


def test_part_of_the_purge_that_fails_stops_no_other(brand, now, monkeypatch):
    def fail(*, now):
        raise OSError("/srv/media")

    monkeypatch.setattr(purges, "_purges", {"a": fail, **purges._purges, "z": fail})
    EmailFactory(brand=brand, state="sent", created_at=now - 9_999 * DAY)

    with pytest.raises(JobFailed, match=r"^Not done: a: OSError, z: OSError$"):
        run_job("purge", now=now)

    assert Email.objects.get().recipient == ""


def test_deliveries_are_kept_where_the_host_says_so(brand, now, settings):
    settings.AFFILIATES_KEEP_DELIVERIES_DAYS = 0
    integration = TrackingIntegrationFactory(brand=brand)
    made = now - 9_999 * DAY
    DeliveryFactory(integration=integration, state="sent", created_at=made)

    run_job("purge", now=now)

    assert Delivery.objects.count() == 1


def test_deliveries_are_worked_at_once_by_name(brand, now):
    integration = TrackingIntegrationFactory(brand=brand, is_active=False)
    DeliveryFactory(integration=integration)

    report = run_job("deliveries", now=now).report

    assert report == (
        "0 delivered, 0 to be sent again, 0 unclear, 0 refused, 1 given up, 0 postponed."
    )


def test_emails_are_sent_by_name(brand, now, mailoutbox):
    EmailFactory(brand=brand)

    report = run_job("emails", now=now).report

    assert report == "1 sent, 0 to be sent again, 0 unclear, 0 failed, 0 given up."
    assert len(mailoutbox) == 1


def test_mail_server_that_is_away_is_a_failure_of_the_job(brand, now, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    EmailFactory(brand=brand)

    with pytest.raises(JobFailed) as failure:
        run_job("emails", now=now)

    assert str(failure.value) == (
        "The mail server cannot be used (ConnectionRefusedError)"
    )
