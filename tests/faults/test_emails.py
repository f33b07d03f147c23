"""Workers killed while they send: no e-mail is lost, and none sent twice by itself."""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter

import pytest
from django.utils import timezone

from affiliates.emails import services
from affiliates.emails.models import Email
from affiliates.emails.rules import LEASE, EmailState
from affiliates.worker.models import WorkerJob
from affiliates.worker.process import GRACE_SECONDS
from benchmarks.running import python
from tests.database import database_url
from tests.factories.emails import EmailFactory
from tests.faults.ledger_stand import await_no_session
from tests.faults.stand import await_condition, forks
from tests.lengths import times
from tests.races import needs_postgresql
from tests.smtp import Mailbox, mail_server

pytestmark = [
    pytest.mark.long,
    needs_postgresql,
    pytest.mark.django_db(transaction=True),
]

WORKER = "affiliates_worker"
KILLS = times(5, long=50)
SECONDS = 60


def test_killed_workers_lose_no_email_and_send_none_twice(brand):
    chance = random.Random(20_260_301)  # noqa: S311 - moments, not secrets
    for _ in range(3 * KILLS):
        EmailFactory(brand=brand, created_at=timezone.now())
    ids = set(Email.objects.values_list("message_id", flat=True))
    with mail_server() as mailbox, forks(_environment(mailbox), WORKER) as fork:
        # The server has each e-mail for a while before it says so.
        mailbox.answers_after = 0.1
        for _ in range(KILLS):
            count = len(mailbox.accepted)
            pid = fork()
            await_condition(
                lambda count=count: len(mailbox.accepted) > count, seconds=SECONDS
            )
            time.sleep(chance.uniform(0, 0.2))
            os.kill(pid, signal.SIGKILL)
            _end_leases()
        interrupted = set(_in_state(EmailState.SENDING))
        fork()
        await_condition(lambda: set(_open()) == interrupted, seconds=SECONDS)
        services.close_interrupted(now=timezone.now() + LEASE)
        untouched = Counter(one["Message-ID"] for one in mailbox.accepted)
        sent, unclear = _in_state(EmailState.SENT), _in_state(EmailState.UNCLEAR)

        services.send_again(Email.objects.all(), now=timezone.now())
        await_condition(lambda: not _open(), seconds=SECONDS)

    assert set(untouched.values()) == {1}
    assert set(sent) <= untouched.keys() <= ids
    assert set(unclear) == interrupted
    assert set(sent) | set(unclear) == ids
    assert set(_in_state(EmailState.SENT)) == ids
    again = Counter(one["Message-ID"] for one in mailbox.accepted) - untouched
    assert again == Counter(unclear)


def test_worker_ends_soon_when_it_is_asked_to(brand):
    EmailFactory(brand=brand, created_at=timezone.now())
    with mail_server() as mailbox:
        variables = _environment(mailbox)
        with python("manage.py", WORKER, environment=variables) as process:
            await_condition(lambda: bool(mailbox.accepted), seconds=SECONDS)
            began = time.monotonic()
            process.terminate()
            status = process.wait(SECONDS)

    assert status == 0
    assert time.monotonic() - began < GRACE_SECONDS
    assert _in_state(EmailState.SENT) != []
    assert not WorkerJob.objects.exclude(lease_until=None).exists()


def _environment(mailbox: Mailbox) -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.faults.settings",
        "DATABASE_URL": database_url(),
        "EMAIL_URL": f"smtp://127.0.0.1:{mailbox.port}",
    }


def _end_leases() -> None:
    """As after a minute, and of e-mails that were not handed over after ten."""
    # What the killed process has just asked of the database is done first.
    await_no_session()
    WorkerJob.objects.update(lease_until=None, next_due_at=timezone.now())
    Email.objects.filter(state=EmailState.WAITING).update(next_at=timezone.now())


def _in_state(*states: EmailState) -> list[str]:
    found = Email.objects.filter(state__in=states)
    return list(found.values_list("message_id", flat=True))


def _open() -> list[str]:
    return _in_state(EmailState.WAITING, EmailState.SENDING)
