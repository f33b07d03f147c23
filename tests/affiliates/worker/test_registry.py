"""Who has which jobs."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured

from affiliates.worker.registry import job_named, job_names, registered
from affiliates.worker.types import UnknownJob

HOUR = timedelta(hours=1)


def nothing(now, should_stop):
    return ""


def test_a_hosts_own_job_is_one_of_them(register):
    register("renewals", every=HOUR, does="Renews.", needs="A till.")(nothing)

    job = job_named("renewals")

    assert (job.every, job.does, job.needs, job.run) == (
        HOUR,
        "Renews.",
        "A till.",
        nothing,
    )
    assert "renewals" in job_names()


@pytest.mark.parametrize(
    ("name", "every", "said"),
    [
        ("emails", HOUR, "There is a background job 'emails' already"),
        ("verification", HOUR, "There is a background job 'verification' already"),
        ("my job", HOUR, "must be an identifier"),
        ("--list", HOUR, "must be an identifier"),
        ("a" * 65, HOUR, "of at most 64 characters"),
        ("mine", timedelta(milliseconds=999), "must be at least a second"),
    ],
)
def test_a_job_that_cannot_be_is_refused_and_not_kept(register, name, every, said):
    before = registered()

    with pytest.raises(ImproperlyConfigured, match=said):
        register(name, every=every, does="Nothing.")(nothing)

    assert registered() == before


def test_the_host_sets_intervals(settings):
    settings.AFFILIATES_JOB_INTERVALS = {"emails": 300}

    assert job_named("emails").every == timedelta(minutes=5)
    assert job_named("alerts").every == timedelta(minutes=5)
    assert job_named("commissions").every == timedelta(minutes=1)


def test_an_unknown_name_is_answered_with_those_that_exist():
    with pytest.raises(UnknownJob) as refusal:
        job_named("mails")

    assert str(refusal.value) == (
        f"There is no job 'mails'. The jobs are {', '.join(job_names())}."
    )
