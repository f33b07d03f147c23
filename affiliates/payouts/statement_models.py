"""The numbered statements of payouts, and the series of their numbers."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.db.records import Record
from affiliates.db.seals import SealField
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import StatementKind
from affiliates.program.models import Affiliate


class StatementSeries(Record):
    """Numbers without gaps: taking the next one locks the row until the commit."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    last_number = models.BigIntegerField(default=0)

    class Meta:
        verbose_name_plural = "statement series"
        constraints = [
            models.UniqueConstraint(
                fields=["brand"],
                condition=Q(affiliate__isnull=True),
                name="brand_has_one_series_of_its_own",
            ),
            models.UniqueConstraint(
                fields=["affiliate"], name="affiliate_has_one_series_of_its_own"
            ),
        ]

    def __str__(self) -> str:
        return f"Series of {self.affiliate or self.brand}"


class StatementGap(Record):
    """Numbers left out after a restore: statements that are lost may have had them."""

    series = models.ForeignKey(
        StatementSeries, on_delete=models.PROTECT, related_name="gaps"
    )
    first_number = models.BigIntegerField()
    last_number = models.BigIntegerField()
    restored_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["series", "restored_at"],
                name="restore_leaves_one_gap_in_series",
            ),
            models.CheckConstraint(
                condition=Q(last_number__gte=models.F("first_number")),
                name="gap_of_statements_has_numbers",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.first_number} to {self.last_number}"


class PayoutStatement(Record):
    """A numbered record that a payout was paid or came back. Only ever added.

    ``amount`` is in minor units, below zero if the money came back. ``document`` holds
    the printed content: the parties, the lines, the dates and the tax note.
    """

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    payout = models.ForeignKey(
        Payout, on_delete=models.PROTECT, related_name="statements"
    )
    kind = models.CharField(max_length=20, choices=StatementKind.choices)
    series = models.ForeignKey(
        StatementSeries, on_delete=models.PROTECT, related_name="statements"
    )
    number = models.BigIntegerField()
    name = models.CharField("number in full", max_length=80)
    currency = models.CharField(max_length=3)
    amount = models.BigIntegerField()
    document = models.JSONField()
    issued_at = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["series", "number"], name="statement_number_is_given_once"
            ),
            models.UniqueConstraint(
                fields=["payout", "kind"],
                name="payout_is_stated_once_and_returned_once",
            ),
        ]

    def __str__(self) -> str:
        return self.name
