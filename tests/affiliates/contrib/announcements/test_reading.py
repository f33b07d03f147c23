"""What affiliates see of announcements and choose, and what is left of an erased one."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from affiliates.contrib.announcements.models import AnnouncementRecipient
from affiliates.emails.models import Email, EmailChoice
from affiliates.privacy.erasure.services import erase
from tests.factories.announcements import AnnouncementFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("area")]

PATH = "/api/affiliate/notifications"
CHOICES = f"{PATH}/choices"


@pytest.fixture
def partner(affiliate, host) -> APIClient:
    return APIClient(
        HTTP_ORIGIN="https://shop.example.com",
        HTTP_AUTHORIZATION=host.authorization(affiliate.user),
    )


def test_announcement_is_listed_with_its_subject(
    partner, brand, affiliate, queue, deliver
):
    queue(AnnouncementFactory(brand=brand, to=[affiliate]))
    deliver()

    [listed] = partner.get(PATH).json()["data"]["notifications"]

    assert (listed["kind"], listed["subject"], listed["amounts"]) == (
        "announcement",
        "New banners",
        [],
    )
    assert listed["page"]["path"] == "/affiliate/"


@pytest.mark.parametrize(
    ("language", "about"),
    [
        ("en", "The program writes to its affiliates"),
        ("de", "Das Programm schreibt seinen Partnern"),
    ],
)
def test_page_of_the_area_lists_it_and_its_switch(
    language, about, client, brand, affiliate, queue, deliver, settings
):
    settings.AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
    queue(AnnouncementFactory(brand=brand, to=[affiliate]))
    deliver()
    client.force_login(affiliate.user)

    shown = client.get(
        "/affiliate/notifications",
        headers={"host": "shop.example.com", "accept-language": language},
    ).text

    assert "New banners" in shown
    assert about in shown


def test_announcements_are_switched_off_by_the_api(
    partner, brand, affiliate, queue, mailoutbox, deliver
):
    answer = partner.patch(
        CHOICES, {"choices": {"announcement": "never"}}, format="json"
    )
    queue(AnnouncementFactory(brand=brand, to=[affiliate]))
    deliver()

    assert answer.status_code == 200
    assert EmailChoice.objects.get().kind == "announcement"
    assert AnnouncementRecipient.objects.get().left_out == "switched_off"
    assert (Email.objects.count(), mailoutbox) == (0, [])


def test_rows_of_an_erased_affiliate_are_deleted(
    brand, affiliate, rival, queue, deliver, now
):
    announcement = AnnouncementFactory(brand=brand, to=[affiliate, rival])
    queue(announcement)
    deliver()
    type(affiliate).objects.filter(pk=affiliate.pk).update(status="suspended")

    erase(
        brand=brand,
        accounts=[str(affiliate.user_id)],
        email="",
        reason="Asked for it.",
        now=now,
    )

    assert [row.affiliate_id for row in announcement.recipients.all()] == [rival.pk]
    announcement.refresh_from_db()
    assert announcement.state == "sent"
