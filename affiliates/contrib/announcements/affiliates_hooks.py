"""Registers the job, the path of links, the work of staff and personal data."""

from __future__ import annotations

from django.urls import path

from affiliates.api.registry import ROUTES
from affiliates.brands.roles import OPERATOR, Work, register
from affiliates.contrib.announcements import services
from affiliates.contrib.announcements.views import open_link
from affiliates.privacy.registry import declare
from affiliates.privacy.types import Key, Person
from affiliates.privacy.uses import ACT, EMAIL, PROGRAM, WORK

__all__ = ["services"]

ROUTES.append(
    path("api/announcements/<str:token>", open_link, name="announcement_link")
)
register(
    "affiliates_announcements",
    {OPERATOR: Work(does=("change_announcement", "send_announcement"))},
)

declare(
    "affiliates_announcements.Announcement",
    {
        WORK: "subject subject_translations text text_translations",
        ACT: "created_by sent_by",
    },
    other="links audience query",
)
declare(
    "affiliates_announcements.AnnouncementRecipient",
    {PROGRAM: "day left_out"},
    of={Person.AFFILIATE: {"affiliate": Key.AFFILIATE}},
    deletes={Person.AFFILIATE},
)
declare(
    "affiliates_announcements.AnnouncementOpening",
    {EMAIL: "number opened_at"},
    of={Person.AFFILIATE: {"recipient__affiliate": Key.AFFILIATE}},
    at="opened_at",
    deletes={Person.AFFILIATE},
)
