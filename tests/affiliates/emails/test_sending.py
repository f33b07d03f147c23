"""E-mails on their way to a real mail server, and to one that fails."""

from __future__ import annotations

from datetime import timedelta
from email.header import decode_header, make_header

import pytest
from django.core.mail.backends.base import BaseEmailBackend
from django.db import OperationalError

from affiliates.adapter import get_adapter
from affiliates.emails import mail_server as mail_server_module
from affiliates.emails import sending, services
from affiliates.emails.choices.services import set_choices
from affiliates.emails.mail_server import MailServer
from affiliates.emails.models import Email
from affiliates.emails.rules import LEASE, SWITCHED_OFF
from affiliates.emails.sending import MailServerUnusable, describe, send_due
from affiliates.emails.types import EmailKind
from affiliates.outbox.queue.rules import QueueState
from affiliates.worker.running import run_job
from affiliates.worker.types import JobFailed
from tests.affiliates.emails.test_news import notify
from tests.factories.emails import EmailFactory
from tests.smtp import mail_server

pytestmark = pytest.mark.django_db
MINUTE = timedelta(minutes=1)


@pytest.fixture
def mailbox(settings):
    with mail_server() as mailbox:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", mailbox.port
        settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        yield mailbox


@pytest.fixture
def email(brand):
    return EmailFactory(brand=brand)


def send(now):
    return send_due(now=lambda: now)


def test_sent_as_it_was_written(brand, mailbox, now, settings):
    settings.DEFAULT_FROM_EMAIL = "The shop <shop@example.com>"
    email = EmailFactory(brand=brand, text="Größe.", html="<p>Größe.</p>")

    assert (
        describe(send(now))
        == "1 sent, 0 to be sent again, 0 unclear, 0 failed, 0 given up."
    )

    (message,) = mailbox.accepted
    assert message["Message-ID"] == email.message_id
    assert (message["To"], message["From"], message["Subject"]) == (
        "partner@example.com",
        "The shop <shop@example.com>",
        "A subject",
    )
    parts = [part for part in message.walk() if not part.is_multipart()]
    assert [part.get_content_type() for part in parts] == ["text/plain", "text/html"]
    assert parts[0].get_payload(decode=True).decode().rstrip() == "Größe."
    email.refresh_from_db()
    assert (email.state, email.attempt_count, email.detail) == ("sent", 1, "")
    assert (email.next_at, email.finished_at) == (None, now)


def test_nothing_is_sent_twice(email, mailbox, now):
    send(now)
    send(now + timedelta(days=1))

    assert len(mailbox.accepted) == 1


@pytest.mark.parametrize(
    ("answers", "state", "detail"),
    [
        (
            {"recipient_answer": "550 5.1.1 <partner@example.com> unknown"},
            "failed",
            "Refused for its recipient: 550 5.1.1.",
        ),
        (
            {"text_answer": "554 5.7.1 No spam for partner@example.com"},
            "failed",
            "Refused for its content: 554 5.7.1.",
        ),
        (
            {"hangs_up": True},
            "unclear",
            "No answer, it may have arrived (SMTPServerDisconnected).",
        ),
        (
            {"answers_after": 0.6},
            "unclear",
            "No answer, it may have arrived (SMTPServerDisconnected).",
        ),
    ],
)
def test_refused_and_unclear_are_not_sent_again_by_themselves(
    email, mailbox, now, settings, answers, state, detail
):
    settings.EMAIL_TIMEOUT = 0.2
    vars(mailbox).update(answers)

    send(now)
    send(now + timedelta(days=1))

    email.refresh_from_db()
    assert (email.state, email.detail) == (state, detail)
    assert (email.attempt_count, email.next_at) == (1, None)
    assert len(mailbox.accepted) == (state == "unclear")


def test_refused_for_now_goes_again_with_the_same_message_id(email, mailbox, now):
    mailbox.recipient_answer = "450 4.2.0 Greylisted"
    send(now)
    email.refresh_from_db()
    assert (email.state, email.next_at) == ("retry", now + MINUTE)

    mailbox.recipient_answer, mailbox.text_answer = "250 OK", "451 4.3.0 Later"
    send(now + MINUTE)
    mailbox.text_answer = "250 OK"
    send(now + 6 * MINUTE)

    assert [one["Message-ID"] for one in mailbox.accepted] == [email.message_id]
    email.refresh_from_db()
    assert (email.state, email.attempt_count) == ("sent", 3)


def test_unclear_goes_again_when_somebody_says_so(email, mailbox, now):
    mailbox.hangs_up = True
    send(now)
    mailbox.hangs_up = False

    services.send_again(Email.objects.all(), now=now)
    send(now)

    ids = [one["Message-ID"] for one in mailbox.accepted]
    assert ids == [email.message_id] * 2
    email.refresh_from_db()
    assert email.state == "sent"


def test_one_failure_keeps_no_other(brand, mailbox, now):
    EmailFactory(brand=brand, recipient="two\nlines@example.com")
    mailbox.hangs_up = True
    EmailFactory(brand=brand)
    EmailFactory(brand=brand)

    states = send(now)

    assert (
        describe(states)
        == "0 sent, 0 to be sent again, 2 unclear, 1 failed, 0 given up."
    )
    assert len(mailbox.accepted) == 2


def test_server_that_is_away_costs_one_email_a_try(brand, email, now, settings):
    other = EmailFactory(brand=brand)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1

    with pytest.raises(MailServerUnusable, match="^ConnectionRefusedError$"):
        send(now)

    email.refresh_from_db()
    other.refresh_from_db()
    assert (email.state, email.attempt_count) == ("retry", 1)
    assert email.next_at == now + MINUTE
    assert email.detail == "The mail server cannot be used (ConnectionRefusedError)."
    assert other.attempt_count == 0


def test_no_mail_server_is_waited_for_without_end(email, mailbox, now, monkeypatch):
    seen = []
    connection = mail_server_module.default_backend

    def look():
        seen.append(connection())
        return seen[-1]

    monkeypatch.setattr(mail_server_module, "default_backend", look)

    send(now)

    assert [backend.timeout for backend in seen] == [60]


def test_database_lost_before_the_hand_over_sends_nothing(
    email, mailbox, now, monkeypatch
):
    def lose(*args, **options):
        raise OperationalError

    with monkeypatch.context() as patch:
        patch.setattr(services, "begin_sending", lose)
        with pytest.raises(OperationalError):
            send(now)
    assert mailbox.accepted == []

    send(now + LEASE)

    assert [one["Message-ID"] for one in mailbox.accepted] == [email.message_id]


def test_database_lost_after_the_hand_over_is_unclear(email, mailbox, now, monkeypatch):
    def lose(*args, **options):
        raise OperationalError

    with monkeypatch.context() as patch:
        patch.setattr(services, "finish_try", lose)
        with pytest.raises(OperationalError):
            send(now)

    send(now + LEASE)

    email.refresh_from_db()
    assert email.state == "unclear"
    assert len(mailbox.accepted) == 1


def test_whoever_lost_its_lease_sends_nothing(email, mailbox, now, monkeypatch):
    monkeypatch.setattr(services, "begin_sending", lambda *args, **options: False)

    send(now)

    assert mailbox.accepted == []
    email.refresh_from_db()
    assert (email.state, email.next_at) == ("waiting", now + LEASE)


PAID, APPLIED = "your payout of €0.01 is paid", "we have received your application"


@pytest.mark.parametrize(
    ("owner", "step", "sent", "was"),
    [
        (MailServer, "connect", [APPLIED], ("not_sent", SWITCHED_OFF)),
        (services, "begin_sending", [APPLIED], ("not_sent", SWITCHED_OFF)),
        (services, "finish_try", [PAID, APPLIED], ("sent", "")),
    ],
)
def test_what_is_switched_off_before_the_hand_over_is_not_sent(
    affiliate, mailbox, now, monkeypatch, owner, step, sent, was
):
    act = getattr(owner, step)

    def switch_off(*args, **options):
        set_choices(affiliate.pk, {"paid": "never"}, now=now)
        return act(*args, **options)

    notify(affiliate, now)
    notify(affiliate, now, EmailKind.APPLIED)
    monkeypatch.setattr(owner, step, switch_off)
    states = send(now)

    subjects = [
        str(make_header(decode_header(one["Subject"]))) for one in mailbox.accepted
    ]
    assert [one.rpartition(": ")[2] for one in subjects] == sent
    email = Email.objects.get(kind="paid")
    assert (email.state, email.detail) == was
    assert (email.attempt_count, email.next_at, email.finished_at) == (1, None, now)
    assert states[QueueState.SENT] == len(sent)


def test_stops_between_two_emails(brand, email, mailbox, now):
    EmailFactory(brand=brand)

    send_due(now=lambda: now, should_stop=lambda: bool(mailbox.accepted))

    assert len(mailbox.accepted) == 1
    assert Email.objects.filter(attempt_count=0).count() == 1


class OtherBackend(BaseEmailBackend):
    """One that is no SMTP, answering as it is told."""

    answer: object = 1

    def send_messages(self, messages):
        # Whatever happens from here on, the row says that it may have arrived.
        assert Email.objects.get().state == "sending"
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (1, "sent"),
        (None, "sent"),
        (0, "retry"),
        (TimeoutError(), "unclear"),
        (RuntimeError("partner@example.com"), "unclear"),
        (ConnectionRefusedError(), "retry"),
    ],
)
def test_any_backend_of_django_will_do(
    email, now, settings, monkeypatch, answer, state
):
    settings.EMAIL_BACKEND = f"{__name__}.OtherBackend"
    monkeypatch.setattr(OtherBackend, "answer", answer)

    sending.send_due(now=lambda: now)

    email.refresh_from_db()
    assert email.state == state
    assert "partner@" not in email.detail


def test_the_job_says_what_came_of_it(email, mailbox, settings, now):
    done = run_job("emails", now=now)
    EmailFactory(brand=email.brand)
    settings.EMAIL_PORT = 1
    with pytest.raises(JobFailed) as failure:
        run_job("emails", now=now)

    assert done.report == "1 sent, 0 to be sent again, 0 unclear, 0 failed, 0 given up."
    assert str(failure.value) == (
        "The mail server cannot be used (ConnectionRefusedError)"
    )


def test_emails_of_a_batch_are_read_and_written_in_few_queries(
    affiliate, mailbox, now, django_assert_max_num_queries
):
    for number in range(10):
        notify(affiliate, now, fact=str(number))

    # Of each: begun with its text, and finished. Of all: leased, and read with what the
    # texts name.
    with django_assert_max_num_queries(2 * 10 + 12):
        send(now)

    assert len(mailbox.accepted) == 10
    stored = set(Email.objects.values_list("state", "attempt_count", "subject"))
    assert {(state, count) for state, count, _ in stored} == {("sent", 1)}
    assert all(subject for _, _, subject in stored)


def test_stopped_sender_gives_back_what_it_has_leased(brand, mailbox, now):
    emails = [EmailFactory(brand=brand) for _ in range(3)]

    send_due(now=lambda: now, should_stop=lambda: bool(mailbox.accepted))

    assert len(mailbox.accepted) == 1
    first, *others = Email.objects.order_by("pk")
    assert (first.pk, first.state) == (emails[0].pk, "sent")
    assert {(one.state, one.next_at) for one in others} == {("waiting", now)}


def test_failing_host_stops_no_email_of_others(
    affiliate, brand, mailbox, now, monkeypatch
):
    def fail(*_):
        raise LookupError

    EmailFactory(brand=brand)
    notify(affiliate, now)
    monkeypatch.setattr(type(get_adapter()), "client_details", fail)

    states = send(now)

    assert (states[QueueState.SENT], states[QueueState.RETRY]) == (1, 1)
    email = Email.objects.get(kind="paid")
    assert email.detail == "It cannot be written (LookupError)."
