"""Announcements to affiliates."""

from __future__ import annotations

from collections.abc import Iterable

import factory
from factory.django import DjangoModelFactory

from affiliates.contrib.announcements.models import (
    Announcement,
    AnnouncementRecipient,
)
from affiliates.program.models import Affiliate


class AnnouncementFactory(DjangoModelFactory):
    """A draft of ``brand`` to the affiliates ``to``."""

    class Meta:
        model = Announcement
        skip_postgeneration_save = True

    subject = "New banners"
    subject_translations = factory.LazyFunction(lambda: {"de": "Neue Banner"})
    text = "See https://example.org/banners, and share them."
    text_translations = factory.LazyFunction(
        lambda: {"de": "Siehe https://example.org/de und https://example.org/banners."}
    )
    audience = "All of: All affiliates"
    query = ""

    @factory.post_generation
    def to(
        self: Announcement, create: bool, affiliates: Iterable[Affiliate], **_: object
    ) -> None:
        AnnouncementRecipient.objects.bulk_create(
            AnnouncementRecipient(announcement=self, affiliate=affiliate)
            for affiliate in affiliates or ()
        )
