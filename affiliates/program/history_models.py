"""Staff's notes on affiliates, transfers between them, and their departures."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.db.records import Record, staff_field
from affiliates.db.seals import SealField
from affiliates.program.models import Affiliate

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
    seal = SealField()

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


class AffiliateDeparture(Record):
    """An affiliate that left the program by itself, until staff take it back.

    ``forfeited`` is what is not paid by currency, in minor units, also of commissions
    that mature later: the sums of its ``amounts`` (``ForfeitedAmount``).
    """

    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="departures"
    )
    left_at = models.DateTimeField()
    forfeited = models.JSONField(default=dict, blank=True)
    is_given_up = models.BooleanField(
        default=False, help_text="By the affiliate. Otherwise by the payout terms."
    )
    ended_at = models.DateTimeField(
        null=True, blank=True, help_text="When staff took it back."
    )
    seal = SealField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["affiliate"],
                condition=Q(ended_at__isnull=True),
                name="affiliate_has_one_open_departure",
            ),
        ]

    def __str__(self) -> str:
        return f"Departure of {self.affiliate}"
