"""Links that open something: sealed apart from the text, and given to the mail server alone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.emails.choices.services import set_choices
from affiliates.emails.links import open_link
from affiliates.emails.models import Email
from affiliates.emails.rules import HIDDEN_LINK
from affiliates.emails.sending import send_due
from affiliates.emails.services import (
    empty_emails,
    enqueue_email,
    send_again,
)
from tests.affiliates.emails.test_news import notify
from tests.factories.emails import EmailFactory

pytestmark = pytest.mark.django_db
LINK = "https://shop.example.com/affiliate/confirm/WzEsMTc3MjM2NjQwMF0:abc&d"
DAY = timedelta(days=1)
INTERRUPTED = "tests.affiliates.emails.backends.InterruptedBackend"
OTHER_KEYS = "9:" + "B" * 43 + "="


@pytest.fixture
def email(brand, now) -> Email:
    enqueue_email(
        brand_id=brand.pk,
        key="confirm:1",
        recipient="new@example.com",
        subject="Confirm",
        text=f"Here:\n{HIDDEN_LINK}\n",
        html=f'<a href="{HIDDEN_LINK}">{HIDDEN_LINK}</a>',
        link=LINK,
        now=now,
    )
    return Email.objects.get()


def send(now):
    send_due(now=lambda: now)


def test_the_text_is_stored_without_it(email):
    assert (email.text, email.shown_text) == (
        f"Here:\n{HIDDEN_LINK}\n",
        "Here:\n(link, not shown)\n",
    )
    assert LINK not in email.html + email.link
    assert open_link(email.link) == LINK


def test_the_recipient_gets_it_and_the_row_loses_it(email, now, mailoutbox):
    send(now)

    escaped = LINK.replace("&", "&amp;")
    (message,) = mailoutbox
    assert message.body == f"Here:\n{LINK}\n"
    assert message.alternatives[0][0] == f'<a href="{escaped}">{escaped}</a>'
    assert "List-Unsubscribe" not in message.extra_headers
    email.refresh_from_db()
    assert (email.state, email.link) == ("sent", "")
    assert email.text == f"Here:\n{HIDDEN_LINK}\n"


def test_what_may_not_have_arrived_is_sent_again_with_it(
    email, now, settings, mailoutbox
):
    backend = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = INTERRUPTED
    send(now)
    email.refresh_from_db()
    assert (email.state, open_link(email.link)) == ("unclear", LINK)
    settings.EMAIL_BACKEND = backend

    assert send_again(Email.objects.all(), now=now + DAY) == 1
    send(now + DAY)

    assert [one.body for one in mailoutbox] == [f"Here:\n{LINK}\n"] * 2
    email.refresh_from_db()
    assert (email.state, email.link) == ("sent", "")


def test_it_is_emptied_with_the_text(email, brand, now):
    EmailFactory(brand=brand, state="failed", created_at=now, link=email.link)

    assert empty_emails(older_than=DAY, now=now + 2 * DAY) == 1

    assert set(Email.objects.values_list("state", "text", "link")) == {
        ("waiting", email.text, email.link),
        ("failed", "", ""),
    }


def test_without_its_key_it_waits_and_nothing_is_sent(email, now, settings, mailoutbox):
    settings.AFFILIATES_SECRET_KEYS = OTHER_KEYS

    send(now)

    email.refresh_from_db()
    assert (email.state, email.detail, mailoutbox) == (
        "retry",
        "It cannot be written (LinkUnreadable).",
        [],
    )


def test_a_link_to_unsubscribe_is_in_no_row_and_one_in_the_message(
    affiliate, now, mailoutbox
):
    notify(affiliate, now)

    send(now)

    (message,) = mailoutbox
    link = message.extra_headers["List-Unsubscribe"].strip("<>")
    email = Email.objects.get()
    assert link in message.body
    assert link in message.alternatives[0][0]
    assert HIDDEN_LINK in email.text
    assert HIDDEN_LINK in email.html
    assert "/unsubscribe/" not in email.text + email.html + email.link


def test_what_was_switched_off_meanwhile_keeps_no_link(affiliate, now):
    notify(affiliate, now)
    set_choices(affiliate.pk, {"paid": "never"}, now=now)
    Email.objects.update(link="sealed")

    send(now)

    email = Email.objects.get()
    assert (email.state, email.link) == ("not_sent", "")
