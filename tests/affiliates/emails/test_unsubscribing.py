"""Which kinds an affiliate wants, and how an e-mail's link switches one off."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client

from affiliates.emails.choices import services
from affiliates.emails.models import Email, EmailChoice
from affiliates.emails.selectors import WAS_TRIED, choices_of, emails_to
from affiliates.emails.sending import send_emails
from affiliates.emails.types import EmailKind
from affiliates.errors import InvalidInput
from affiliates.outbox.queue.rules import QueueState
from tests.affiliates.emails.test_news import notify
from tests.database import nothing_written
from tests.factories.emails import EmailFactory

pytestmark = pytest.mark.django_db

URL = re.compile(r"<https://shop\.example\.com(/api/emails/unsubscribe/[\w.-]+)>")


@pytest.fixture
def outside():
    """A mail program: without cookies, and with CSRF's checks."""
    return Client(enforce_csrf_checks=True, HTTP_HOST="shop.example.com")


@pytest.fixture
def work(now):
    return lambda: send_emails(lambda: now + timedelta(days=1), lambda: False)


@pytest.fixture
def link(affiliate, now, mailoutbox, work) -> str:
    """Of an e-mail about a sale, which has been sent."""
    notify(affiliate, now, fact="sent")
    work()
    headers = mailoutbox.pop().extra_headers
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    return URL.fullmatch(headers["List-Unsubscribe"])[1]


def switched_off() -> list[str]:
    refused = EmailChoice.objects.filter(delivery="never")
    return list(refused.order_by("kind").values_list("kind", flat=True))


def test_worker_sends_none_of_the_kind_after_one_click(
    link, affiliate, now, outside, mailoutbox, work
):
    notify(affiliate, now, fact="queued before")
    answer = outside.post(link, {"List-Unsubscribe": "One-Click"})
    notify(affiliate, now, fact="queued after")
    notify(affiliate, now, EmailKind.FIRST_REFERRAL)
    work()

    assert answer.status_code == 200
    assert switched_off() == ["paid"]
    assert [one.subject for one in mailoutbox] == [
        f"{affiliate.brand}: your first referral"
    ]
    kept = Email.objects.filter(kind="paid").order_by("pk")
    assert [one.state for one in kept] == ["sent", "not_sent", "not_sent"]


def test_looking_at_the_page_asks_and_changes_nothing(link, outside):
    with nothing_written():
        answer = outside.get(link)

    text = answer.content.decode()
    assert "A payout is paid" in text
    assert '<form method="post"' in text
    assert "<script" not in text
    assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert "no-store" in answer.headers["Cache-Control"]


def test_second_button_switches_off_all_that_may_be(link, affiliate, outside):
    outside.post(link, {"all": "1"})

    optional = {one.kind for one in choices_of(affiliate.pk) if not one.always}
    assert set(switched_off()) == optional
    assert "sale" in optional
    assert "destination_changed" not in optional


@pytest.mark.parametrize("token", ["x", "1.AAAAA", "x" * 300])
def test_token_that_we_have_not_made_is_not_found(outside, token, link):
    with nothing_written():
        assert outside.post(f"/api/emails/unsubscribe/{token}").status_code == 404


def test_text_and_html_lead_there_too(affiliate, now, mailoutbox, work):
    notify(affiliate, now)
    work()

    [message] = mailoutbox
    leads = "https://shop.example.com/api/emails/unsubscribe/"
    assert f"To get no more e-mails of this kind: {leads}" in message.body
    assert f'<a href="{leads}' in message.alternatives[0][0]


def test_what_is_never_optional_has_no_such_link(affiliate, now, mailoutbox, work):
    notify(affiliate, now, EmailKind.APPLIED)
    work()

    [message] = mailoutbox
    assert set(message.extra_headers) == {"Message-ID"}
    assert "unsubscribe" not in message.body


def test_site_may_be_elsewhere_than_the_client_area(
    affiliate, now, mailoutbox, work, settings
):
    settings.AFFILIATES_SITE_URL = "https://portal.example.org/"
    notify(affiliate, now)
    work()

    header = mailoutbox[0].extra_headers["List-Unsubscribe"]
    assert header.startswith("<https://portal.example.org/api/emails/unsubscribe/")


def test_choices_name_every_kind_and_hold_until_they_are_changed(affiliate, now):
    services.set_choices(affiliate.pk, {"paid": "never", "sale": "never"}, now=now)
    services.set_choices(affiliate.pk, {"sale": "weekly"}, now=now)

    unwanted = [one.kind for one in choices_of(affiliate.pk) if one.delivery == "never"]
    assert unwanted == [EmailKind.PAID]
    assert EmailChoice.objects.count() == 2


@pytest.mark.parametrize("kind", ["destination_changed", "applied", "none"])
def test_kind_that_must_be_cannot_be_switched_off(affiliate, now, kind):
    with nothing_written(), pytest.raises(InvalidInput) as refused:
        services.set_choices(affiliate.pk, {"sale": "never", kind: "never"}, now=now)

    assert (refused.value.code, refused.value.field) == ("kind_not_optional", kind)


def test_emails_to_an_affiliate_are_its_own_without_those_to_another_address(
    affiliate, rival, brand
):
    to_affiliate = {"brand": brand, "affiliate": affiliate}
    mine = [
        EmailFactory(**to_affiliate, key=f"sale:{state}", state=state)
        for state in QueueState
    ]
    EmailFactory(
        **to_affiliate, key="destination_changed:1:paypal", state=QueueState.SENT
    )
    EmailFactory(brand=brand, affiliate=rival, state=QueueState.SENT)

    shown = [one for one in reversed(mine) if one.state in WAS_TRIED]
    assert list(emails_to(affiliate.pk)) == shown
    assert len(shown) == 4
