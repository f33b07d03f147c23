"""Announcements in Django admin: from the list of affiliates to the history."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from affiliates.brands.models.staff import StaffBrand
from affiliates.brands.roles import FINANCE, OPERATOR, READ_ONLY, SUPPORT
from affiliates.contrib.announcements.admin import ONCE, TEST_BRAND
from affiliates.contrib.announcements.models import Announcement
from affiliates.contrib.announcements.services import send_announcements
from affiliates.emails.models import Email
from affiliates.program.models import Affiliate
from tests.change_forms import filled_in
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory
from tests.factories.announcements import AnnouncementFactory

pytestmark = pytest.mark.django_db

AFFILIATES = "admin:affiliates_affiliate_changelist"


def page(name: str, *args: object) -> str:
    return reverse(f"admin:affiliates_announcements_announcement_{name}", args=args)


def write_to(client, *affiliates, query="", **fields):
    selected = {"_selected_action": [affiliate.pk for affiliate in affiliates]}
    form = {"action": "write_to", **selected, **fields}
    return client.post(f"{reverse(AFFILIATES)}?{query}", form)


def chosen() -> list[str]:
    rows = Announcement.objects.get().recipients
    return sorted(rows.values_list("affiliate__code", flat=True))


def test_chosen_affiliates_are_drafted_to(admin_client, affiliates):
    first, second, _ = affiliates(3)

    answer = write_to(admin_client, first, second, query="status__exact=active")

    draft = Announcement.objects.get()
    assert answer.headers["Location"] == page("change", draft.pk)
    assert chosen() == sorted([first.code, second.code])
    assert (draft.audience, draft.query) == (
        "Chosen of: Status: Active",
        "status__exact=active",
    )
    assert draft.state == "draft"
    assert Email.objects.count() == 0


def test_all_that_match_the_filters_are_drafted_to(admin_client, affiliates, affiliate):
    rows = affiliates(3, status="suspended")

    write_to(admin_client, rows[0], query="status__exact=suspended", select_across="1")

    assert chosen() == sorted(row.code for row in rows)
    assert Announcement.objects.get().audience == "All of: Status: Suspended"


def test_filters_are_shown(admin_client, affiliate):
    write_to(admin_client, affiliate, query="status__exact=active")

    shown = admin_client.get(page("change", Announcement.objects.get().pk)).text

    assert "Chosen of: Status: Active" in shown
    assert "status__exact=active" in shown


def test_affiliates_of_two_brands_are_refused(admin_client, affiliate, affiliates):
    [other] = affiliates(1, of=BrandFactory(client_area="other.example.com"))

    answer = write_to(admin_client, affiliate, other)

    shown = admin_client.get(answer.headers["Location"]).text
    assert "Choose affiliates of one brand: filter the list by it." in shown
    assert Announcement.objects.count() == 0


def test_text_and_translations_are_saved(admin_client, brand, affiliate):
    draft = AnnouncementFactory(
        brand=brand, to=[affiliate], subject="", text="", subject_translations={}
    )
    address = page("change", draft.pk)
    form = {
        **filled_in(admin_client, address),
        "subject": "Hello",
        "subject_translations_de": "Hallo",
        "text": "News",
        "text_translations_de": "",
    }

    answer = admin_client.post(address, form)

    draft.refresh_from_db()
    assert answer.status_code == 302
    assert (draft.subject, draft.text) == ("Hello", "News")
    assert (draft.subject_translations, draft.text_translations) == (
        {"de": "Hallo"},
        {},
    )
    assert draft.state == "draft"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("subject", ""),
        ("subject", "x" * 151),
        ("subject_translations_de", "x" * 151),
        ("text", ""),
        ("text", "x" * 10_001),
        ("text_translations_de", "x" * 10_001),
    ],
)
def test_unfit_text_is_refused(admin_client, brand, affiliate, field, value):
    draft = AnnouncementFactory(brand=brand, to=[affiliate])
    address = page("change", draft.pk)
    form = {**filled_in(admin_client, address), field: value}

    with nothing_written():
        assert admin_client.post(address, form).status_code == 200


@pytest.mark.parametrize(
    ("language", "subject", "text"),
    [
        ("en", "New banners", "See https://example.org/banners, and share them."),
        ("de", "Neue Banner", "Siehe https://example.org/de"),
    ],
)
def test_preview_shows_it_in_each_language(
    admin_client, brand, affiliate, language, subject, text
):
    draft = AnnouncementFactory(brand=brand, to=[affiliate])

    with nothing_written():
        shown = admin_client.get(page("preview", draft.pk), {"language": language}).text

    assert "<iframe" in shown
    assert f'title="{subject}"' in shown
    assert text in shown
    assert f"lang=&quot;{language}&quot;" in shown


def test_a_test_goes_to_oneself_alone(
    admin_client, admin_user, brand, affiliate, settings
):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    draft = AnnouncementFactory(brand=brand, to=[affiliate])

    address = f"{page('preview', draft.pk)}?language=de"
    said = admin_client.post(address, follow=True).text

    [email] = Email.objects.all()
    assert f"A test is queued to {admin_user.email}." in said
    assert (email.recipient, email.subject) == (admin_user.email, "[Test] Neue Banner")
    assert (email.kind, email.affiliate_id) == ("", None)
    draft.refresh_from_db()
    assert draft.state == "draft"


def test_question_says_how_many_get_it(admin_client, brand, affiliates):
    rows = affiliates(3)
    Affiliate.objects.filter(pk=rows[0].pk).update(status="left")
    draft = AnnouncementFactory(brand=brand, to=rows)

    with nothing_written():
        question = admin_client.get(page("send", draft.pk)).context["question"]

    assert question.title == "Send “New banners”?"
    assert question.facts == {
        "To": "All of: All affiliates",
        "Get it": "2",
        "Not active: applied, suspended or left": "1",
        "Has switched announcements off": "0",
        "Has no e-mail address": "0",
        "Has an announcement of today already": "0",
    }
    assert question.paragraphs == [ONCE]


def test_question_says_that_a_test_brand_sends_nothing(admin_client, brand, affiliate):
    type(brand).objects.update(is_test=True)
    draft = AnnouncementFactory(brand=brand, to=[affiliate])

    question = admin_client.get(page("send", draft.pk)).context["question"]

    assert question.paragraphs == [TEST_BRAND, ONCE]


def test_one_click_sends_it_and_a_repeat_does_not(
    admin_client, admin_user, brand, affiliate
):
    draft = AnnouncementFactory(brand=brand, to=[affiliate])

    admin_client.post(page("send", draft.pk))
    again = admin_client.post(page("send", draft.pk), follow=True).text
    send_announcements(timezone.now, lambda: False)

    draft.refresh_from_db()
    assert (draft.state, draft.sent_by_id) == ("sent", admin_user.pk)
    assert "This announcement is sent already." in again
    assert Email.objects.count() == 1


def test_unwritten_one_is_refused(admin_client, brand, affiliate):
    draft = AnnouncementFactory(brand=brand, to=[affiliate], subject="")

    with nothing_written():
        said = admin_client.post(page("send", draft.pk)).text

    assert "Write the subject and the text first." in said


def test_sent_one_cannot_be_changed(admin_client, brand, affiliate, queue):
    announcement = AnnouncementFactory(brand=brand, to=[affiliate])
    address = page("change", announcement.pk)
    form = filled_in(admin_client, address)
    queue(announcement)

    with nothing_written():
        answer = admin_client.post(address, {**form, "text": "Another"})

    assert answer.status_code == 403


def test_history_shows_what_came_of_it(
    admin_client, brand, affiliates, queue, deliver, now
):
    rows = affiliates(3)
    Affiliate.objects.filter(pk=rows[0].pk).update(status="suspended")
    announcement = AnnouncementFactory(brand=brand, to=rows)
    queue(announcement)
    deliver()
    opened = {"0": "2026-03-01T12:00:00+00:00"}
    announcement.recipients.filter(affiliate=rows[1]).update(opened=opened)

    listed = admin_client.get(page("changelist"))
    shown = admin_client.get(page("change", announcement.pk)).text

    assert "2 delivered, 1 not sent" in listed.text
    assert "Not active: applied, suspended or left" in shown
    assert "Links first opened, by a person or a program" in shown
    assert shown.count("https://example.org/banners (1") == 1


@pytest.mark.parametrize(
    ("role", "status"),
    [(OPERATOR, 200), (SUPPORT, 403), (FINANCE, 403), (READ_ONLY, 403)],
)
def test_who_may_send(role, status, as_role, brand, affiliate):
    draft = AnnouncementFactory(brand=brand, to=[affiliate])
    browser = as_role(role)

    assert browser.get(page("change", draft.pk)).status_code == 200
    assert browser.get(page("send", draft.pk)).status_code == status


@pytest.mark.parametrize("role", [SUPPORT, FINANCE, READ_ONLY])
def test_other_roles_draft_nothing(role, as_role, affiliate):
    browser = as_role(role)

    with nothing_written():
        write_to(browser, affiliate)


def test_staff_of_one_brand_write_to_its_affiliates_only(
    as_role, staff, brand, affiliate, affiliates
):
    other = BrandFactory(client_area="other.example.com")
    [stranger] = affiliates(1, of=other)
    StaffBrand.objects.create(person=staff, brand=brand)
    theirs = AnnouncementFactory(brand=other, to=[stranger])
    browser = as_role(OPERATOR)

    write_to(browser, affiliate, stranger, select_across="1")

    draft = Announcement.objects.get(brand=brand)
    assert [row.affiliate for row in draft.recipients.all()] == [affiliate]
    listed = browser.get(page("changelist")).context["cl"].result_list
    assert [row.pk for row in listed] == [draft.pk]
    with nothing_written():
        for name in ("change", "preview", "send"):
            assert browser.post(page(name, theirs.pk)).status_code in (302, 404)
