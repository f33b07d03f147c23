"""Announcements: drafted, sent once, queued for each affiliate once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from affiliates.adapter import get_adapter
from affiliates.contracts import ClientDetails
from affiliates.contrib.announcements import services
from affiliates.contrib.announcements.models import Announcement, AnnouncementRecipient
from affiliates.contrib.announcements.selectors import COUNTS, expected_of
from affiliates.emails.models import Email
from affiliates.emails.rules import HAS_LEFT, TEST_BRAND
from affiliates.errors import StateConflict
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.worker.purges import purge
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory
from tests.factories.announcements import AnnouncementFactory
from tests.factories.emails import EmailChoiceFactory, EmailFactory

pytestmark = pytest.mark.django_db

DAY = timedelta(days=1)


def results() -> dict[str, str]:
    """Of each recipient by its code: why it was left out, or its e-mail's state."""
    rows = AnnouncementRecipient.objects.select_related("affiliate", "email")
    return {
        row.affiliate.code: row.email.state if row.email else row.left_out
        for row in rows
    }


def test_draft_keeps_who_was_chosen_and_the_filters(affiliates):
    affiliates(3)

    draft = services.draft_announcement(
        Affiliate.objects.all(),
        audience="All of: Status: Active",
        query="status__exact=active",
    )

    assert (draft.audience, draft.query) == (
        "All of: Status: Active",
        "status__exact=active",
    )
    assert (draft.state, draft.subject) == ("draft", "")
    assert set(draft.recipients.values_list("affiliate_id", flat=True)) == set(
        Affiliate.objects.values_list("pk", flat=True)
    )
    assert Email.objects.count() == 0


@pytest.mark.parametrize("_case", ["several brands", "nobody"])
def test_draft_is_of_one_brand(_case, affiliates):
    if _case == "several brands":
        affiliates(1)
        affiliates(1, of=BrandFactory(client_area="other.example.com"))

    with nothing_written(), pytest.raises(StateConflict, match="of one brand"):
        services.draft_announcement(Affiliate.objects.all(), audience="", query="")


def test_each_affiliate_gets_one_email_in_its_language(
    brand, affiliates, queue, deliver, mailoutbox, monkeypatch
):
    ada, bob = affiliates(2)
    languages = {str(ada.user_id): "de", str(bob.user_id): "en"}
    details = type(get_adapter()).client_details

    def speaking(self, client_ids):
        return {
            pk: ClientDetails(name="", email=known.email, language=languages[pk])
            for pk, known in details(self, client_ids).items()
        }

    monkeypatch.setattr(type(get_adapter()), "client_details", speaking)
    announcement = AnnouncementFactory(brand=brand, to=[ada, bob])

    said = queue(announcement)
    deliver()

    assert said == "2 e-mails of announcements queued."
    assert {message.subject for message in mailoutbox} == {"Neue Banner", "New banners"}
    german = next(one for one in mailoutbox if one.subject == "Neue Banner")
    assert german.body.startswith("Hallo,")
    assert "Siehe https://shop.example.com/api/announcements/" in german.body
    assert ">https://example.org/de</a>" in german.alternatives[0][0]
    announcement.refresh_from_db()
    assert announcement.state == "sent"
    assert announcement.links == [
        "https://example.org/banners",
        "https://example.org/de",
    ]


def test_email_can_be_switched_off_by_one_click(
    brand, affiliates, queue, deliver, mailoutbox
):
    queue(AnnouncementFactory(brand=brand, to=affiliates(1)))
    deliver()

    [message] = mailoutbox
    assert (
        message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    )
    assert "/api/emails/unsubscribe/" in message.extra_headers["List-Unsubscribe"]


def test_who_is_left_out_and_why_is_counted_before_and_kept_after(
    brand, affiliates, host, queue, now, monkeypatch
):
    names = ("gets", "off", "nowhere", "today", "pending", "suspended", "left")
    rows = dict(zip(names, affiliates(len(names)), strict=True))
    for name in names:
        rows[name].code = name
        if name in AffiliateStatus.values:
            rows[name].status = name
        rows[name].save()
    EmailChoiceFactory(affiliate=rows["off"], kind="announcement", delivery="never")
    queue(AnnouncementFactory(brand=brand, to=[rows["today"]]))
    details = type(get_adapter()).client_details
    nowhere = str(rows["nowhere"].user_id)
    monkeypatch.setattr(
        type(get_adapter()),
        "client_details",
        lambda self, ids: details(self, set(ids) - {nowhere}),
    )
    announcement = AnnouncementFactory(brand=brand, to=rows.values())

    expected = expected_of(announcement, day=now.date())
    queue(announcement)

    assert expected == {
        None: 1,
        "switched_off": 1,
        "no_address": 1,
        "one_today": 1,
        "not_active": 3,
    }
    left_out = dict(announcement.recipients.values_list("affiliate__code", "left_out"))
    assert left_out == {
        "gets": "",
        "off": "switched_off",
        "nowhere": "no_address",
        "today": "one_today",
        "pending": "not_active",
        "suspended": "not_active",
        "left": "not_active",
    }
    assert Email.objects.count() == 2


def test_counts_add_up(brand, affiliates, queue):
    states = ("sent", "failed", "unclear", "given_up", "not_sent", "waiting", "retry")
    rows = affiliates(len(states))
    leaver = affiliates(1, status="left", of=BrandFactory(client_area="b.example.com"))
    announcement = AnnouncementFactory(brand=brand, to=[*rows, *leaver])
    queue(announcement)
    for state, recipient in zip(
        states, announcement.recipients.order_by("pk"), strict=False
    ):
        next_at = {} if state in ("waiting", "retry") else {"next_at": None}
        Email.objects.filter(pk=recipient.email_id).update(state=state, **next_at)

    counted = Announcement.objects.annotate(**COUNTS).values(*COUNTS)
    assert counted.get() == {"delivered": 1, "failed": 3, "not_sent": 2, "waiting": 2}


@pytest.mark.parametrize(
    ("_case", "fields", "reason"),
    [
        ("left meanwhile", {"status": "left"}, HAS_LEFT),
        ("a test brand", {"brand__is_test": True}, TEST_BRAND),
    ],
)
def test_what_changed_before_the_email_is_sent(
    _case, fields, reason, brand, affiliate, queue, deliver, mailoutbox
):
    queue(AnnouncementFactory(brand=brand, to=[affiliate]))
    for name, value in fields.items():
        if name == "status":
            Affiliate.objects.update(status=value)
        else:
            type(brand).objects.update(is_test=value)

    deliver()

    [email] = Email.objects.all()
    assert (email.state, email.detail, mailoutbox) == ("not_sent", reason, [])


def test_a_day_is_the_brands(brand, affiliate, queue, now):
    type(brand).objects.update(time_zone="Pacific/Auckland")
    midnight = now.replace(hour=11)

    for at in (
        midnight - timedelta(minutes=1),
        midnight,
        midnight + timedelta(hours=1),
    ):
        queue(AnnouncementFactory(brand=brand, to=[affiliate]), at=at)

    rows = AnnouncementRecipient.objects.order_by("pk").values_list(
        "left_out", flat=True
    )
    assert list(rows) == ["", "", "one_today"]
    assert Email.objects.count() == 2


def test_database_refuses_a_second_one_of_a_day(brand, affiliate, queue):
    first = AnnouncementFactory(brand=brand, to=[affiliate])
    queue(first)
    second = AnnouncementFactory(brand=brand, to=[affiliate])
    day = first.recipients.get().day

    with pytest.raises(IntegrityError), transaction.atomic():
        second.recipients.update(day=day, email=EmailFactory(brand=brand))


@pytest.mark.parametrize(
    ("_case", "fields", "reason"),
    [
        ("no subject", {"subject": ""}, "Write the subject and the text first."),
        ("no text", {"text": ""}, "Write the subject and the text first."),
    ],
)
def test_unwritten_announcement_is_not_sent(
    _case, fields, reason, brand, affiliate, staff, now
):
    announcement = AnnouncementFactory(brand=brand, to=[affiliate], **fields)

    with nothing_written(), pytest.raises(StateConflict, match=reason):
        services.send_announcement(announcement.pk, actor_id=staff.pk, now=now)


def test_announcement_is_sent_once(brand, affiliate, queue, staff, now):
    announcement = AnnouncementFactory(brand=brand, to=[affiliate])
    queue(announcement)

    with nothing_written(), pytest.raises(StateConflict, match="is sent already"):
        services.send_announcement(announcement.pk, actor_id=staff.pk, now=now + DAY)
    services.send_announcements(lambda: now + DAY, lambda: False)

    assert Email.objects.count() == 1


@pytest.mark.parametrize("state", ["sending", "sent"])
def test_database_refuses_a_sent_one_without_a_sender(brand, state):
    with pytest.raises(IntegrityError), transaction.atomic():
        AnnouncementFactory(brand=brand, state=state)


def test_job_that_must_stop_goes_on_later(brand, affiliates, staff, now, monkeypatch):
    monkeypatch.setattr(services, "AT_ONCE", 2)
    announcement = AnnouncementFactory(brand=brand, to=affiliates(5))
    services.send_announcement(announcement.pk, actor_id=staff.pk, now=now)
    stops = iter([False, True, True])

    services.send_announcements(lambda: now, lambda: next(stops))

    announcement.refresh_from_db()
    waiting = Announcement.objects.annotate(**COUNTS).get().waiting
    undecided = announcement.recipients.filter(email=None).count()
    assert (announcement.state, undecided, waiting) == ("sending", 3, 5)
    services.send_announcements(lambda: now + DAY, lambda: False)
    announcement.refresh_from_db()
    assert (announcement.state, Email.objects.count()) == ("sent", 5)


def test_openings_are_cleared_with_the_content_of_emails(
    brand, affiliate, queue, now, settings
):
    settings.AFFILIATES_KEEP_EMAILS_DAYS = 30
    announcement = AnnouncementFactory(brand=brand, to=[affiliate])
    queue(announcement)
    announcement.recipients.update(opened={"0": now.isoformat()})

    early = services.purge_openings(now=now + 29 * DAY)
    said = purge(lambda: now + 30 * DAY, lambda: False)

    assert early == 0
    assert "1 recipients' opened links cleared" in said
    assert announcement.recipients.get().opened == {}
