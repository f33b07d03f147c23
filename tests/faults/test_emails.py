"""Workers killed while they send: no e-mail is lost, and none sent twice by itself."""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections import Counter
from collections.abc import Callable
from email.message import Message

import pytest
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from affiliates.emails import services
from affiliates.emails.choices.services import set_choices
from affiliates.emails.models import Email
from affiliates.emails.rules import LEASE
from affiliates.emails.types import EmailDelivery, EmailKind, News, money
from affiliates.outbox.queue.rules import TRIED_NEXT, QueueState
from affiliates.program.models import Affiliate
from affiliates.worker.models import WorkerJob
from affiliates.worker.process import GRACE_SECONDS
from benchmarks.running import python
from tests.factories.affiliates import AffiliateFactory
from tests.factories.emails import EmailFactory
from tests.factories.portal import ClientFactory
from tests.faults.ledger_stand import await_no_session
from tests.faults.mailing import end_leases, mail_environment
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
EACH = 3
SECONDS = 60


# When the worker is killed, in turn, and how many e-mails the server may have then
# without its answer being stored.
HANDED_OVER = {
    "beginning": {0, 1},
    "writing": {0},
    "asking": {0},
    "handing over": {1},
    "any": {0, 1},
}
MOMENTS = tuple(HANDED_OVER)


def test_killed_workers_lose_no_email_and_send_none_twice(brand):
    chance = random.Random(20_260_301)  # noqa: S311 - moments, not secrets
    # Who has switched them off, and how many e-mails were accepted until then.
    gone: dict[int, int] = {}
    interrupted: set[str] = set()
    with mail_server() as mailbox, forks(mail_environment(mailbox), WORKER) as fork:
        for count in range(KILLS):
            _queue(AffiliateFactory(brand=brand, user=ClientFactory(brand=brand)))
            moment = MOMENTS[count % len(MOMENTS)]
            _kill(fork, mailbox, moment, chance)
            begun = set(_in_state(QueueState.SENDING)) - interrupted
            # One is handed over at a time, whatever else was leased.
            assert len(begun) in HANDED_OVER[moment]
            interrupted |= begun
            if moment in ("writing", "asking"):
                assert 1 <= _taken().count() <= services.BATCH
                # The text is stored when it is handed over.
                assert not _taken().exclude(subject="").exists()
                stopped = _taken().earliest("pk")
                switch_off = {EmailKind.PAID: EmailDelivery.NEVER}
                now = timezone.now()
                set_choices(stopped.affiliate_id, switch_off, now=now)
                gone.setdefault(stopped.affiliate_id, len(mailbox.accepted))
            end_leases()
        fork()
        await_condition(lambda: set(_open()) == interrupted, seconds=SECONDS)
        services.close_interrupted(now=timezone.now() + LEASE)
        untouched = Counter(one["Message-ID"] for one in mailbox.accepted)
        sent, unclear = _in_state(QueueState.SENT), _in_state(QueueState.UNCLEAR)
        unwanted = set(_in_state(QueueState.NOT_SENT))

        services.send_again(Email.objects.all(), now=timezone.now())
        await_condition(lambda: not _open(), seconds=SECONDS)

    ids = set(Email.objects.values_list("message_id", flat=True))
    assert len(ids) == EACH * KILLS
    assert set(untouched.values()) == {1}
    assert set(sent) <= untouched.keys() <= ids
    # Accepted, and nobody knows it: with the answer missing it is not sent by itself.
    assert untouched.keys() - set(sent) <= set(unclear) == interrupted
    assert len(unclear) >= KILLS // len(MOMENTS)
    assert set(sent) | set(unclear) | unwanted == ids
    _assert_sent_to_none_after_unsubscribing(mailbox, gone, unwanted)
    again = Counter(one["Message-ID"] for one in mailbox.accepted) - untouched
    refused = set(_in_state(QueueState.NOT_SENT)) - unwanted
    assert again == Counter(set(unclear) - refused)
    # The same e-mail, whichever try it was: one order to each Message-ID.
    texts = {(one["Message-ID"], _text(one)) for one in mailbox.accepted}
    assert len(texts) == len(dict(texts)) == len({text for _, text in texts})


def _queue(affiliate: Affiliate) -> None:
    paid = {"amount": money(100, "EUR"), "destination": "PayPal"}
    news = [
        News(
            kind=EmailKind.PAID,
            brand_id=affiliate.brand_id,
            affiliate_id=affiliate.pk,
            fact=f"{number}",
            values={**paid, "payout": number},
        )
        for number in range(affiliate.pk * EACH, (affiliate.pk + 1) * EACH)
    ]
    services.notify_affiliates(news, now=timezone.now())


def _kill(
    fork: Callable[[], int], mailbox: Mailbox, moment: str, chance: random.Random
) -> None:
    """Begin a worker, and kill it at this moment of its work."""
    asked, accepted = mailbox.asked, len(mailbox.accepted)
    # The server has each e-mail for a while before it says so.
    mailbox.asked_for = SECONDS if moment == "asking" else 0.0
    mailbox.answers_after = SECONDS if moment == "handing over" else 0.1
    with transaction.atomic():
        if moment == "writing":
            # Whether it is wanted is what is asked of the database first.
            with connection.cursor() as cursor:
                cursor.execute("LOCK TABLE affiliates_emailchoice")
        pid = fork()
        if moment == "writing":
            await_condition(_taken().filter(subject="").exists, seconds=SECONDS)
        elif moment == "asking":
            await_condition(lambda: mailbox.asked > asked, seconds=SECONDS)
        elif moment != "beginning":
            await_condition(lambda: len(mailbox.accepted) > accepted, seconds=SECONDS)
        if moment in ("beginning", "any"):
            time.sleep(chance.uniform(0, 0.3))
        os.kill(pid, signal.SIGKILL)
    mailbox.asked_for, mailbox.answers_after = 0.0, 0.1
    await_no_session()


def _assert_sent_to_none_after_unsubscribing(
    mailbox: Mailbox, gone: dict[int, int], unwanted: set[str]
) -> None:
    affiliate_of = dict(Email.objects.values_list("message_id", "affiliate"))
    late = [
        one["Message-ID"]
        for place, one in enumerate(mailbox.accepted)
        if place >= gone.get(affiliate_of[one["Message-ID"]], len(mailbox.accepted))
    ]
    assert late == []
    assert {affiliate_of[one] for one in unwanted} == gone.keys()


def _text(message: Message) -> str:
    text = message.get_payload(0).get_payload(decode=True).decode()
    # Made anew for each try, and kept nowhere.
    return re.sub(r"unsubscribe/\S+", "", text)


def test_worker_ends_soon_when_it_is_asked_to(brand):
    EmailFactory(brand=brand, created_at=timezone.now())
    with mail_server() as mailbox:
        variables = mail_environment(mailbox)
        with python("manage.py", WORKER, environment=variables) as process:
            await_condition(lambda: bool(mailbox.accepted), seconds=SECONDS)
            began = time.monotonic()
            process.terminate()
            status = process.wait(SECONDS)

    assert status == 0
    assert time.monotonic() - began < GRACE_SECONDS
    assert _in_state(QueueState.SENT) != []
    assert not WorkerJob.objects.exclude(lease_until=None).exists()


def _taken() -> QuerySet[Email]:
    return Email.objects.filter(
        state=QueueState.WAITING, next_at__gt=timezone.now() + LEASE / 2
    )


def _in_state(*states: QueueState) -> list[str]:
    found = Email.objects.filter(state__in=states)
    return list(found.values_list("message_id", flat=True))


def _open() -> list[str]:
    return _in_state(*TRIED_NEXT)
