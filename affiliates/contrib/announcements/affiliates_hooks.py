"""Registers the job, the path of links, the work of staff and personal data."""

from __future__ import annotations

from django.urls import path

from affiliates.api.registry import ROUTES
from affiliates.brands.roles import OPERATOR, Work, register
from affiliates.contrib.announcements.views import open_link
from affiliates.db.audit.recording import RECORDED_MODELS
from affiliates.privacy.registry import declare
from affiliates.privacy.types import Key, Person
from affiliates.privacy.uses import ACT, EMAIL, WORK

ROUTES.append(
    path("api/announcements/<str:token>", open_link, name="announcement_link")
)
RECORDED_MODELS["affiliates_announcements.Announcement"] = "brand"
register(
    "affiliates_announcements",
    {OPERATOR: Work(does=("change_announcement", "send_announcement"))},
)
declare(
    "affiliates_announcements.Announcement",
    {WORK: "audience query", ACT: "sent_by"},
    other="subject subject_translations text text_translations links",
)
declare(
    "affiliates_announcements.AnnouncementRecipient",
    {EMAIL: "opened"},
    of={Person.AFFILIATE: {"affiliate": Key.AFFILIATE}},
    deletes={Person.AFFILIATE},
)
