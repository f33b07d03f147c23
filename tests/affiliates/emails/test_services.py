"""The outbox: what is put in, taken, finished and emptied."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction

from affiliates.emails import services
from affiliates.emails.choices.services import set_choices
from affiliates.emails.kinds import KINDS, chosen_kinds
from affiliates.emails.links import page_path
from affiliates.emails.models import Email
from affiliates.emails.preview.values import SAMPLES
from affiliates.emails.rules import LEASE
from affiliates.emails.sending import send_due
from affiliates.emails.types import EmailKind, News
from affiliates.outbox.queue.rules import QueueState, TryResult
from tests.affiliates.emails.taking import take_next
from tests.factories.emails import EmailFactory
from tests.races import at_once, needs_postgresql

pytestmark = pytest.mark.django_db


def enqueue(brand, now, key="test:1", **fields):
    given = {"recipient": "ada@example.com", "subject": "Hello", "text": "Text."}
    services.enqueue_email(brand_id=brand.pk, key=key, now=now, **given | fields)


def test_queued_email_is_due_at_once(brand, now, settings):
    settings.DEFAULT_FROM_EMAIL = "The shop <shop@mail.example.com>"

    enqueue(brand, now, html="<p>Text.</p>")

    email = Email.objects.get()
    assert (email.state, email.next_at, email.attempt_count) == ("waiting", now, 0)
    assert (email.recipient, email.subject) == ("ada@example.com", "Hello")
    assert (email.text, email.html) == ("Text.", "<p>Text.</p>")
    assert email.message_id.startswith("<")
    assert email.message_id.endswith("@mail.example.com>")


def test_each_has_a_message_id_of_its_own(brand, now):
    enqueue(brand, now, "test:1")
    enqueue(brand, now, "test:2")

    assert len(set(Email.objects.values_list("message_id", flat=True))) == 2


def test_key_is_queued_once(brand, now):
    enqueue(brand, now)
    enqueue(brand, now + timedelta(hours=1), subject="Again")

    assert Email.objects.get().subject == "Hello"


def test_nothing_is_queued_when_the_callers_transaction_is_undone(brand, now):
    with transaction.atomic():
        enqueue(brand, now)
        transaction.set_rollback(True)

    assert Email.objects.count() == 0


def test_subject_is_one_line(brand, now):
    enqueue(brand, now, subject=" Hello\r\nBcc: all@example.com " + "x" * 300)

    subject = Email.objects.get().subject
    assert subject.startswith("Hello Bcc: all@example.com xxx")
    assert len(subject) == 255


@pytest.mark.parametrize("sender", ["nobody", "shop@bücher.example", ""])
def test_message_id_is_plain_whatever_the_sender(brand, now, settings, sender):
    settings.DEFAULT_FROM_EMAIL = sender

    enqueue(brand, now)

    assert Email.objects.get().message_id.endswith("@localhost>")


def test_taken_email_is_nobody_elses_until_its_lease_ends(brand, now):
    EmailFactory(brand=brand)

    taken = take_next(now=now)

    assert take_next(now=now + LEASE - timedelta(seconds=1)) is None
    again = take_next(now=now + LEASE)
    assert again.pk == taken.pk


def test_whoever_lost_its_lease_neither_sends_nor_finishes(brand, now):
    EmailFactory(brand=brand)
    late = take_next(now=now)
    take_next(now=now + LEASE)

    assert services.begin_sending(late, now=now + LEASE) is False
    services.finish_try(late, TryResult(QueueState.FAILED), now=now + LEASE)
    assert Email.objects.get().state == "waiting"


def test_earliest_goes_first(brand, now):
    EmailFactory(brand=brand, next_at=now - timedelta(minutes=1))
    first = EmailFactory(brand=brand, next_at=now - timedelta(minutes=2))
    EmailFactory(brand=brand, next_at=now + timedelta(minutes=1))

    assert take_next(now=now).pk == first.pk


def test_interrupted_hand_over_is_unclear_when_its_lease_ends(brand, now):
    EmailFactory(brand=brand)
    email = take_next(now=now)
    services.begin_sending(email, now=now)

    assert services.close_interrupted(now=now + LEASE - timedelta(seconds=1)) == 0
    assert services.close_interrupted(now=now + LEASE) == 1

    email.refresh_from_db()
    assert (email.state, email.next_at) == ("unclear", None)
    assert email.finished_at == now + LEASE
    assert email.detail == (
        "The process that was sending it ended before it knew the answer."
    )
    assert take_next(now=now + timedelta(days=9)) is None


def test_answer_that_comes_late_is_still_recorded(brand, now):
    EmailFactory(brand=brand)
    email = take_next(now=now)
    services.begin_sending(email, now=now)
    services.close_interrupted(now=now + LEASE)

    services.finish_try(email, TryResult(QueueState.SENT), now=now + LEASE)

    assert Email.objects.get().state == "sent"


def test_only_unclear_and_failed_are_sent_again(brand, now):
    for state in QueueState:
        EmailFactory(brand=brand, state=state, key=f"test:{state}")
    EmailFactory(brand=brand, state="failed", recipient="", key="test:emptied")
    later = now + timedelta(days=1)

    assert services.send_again(Email.objects.all(), now=later) == 3

    again = Email.objects.filter(queued_at=later)
    assert {email.key for email in again} == {
        "test:unclear",
        "test:failed",
        "test:given_up",
    }
    assert {(email.state, email.next_at, email.finished_at) for email in again} == {
        ("retry", later, None)
    }


def test_old_emails_are_emptied_and_their_rows_kept(brand, now):
    month = timedelta(days=30)
    old = {"created_at": now - month - timedelta(seconds=1), "html": "<p>"}
    for state in QueueState:
        EmailFactory(brand=brand, state=state, **old)
    EmailFactory(brand=brand, state="sent", created_at=now - month)

    assert services.empty_emails(older_than=month, now=now) == 5
    assert services.empty_emails(older_than=month, now=now) == 0

    emptied = Email.objects.filter(recipient="")
    assert {(email.subject, email.text, email.html) for email in emptied} == {
        ("", "", "")
    }
    assert {email.state for email in emptied} == {
        "sent",
        "unclear",
        "failed",
        "given_up",
        "not_sent",
    }
    assert Email.objects.count() == 9


def test_emptied_email_keeps_its_amount_and_row_alone(affiliate, now):
    values = {**SAMPLES[EmailKind.COMMISSION_APPROVED], "order": "A"}
    news = News(
        kind=EmailKind.COMMISSION_APPROVED,
        brand_id=affiliate.brand_id,
        affiliate_id=affiliate.pk,
        fact="1",
        values=values,
    )
    set_choices(affiliate.pk, {"commission_approved": "at_once"}, now=now)
    services.notify_affiliates([news], now=now)
    send_due(now=lambda: now)

    day = timedelta(days=1)
    assert services.empty_emails(older_than=day, now=now + 2 * day) == 1

    email = Email.objects.get()
    assert (email.subject, email.text, email.values) == ("", "", None)
    assert email.facts == {
        "invoice": "INVOICE-1042",
        "commission_id": 1042,
        "left": {"amount": 12_50, "currency": "EUR"},
    }


@pytest.mark.parametrize("kind", [*chosen_kinds(), EmailKind.DIGEST])
def test_facts_of_each_kind_name_its_page_and_no_person(kind):
    facts = KINDS[kind].facts(SAMPLES.get(kind, {}))

    assert page_path(kind, facts)
    assert not {"destination", "reason", "client", "note", "claim"} & facts.keys()


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_many_senders_take_each_email_once(brand, now):
    for _ in range(40):
        EmailFactory(brand=brand)

    def take_all(_: int) -> list[int]:
        taken = []
        while (email := take_next(now=now)) is not None:
            taken.append(email.pk)
        return taken

    taken = [pk for mine in at_once(4, take_all) for pk in mine]

    assert len(taken) == len(set(taken)) == 40
