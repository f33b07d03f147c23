"""Links of announcements: where they lead, and that their first opening is kept."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.test import Client

from affiliates.contrib.announcements.models import AnnouncementRecipient
from affiliates.contrib.announcements.selectors import path_of
from affiliates.encrypted.columns import Purpose
from affiliates.program.models import Affiliate
from tests.database import nothing_written
from tests.factories.announcements import AnnouncementFactory
from tests.factories.emails import EmailFactory

pytestmark = pytest.mark.django_db

PATH = re.compile(r"https://shop\.example\.com(/api/announcements/[\w.-]+)")


@pytest.fixture
def outside():
    return Client(HTTP_HOST="shop.example.com")


@pytest.fixture
def announcement(brand, affiliate, queue):
    announcement = AnnouncementFactory(brand=brand, to=[affiliate])
    queue(announcement)
    announcement.refresh_from_db()
    return announcement


@pytest.fixture(autouse=True)
def _present(monkeypatch, now):
    monkeypatch.setattr("django.utils.timezone.now", lambda: now)


def test_links_of_an_email_lead_to_its_urls(
    brand, affiliate, queue, deliver, mailoutbox, outside, now
):
    queue(
        AnnouncementFactory(
            brand=brand,
            to=[affiliate],
            text="https://a.example/x, https://b.example/?q=1",
        )
    )
    deliver()
    [message] = mailoutbox
    first, second = PATH.findall(message.body)

    answers = [outside.get(path) for path in (second, first, first)]

    assert [(one.status_code, one.headers["Location"]) for one in answers] == [
        (302, "https://b.example/?q=1"),
        (302, "https://a.example/x"),
        (302, "https://a.example/x"),
    ]
    opened = {"1": now.isoformat(), "0": now.isoformat()}
    assert AnnouncementRecipient.objects.get().opened == opened
    html = message.alternatives[0][0]
    assert f'<a href="https://shop.example.com{first}">https://a.example/x</a>' in html


def test_answer_is_kept_nowhere_and_names_no_email(announcement, outside):
    path = path_of(announcement.pk, announcement.recipients.get().pk, 0)

    headers = outside.get(path).headers

    assert "no-store" in headers["Cache-Control"]
    assert (headers["Referrer-Policy"], headers["X-Robots-Tag"]) == (
        "no-referrer",
        "noindex",
    )


@pytest.mark.parametrize(("method", "status"), [("head", 302), ("post", 405)])
def test_only_a_get_counts(method, status, announcement, outside):
    path = path_of(announcement.pk, announcement.recipients.get().pk, 0)

    with nothing_written():
        assert getattr(outside, method)(path).status_code == status


@pytest.mark.parametrize(
    ("_case", "token"),
    [
        ("a letter", "x"),
        ("a key's number and nothing of ours", "1.AAAAA"),
        ("long", "x" * 300),
        ("another purpose's", None),
    ],
)
def test_token_that_we_have_not_made_is_not_found(_case, token, announcement, outside):
    token = token or Purpose(b"affiliates.unsubscribe.v1").encrypt(b"1:1:0")
    with nothing_written():
        assert outside.get(f"/api/announcements/{token}").status_code == 404


@pytest.mark.parametrize(
    ("_case", "announcement_id", "number"),
    [("no such announcement", 999_999, 0), ("no such link", None, 9)],
)
def test_link_of_nothing_is_not_found(
    _case, announcement_id, number, announcement, outside
):
    recipient = announcement.recipients.get()
    path = path_of(announcement_id or announcement.pk, recipient.pk, number)

    with nothing_written():
        assert outside.get(path).status_code == 404


def test_link_of_an_erased_affiliate_leads_on(announcement, outside):
    recipient = announcement.recipients.get()
    path = path_of(announcement.pk, recipient.pk, 0)
    recipient.delete()

    with nothing_written():
        answer = outside.get(path)

    assert answer.headers["Location"] == "https://example.org/banners"


def test_opening_after_its_time_is_not_kept(
    announcement, outside, now, monkeypatch, settings
):
    settings.AFFILIATES_KEEP_EMAILS_DAYS = 30
    path = path_of(announcement.pk, announcement.recipients.get().pk, 0)
    monkeypatch.setattr("django.utils.timezone.now", lambda: now + timedelta(days=31))

    with nothing_written():
        assert outside.get(path).status_code == 302


def test_without_a_public_address_links_lead_to_their_urls(
    brand, affiliate, queue, deliver, mailoutbox
):
    brand.domains.all().delete()
    queue(AnnouncementFactory(brand=brand, to=[affiliate]))

    deliver()

    assert "See https://example.org/banners, and share them." in mailoutbox[0].body


def test_text_is_shown_as_text(brand, affiliate, queue, deliver, mailoutbox):
    text = "<b>Bold</b>\n\nhttps://a.example/?a=1&b='2"
    queue(AnnouncementFactory(brand=brand, to=[affiliate], text=text))

    deliver()

    [message] = mailoutbox
    html = message.alternatives[0][0]
    assert "<b>Bold</b>" in message.body
    assert "&lt;b&gt;Bold&lt;/b&gt;<br><br>" in html
    assert ">https://a.example/?a=1&amp;b=&#x27;2</a>" in html
    assert Affiliate.objects.get().announcements.count() == 1
    assert EmailFactory._meta.model.objects.count() == 1
