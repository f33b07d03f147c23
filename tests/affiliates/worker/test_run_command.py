"""``manage.py affiliates_run``: what it runs, prints and ends with."""

from __future__ import annotations

import signal
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from affiliates.worker import services
from affiliates.worker.models import WorkerJob
from affiliates.worker.registry import job_names
from affiliates.worker.running import run_job
from tests.database import nothing_written

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture
def run():
    """Returns the printed lines, those about failures apart."""

    def run(*arguments):
        out, errors = StringIO(), StringIO()
        try:
            call_command("affiliates_run", *arguments, stdout=out, stderr=errors)
        except CommandError as failure:
            errors.write(f"{failure} ({failure.returncode})\n")
        return out.getvalue().splitlines(), errors.getvalue().splitlines()

    return run


@pytest.fixture
def good(register):
    runs = []
    register("good", every=HOUR, does="Works.")(lambda *_: runs.append(1) or "1 done.")
    return runs


@pytest.fixture
def bad(register):
    @register("bad", every=HOUR, does="Fails.")
    def fail(now, should_stop):
        raise RuntimeError("ada@example.com")


def test_it_runs_what_is_named_in_that_order(good, run):
    assert run("good", "alerts") == (["good: 1 done.", "alerts: nothing to do."], [])
    assert good == [1]


def test_a_job_that_fails_stops_no_other_and_the_status_is_1(good, bad, run, caplog):
    assert run("bad", "good") == (
        ["good: 1 done."],
        ["bad failed: RuntimeError", "Failed: bad. (1)"],
    )


def test_an_unknown_name_runs_nothing_and_the_status_is_2(good, run):
    with nothing_written():
        out, errors = run("good", "mails")

    assert (out, good) == ([], [])
    assert errors == [
        f"There is no job 'mails'. The jobs are {', '.join(job_names())}. (2)"
    ]


@pytest.mark.parametrize(
    "arguments",
    [(), ("good", "--all-due"), ("good", "--list"), ("--all-due", "--list")],
)
def test_one_of_names_all_due_and_list_is_asked_for(arguments, good, run):
    with nothing_written():
        out, errors = run(*arguments)

    assert (out, good) == ([], [])
    assert errors == ["Name one job or several, or use either --all-due or --list. (2)"]


def test_a_job_that_runs_elsewhere_is_no_failure(good, run):
    services.add_jobs(["good"], now=timezone.now())
    services.take_now("good", holder="another", now=timezone.now())

    assert run("good") == (["good is running elsewhere."], [])
    assert good == []


def test_all_due_runs_what_is_due_and_free(good, bad, run):
    later = timezone.now() + HOUR
    services.add_jobs(set(job_names()) - {"good", "bad", "alerts", "emails"}, now=later)
    WorkerJob.objects.update(next_due_at=later)
    WorkerJob.objects.filter(name="purge").update(next_due_at=later + timedelta(days=9))
    services.add_jobs(["bad", "emails"], now=timezone.now())
    services.take_now("bad", holder="another", now=timezone.now())

    first, again = run("--all-due"), run("--all-due")

    names = [line.partition(":")[0] for line in first[0]]
    assert {"alerts", "emails", "good", "purge"} <= set(names)
    assert "bad" not in names
    assert again == ([], [])


def test_the_list_shows_intervals_and_last_results(good, bad, run, now, caplog):
    run_job("good", now=now)
    with pytest.raises(RuntimeError):
        run_job("bad", now=now)

    lines, _ = run("--list")

    rows = {line.split()[0]: line.split(maxsplit=1)[1] for line in lines}
    assert list(rows) == ["JOB", *job_names()]
    assert " ".join(rows["JOB"].split()) == "INTERVAL LAST RUN RESULT"
    assert " ".join(rows["good"].split()) == "1 hour 2026-03-01 12:00:00 UTC done"
    assert " ".join(rows["bad"].split()) == (
        "1 hour 2026-03-01 12:00:00 UTC failed: RuntimeError"
    )
    assert " ".join(rows["emails"].split()) == "5 seconds - never run"


def test_it_goes_on_until_it_is_asked_to_stop(register, run):
    runs = []

    @register("mine", every=HOUR, does="Ends the process.")
    def end(now, should_stop):
        runs.append(should_stop())
        signal.raise_signal(signal.SIGTERM)
        return f"{should_stop()}"

    before = signal.getsignal(signal.SIGTERM)

    assert run("mine", "alerts", "--every", "1") == (["mine: True"], [])

    assert runs == [False]
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_pause_below_a_second_is_refused(run):
    assert run("alerts", "--every", "0") == (
        [],
        ["--every must be at least 1 second. (2)"],
    )
