"""What the worker does."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.apps import apps
from django.core.exceptions import ImproperlyConfigured

from affiliates.emails.models import Email
from affiliates.integrations.models import Delivery
from affiliates.worker import jobs
from affiliates.worker.types import JobFailed
from tests.factories.emails import EmailFactory
from tests.factories.integrations import DeliveryFactory, TrackingIntegrationFactory

DAY = timedelta(days=1)
called: list[dict[str, object]] = []


def count_renewals(**given: object) -> str:
    called.append(given)
    return "3 renewals"


def run(job, now):
    return job(lambda: now, lambda: False)


@pytest.mark.django_db
def test_purge_deletes_and_empties_what_is_old_enough(brand, now, settings):
    settings.AFFILIATES_KEEP_DELIVERIES_DAYS = 10
    settings.AFFILIATES_KEEP_EMAILS_DAYS = 5
    integration = TrackingIntegrationFactory(brand=brand)
    for days in (10, 11):
        made = now - days * DAY
        DeliveryFactory(integration=integration, state="done", created_at=made)
    for days in (5, 6):
        EmailFactory(brand=brand, state="sent", created_at=now - days * DAY)

    report = run(jobs.purge, now)

    assert report.startswith("1 deliveries deleted, 1 e-mails emptied, ")
    assert Delivery.objects.count() == 1
    assert Email.objects.filter(recipient="").count() == 1


@pytest.mark.django_db
def test_deliveries_are_kept_where_the_host_says_so(brand, now, settings):
    settings.AFFILIATES_KEEP_DELIVERIES_DAYS = 0
    integration = TrackingIntegrationFactory(brand=brand)
    made = now - 9_999 * DAY
    DeliveryFactory(integration=integration, state="done", created_at=made)

    run(jobs.purge, now)

    assert Delivery.objects.count() == 1


@pytest.mark.django_db
def test_job_says_what_it_did_and_nothing_of_nothing(brand, now):
    assert run(jobs.send_emails, now) == ""
    assert run(jobs.mature_commissions, now) == ""

    EmailFactory(brand=brand)

    sent = "1 sent, 0 to be sent again, 0 unclear, 0 failed."
    assert run(jobs.send_emails, now) == sent


@pytest.mark.django_db
def test_mail_server_that_is_away_is_a_failure_of_the_job(brand, now, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    EmailFactory(brand=brand)

    with pytest.raises(JobFailed) as failure:
        run(jobs.send_emails, now)

    assert str(failure.value) == (
        "The mail server cannot be used (ConnectionRefusedError)"
    )


def test_hosts_own_job_is_called_with_the_time(now, settings):
    path = f"{__name__}.count_renewals"
    settings.AFFILIATES_WORKER_JOBS = {"renewals": (path, 3600)}
    called.clear()

    mine = jobs.periodic_jobs()[-1]

    assert (mine.name, mine.every) == ("renewals", timedelta(hours=1))
    assert run(mine.run, now) == "3 renewals"
    assert called == [{"now": now}]


@pytest.mark.parametrize(
    "wrong",
    [
        {"emails": ("builtins.dict", 60)},
        {"deliveries": ("builtins.dict", 60)},
        {"mine": ("builtins.dict", 0)},
        {"mine": ("builtins.nothing_like_it", 60)},
    ],
)
def test_job_of_the_host_that_cannot_be_done_is_named_at_once(wrong, settings):
    settings.AFFILIATES_WORKER_JOBS = wrong

    with pytest.raises(ImproperlyConfigured, match="AFFILIATES_WORKER_JOBS"):
        jobs.periodic_jobs()


def test_tasks_are_run_where_they_are_kept_in_the_database():
    names = [job.name for job in jobs.shared_jobs()]

    has_tasks = apps.is_installed("django_tasks_db")
    assert names == (["deliveries", "tasks"] if has_tasks else ["deliveries"])
