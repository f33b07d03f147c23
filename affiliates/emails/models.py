"""The outbox of e-mails: each is stored first and sent later."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext as _

from affiliates.brands.models.brand import Brand
from affiliates.db.records import Record
from affiliates.emails.rules import HIDDEN_LINK
from affiliates.emails.types import EmailDelivery, EmailKind
from affiliates.outbox.queue.models import QueuedRow
from affiliates.outbox.queue.rules import NEEDS_A_PERSON, QueueState

MAX_KEY = 100
MAX_SUBJECT = 255
MAX_MESSAGE_ID = 255
MAX_KIND = 40


class Email(QueuedRow):
    """One e-mail to one recipient.

    An e-mail of a kind is written at its first try: until then it has ``values`` instead
    of a text, and it has a brand. Other e-mails may belong to the whole installation.
    A digest keeps the sums in ``values`` until it ends: each try leaves out the kinds
    that were turned off. ``facts`` are kept when an e-mail is emptied.
    """

    brand = models.ForeignKey(
        Brand, on_delete=models.PROTECT, related_name="+", db_index=False, null=True
    )
    key = models.CharField(max_length=MAX_KEY)
    kind = models.CharField(
        max_length=MAX_KIND, choices=EmailKind.choices, blank=True, db_default=""
    )
    affiliate = models.ForeignKey(
        "affiliates.Affiliate",
        on_delete=models.SET_NULL,
        null=True,
        related_name="emails",
        db_index=False,
        db_constraint=False,
    )
    values = models.JSONField(null=True)
    facts = models.JSONField(null=True)
    message_id = models.CharField("Message-ID", max_length=MAX_MESSAGE_ID)
    recipient = models.EmailField(blank=True)
    subject = models.CharField(max_length=MAX_SUBJECT, blank=True)
    text = models.TextField(blank=True)
    html = models.TextField(blank=True)
    link = models.TextField(
        blank=True,
        default="",
        db_default="",
        editable=False,
        help_text="Encrypted: the address that HIDDEN_LINK stands for in the text.",
    )
    queued_at = models.DateTimeField()

    # Of an e-mail that was just written: columns to store with the next step of its try.
    written: Mapping[str, Any] = MappingProxyType({})

    class Meta:
        ordering = ["-id"]
        verbose_name = "e-mail"
        constraints = [
            *QueuedRow.Meta.constraints,
            models.UniqueConstraint(fields=["key"], name="email_is_queued_once"),
            models.CheckConstraint(
                condition=~Q(state=QueueState.UNCLEAR) | Q(next_at__isnull=True),
                name="unclear_email_has_no_next_attempt",
            ),
            models.CheckConstraint(
                condition=Q(brand__isnull=False) | Q(kind=""),
                name="email_of_a_kind_is_of_a_brand",
            ),
        ]
        indexes = [
            models.Index(
                fields=["next_at"],
                name="email_due",
                condition=Q(next_at__isnull=False),
            ),
            models.Index(
                fields=["finished_at"],
                name="email_to_be_emptied",
                condition=~Q(recipient=""),
            ),
            models.Index(
                fields=["brand"],
                name="email_not_arrived",
                condition=Q(state__in=NEEDS_A_PERSON),
            ),
            models.Index(fields=["created_at"], name="email_by_time"),
            models.Index(
                fields=["affiliate", "created_at"],
                name="email_to_affiliate",
                condition=Q(affiliate__isnull=False),
            ),
            models.Index(
                fields=["recipient"], name="email_to", condition=~Q(recipient="")
            ),
        ]

    def __str__(self) -> str:
        return self.subject or self.get_kind_display() or self.key

    @property
    def shown_text(self) -> str:
        return self.text.replace(HIDDEN_LINK, _("(link, not shown)"))


class EmailChoice(Record):
    """When an affiliate gets a kind of e-mail; without a row as ``KINDS`` says."""

    affiliate = models.ForeignKey(
        "affiliates.Affiliate", on_delete=models.CASCADE, related_name="email_choices"
    )
    kind = models.CharField(max_length=MAX_KIND, choices=EmailKind.choices)
    delivery = models.CharField(max_length=10, choices=EmailDelivery.choices)
    changed_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["affiliate", "kind"], name="affiliate_chooses_a_kind_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.delivery}"
