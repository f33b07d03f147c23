"""Announcements of staff to affiliates, who gets them, and the links opened in them."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.admin_tools.lists.models import MAX_QUERY
from affiliates.brands.models.brand import Brand
from affiliates.contrib.announcements.rules import AnnouncementState, LeftOut
from affiliates.db.records import Record, staff_field
from affiliates.emails.models import Email
from affiliates.program.models import Affiliate

MAX_SUBJECT, MAX_TEXT = 150, 10_000


class Announcement(Record):
    """A text to affiliates that were chosen in their list, which ``audience`` describes.

    ``links`` are the URLs of the text and its translations, kept when it is sent.
    """

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    subject = models.CharField(max_length=MAX_SUBJECT)
    subject_translations = models.JSONField(default=dict, blank=True)
    text = models.TextField(max_length=MAX_TEXT)
    text_translations = models.JSONField(default=dict, blank=True)
    links = models.JSONField(default=list, editable=False)
    audience = models.TextField("to", editable=False)
    query = models.CharField("filters", max_length=MAX_QUERY, editable=False)
    state = models.CharField(
        max_length=10,
        choices=AnnouncementState.choices,
        default=AnnouncementState.DRAFT,
        editable=False,
    )
    created_at = models.DateTimeField(editable=False)
    created_by = staff_field(editable=False)
    sent_at = models.DateTimeField(null=True, editable=False)
    sent_by = staff_field(editable=False)

    class Meta:
        permissions = [("send_announcement", "Can send announcements to affiliates")]
        default_permissions = ("change", "view")
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    state=AnnouncementState.DRAFT,
                    sent_at__isnull=True,
                    sent_by__isnull=True,
                )
                | (
                    ~Q(state=AnnouncementState.DRAFT)
                    & ~Q(subject="")
                    & ~Q(text="")
                    & Q(sent_at__isnull=False, sent_by__isnull=False)
                ),
                name="sent_announcement_has_a_text_and_a_sender",
            ),
        ]
        indexes = [
            models.Index(
                fields=["id"],
                name="announcement_for_the_worker",
                condition=Q(state=AnnouncementState.SENDING),
            )
        ]

    def __str__(self) -> str:
        return self.subject or f"Announcement {self.pk}"

    @property
    def is_draft(self) -> bool:
        return self.state == AnnouncementState.DRAFT


class AnnouncementRecipient(Record):
    """An affiliate that was chosen: with an e-mail, left out, or not decided yet.

    ``day`` is the brand's on which the e-mail was queued.
    """

    announcement = models.ForeignKey(
        Announcement,
        on_delete=models.CASCADE,
        related_name="recipients",
        db_index=False,
    )
    affiliate = models.ForeignKey(
        Affiliate,
        on_delete=models.CASCADE,
        related_name="announcements",
        db_index=False,
    )
    day = models.DateField(null=True)
    left_out = models.CharField(
        max_length=20, choices=LeftOut.choices, blank=True, default=""
    )
    email = models.OneToOneField(
        Email, on_delete=models.CASCADE, null=True, related_name="+"
    )

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


class AnnouncementOpening(Record):
    """The first opening of a link, by a person or a program such as a mail scanner.

    ``number`` is the link's place in the announcement's ``links``.
    """

    recipient = models.ForeignKey(
        AnnouncementRecipient,
        on_delete=models.CASCADE,
        related_name="openings",
        db_index=False,
    )
    number = models.PositiveSmallIntegerField()
    opened_at = models.DateTimeField()

    class Meta:
        default_permissions = ("view",)
        ordering = ["id"]
        verbose_name = "opened link"
        constraints = [
            models.UniqueConstraint(
                fields=["recipient", "number"], name="link_is_first_opened_once"
            )
        ]

    def __str__(self) -> str:
        return f"Link {self.number} by {self.recipient}"
