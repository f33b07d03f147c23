"""Staff's notes on affiliates, and transfers between affiliates."""

from __future__ import annotations

from django.db import models

from affiliates.program.models import Affiliate
from affiliates.records import Record, staff_field
from affiliates.seals import SealField

MAX_NOTE = 2_000
MAX_REASON = 255


class AffiliateNote(Record):
    """A note on an affiliate, by staff for staff. Only ever added."""

    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="notes"
    )
    text = models.CharField(max_length=MAX_NOTE)
    author = staff_field()
    written_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"Note {self.pk} on {self.affiliate}"


class AffiliateTransfer(Record):
    """A transfer from one affiliate to another. Only ever added.

    ``key`` is the requesting page's: a form sent twice is processed once.
    """

    source = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="transfers_away"
    )
    target = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="transfers_here"
    )
    key = models.UUIDField(unique=True)
    reason = models.CharField(max_length=MAX_REASON)
    given = models.JSONField(help_text="How many of what, and how much money.")
    actor = staff_field()
    at = models.DateTimeField()
    seal = SealField(default="", db_default="")

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(source=models.F("target")),
                name="transfer_is_to_another_affiliate",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.source} to {self.target}"
