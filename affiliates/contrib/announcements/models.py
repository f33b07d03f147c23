"""Announcements of staff to affiliates, and who gets them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.contrib.announcements.rules import AnnouncementState, LeftOut
from affiliates.db.records import Record, staff_field
from affiliates.emails.models import Email
from affiliates.program.models import Affiliate

MAX_SUBJECT, MAX_TEXT = 150, 10_000


class Announcement(Record):
    """``links`` are the URLs of the texts; ``audience`` has the list's filters in words."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    subject = models.CharField(max_length=MAX_SUBJECT)
    subject_translations = models.JSONField(default=dict, blank=True)
    text = models.TextField(max_length=MAX_TEXT)
    text_translations = models.JSONField(default=dict, blank=True)
    links = models.JSONField(default=list, editable=False)
    audience = models.TextField("to", editable=False)
    query = models.TextField("filters", editable=False)
    state = models.CharField(
        max_length=10,
        choices=AnnouncementState.choices,
        default=AnnouncementState.DRAFT,
        editable=False,
    )
    sent_at = models.DateTimeField("sent", null=True, editable=False)
    sent_by = staff_field(editable=False)

    class Meta:
        permissions = [("send_announcement", "Can send announcements to affiliates")]
        default_permissions = ("change", "view")
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state=AnnouncementState.DRAFT)
                | Q(sent_at__isnull=False, sent_by__isnull=False),
                name="sent_announcement_has_a_sender",
            ),
        ]

    def __str__(self) -> str:
        return self.subject or f"Announcement {self.pk}"

    @property
    def is_draft(self) -> bool:
        return self.state == AnnouncementState.DRAFT


class AnnouncementRecipient(Record):
    """``day`` is that of the e-mail; ``opened`` has moments by the place in ``links``."""

    announcement = models.ForeignKey(
        Announcement, models.CASCADE, related_name="recipients", db_index=False
    )
    affiliate = models.ForeignKey(
        Affiliate, models.CASCADE, related_name="announcements", db_index=False
    )
    day = models.DateField(null=True)
    left_out = models.CharField(max_length=20, choices=LeftOut.choices, blank=True)
    email = models.OneToOneField(Email, models.CASCADE, null=True, related_name="+")
    opened = models.JSONField(default=dict)

    class Meta:
        default_permissions = ("view",)
        ordering = ["id"]
        verbose_name = "recipient"
        constraints = [
            models.UniqueConstraint(
                fields=["announcement", "affiliate"],
                name="affiliate_is_announced_to_once",
            ),
            models.UniqueConstraint(
                fields=["affiliate", "day"],
                name="affiliate_gets_one_announcement_a_day",
            ),
            models.CheckConstraint(
                condition=Q(day__isnull=True, email__isnull=True)
                | Q(day__isnull=False, email__isnull=False, left_out=""),
                name="recipient_has_an_email_or_is_left_out",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.announcement} to {self.affiliate}"
