"""Workers killed while they announce: each affiliate gets one e-mail."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable

import pytest
from django.db import connection, transaction
from django.utils import timezone

from affiliates.contrib.announcements.models import Announcement
from affiliates.contrib.announcements.services import send_announcement
from affiliates.emails import services
from affiliates.emails.models import Email
from affiliates.emails.rules import LEASE
from affiliates.outbox.queue.rules import TRIED_NEXT, QueueState
from tests.factories.affiliates import AffiliateFactory
from tests.factories.announcements import AnnouncementFactory
from tests.factories.portal import ClientFactory
from tests.faults.ledger_stand import await_no_session
from tests.faults.mailing import end_leases, mail_environment
from tests.faults.stand import await_condition, forks
from tests.lengths import times
from tests.races import await_lock, needs_postgresql
from tests.smtp import Mailbox, mail_server

pytestmark = [
    pytest.mark.long,
    needs_postgresql,
    pytest.mark.django_db(transaction=True),
]

WORKER = "affiliates_worker"
COUNT = times(40, long=2_000)
SECONDS = 120
# So that a worker is not done before it is killed.
ANSWERS_AFTER = times(0.05, long=0.01)
# How many e-mails were accepted when a worker is killed, in parts of all.
KILLED_AFTER = (0.1, 0.4, 0.7)


def test_killed_workers_send_each_affiliate_one_email(brand):
    announcement = _sent(brand)
    with mail_server() as mailbox, forks(mail_environment(mailbox), WORKER) as fork:
        mailbox.answers_after = ANSWERS_AFTER
        _kill_while_queueing(fork)
        assert not Email.objects.exists()
        for part in KILLED_AFTER:
            _kill_while_sending(fork, mailbox, accepted=int(part * COUNT))
        fork()
        # Those that were handed over stay as they are until their leases end.
        await_condition(
            lambda: len(_states(*TRIED_NEXT)) == len(KILLED_AFTER), seconds=SECONDS
        )
        services.close_interrupted(now=timezone.now() + LEASE)
        accepted = Counter(message["To"] for message in mailbox.accepted)
        unclear = set(_states(QueueState.UNCLEAR))

    announcement.refresh_from_db()
    addresses = {f"a-{number}@example.com" for number in range(COUNT)}
    assert announcement.state == "sent"
    assert Email.objects.count() == COUNT
    assert announcement.recipients.filter(email=None).count() == 0
    assert set(accepted.values()) == {1}
    # The server has what it was handed when a worker was killed, but nobody knows it.
    assert accepted.keys() == addresses
    assert len(unclear) == len(KILLED_AFTER)
    assert set(_states(QueueState.SENT)) == addresses - unclear


def _sent(brand) -> Announcement:
    clients = [
        ClientFactory(brand=brand, email=f"a-{number}@example.com")
        for number in range(COUNT)
    ]
    affiliates = [AffiliateFactory(brand=brand, user=client) for client in clients]
    announcement = AnnouncementFactory(brand=brand, to=affiliates)
    send_announcement(announcement.pk, actor_id=clients[0].pk, now=timezone.now())
    return announcement


def _kill_while_queueing(fork: Callable[[], int]) -> None:
    """Kills a worker that has inserted e-mails and has not committed them."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(
                "LOCK TABLE affiliates_announcements_announcementrecipient"
                " IN EXCLUSIVE MODE"
            )
        pid = fork()
        await_lock()
        os.kill(pid, signal.SIGKILL)
    await_no_session()
    end_leases()


def _kill_while_sending(
    fork: Callable[[], int], mailbox: Mailbox, *, accepted: int
) -> None:
    """Kills a worker while the server has the text of an e-mail and does not answer."""
    pid = fork()
    await_condition(lambda: len(mailbox.accepted) >= accepted, seconds=SECONDS)
    mailbox.answers_after = SECONDS
    count = len(mailbox.accepted)
    await_condition(lambda: len(mailbox.accepted) > count, seconds=SECONDS)
    os.kill(pid, signal.SIGKILL)
    mailbox.answers_after = ANSWERS_AFTER
    await_no_session()
    end_leases()


def _states(*states: QueueState) -> list[str]:
    return list(
        Email.objects.filter(state__in=states).values_list("recipient", flat=True)
    )
