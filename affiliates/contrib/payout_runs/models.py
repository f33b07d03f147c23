"""Payout runs, the balances they considered, and the answers of banks and PayPal."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.contrib.payout_runs.rules import LineOutcome, RunStatus, Step
from affiliates.contrib.payout_runs.types import Said
from affiliates.db.records import Record, staff_field
from affiliates.db.seals import SaltField, SealField, no_text
from affiliates.payouts.models import Payout, PayoutBatch, PayoutDestination
from affiliates.payouts.providers.registry import choices
from affiliates.program.models import Affiliate

MAX_TEXT = 255
# Several sentences of a bank.
MAX_SENTENCE = 1_000


class PayoutRun(Record):
    """All payouts that a brand makes at once: drafted, approved, exported, confirmed.

    ``prepared_by`` made it by hand or, for a scheduled run, gave the first approval.
    """

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    period = models.DateField(
        "due on", null=True, blank=True, help_text="Empty: made by hand."
    )
    status = models.CharField(max_length=20, choices=RunStatus.choices)
    reason = models.CharField(max_length=MAX_TEXT, blank=True)
    is_for_two = models.BooleanField(
        "second person needed",
        default=False,
        help_text="As the brand's payout terms were when it was drafted.",
    )
    line_count = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    prepared_by = staff_field()
    approved_at = models.DateTimeField(null=True, blank=True)
    approved_by = staff_field()
    closed_at = models.DateTimeField(null=True, blank=True)
    files = models.ManyToManyField(
        PayoutBatch, through="PayoutRunFile", related_name="runs"
    )
    seal = SealField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "period"], name="brand_has_one_run_per_period"
            ),
            models.CheckConstraint(
                condition=Q(approved_by__isnull=True)
                | Q(prepared_by__isnull=True)
                | ~Q(approved_by=models.F("prepared_by"))
                | Q(is_for_two=False),
                name="run_for_two_is_approved_by_the_second",
            ),
        ]

    def __str__(self) -> str:
        return f"Run {self.pk}"


class PayoutRunLine(Record):
    """A balance that a run considered: its payout, or why none. Only ever added."""

    run = models.ForeignKey(PayoutRun, on_delete=models.PROTECT, related_name="lines")
    affiliate = models.ForeignKey(Affiliate, on_delete=models.PROTECT, related_name="+")
    currency = models.CharField(max_length=3)
    amount = models.BigIntegerField(help_text="In minor units; what is left out too.")
    outcome = models.CharField(max_length=30, choices=LineOutcome.choices)
    detail = models.CharField(max_length=MAX_TEXT, blank=True)
    payout = models.ForeignKey(
        Payout,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="run_lines",
    )
    destination = models.ForeignKey(
        PayoutDestination,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )
    drafted_at = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "affiliate", "currency"],
                name="run_looks_at_a_balance_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.affiliate} in {self.run}"


class PayoutRunFile(Record):
    """A file that pays a part of a run."""

    run = models.ForeignKey(PayoutRun, on_delete=models.PROTECT, related_name="+")
    batch = models.OneToOneField(
        PayoutBatch, on_delete=models.PROTECT, related_name="in_run"
    )
    seal = SealField()

    def __str__(self) -> str:
        return f"{self.batch} of {self.run}"


class PayoutAnswer(Record):
    """A file of the bank or PayPal with the results of payouts."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField("of", max_length=20, choices=choices)
    name = models.CharField("file", max_length=100)
    content = models.TextField(
        editable=False, help_text="The file, encrypted: it names accounts."
    )
    entries = models.TextField(
        editable=False, help_text="What was read of the file, encrypted.", db_default=""
    )
    digest = models.CharField("SHA-256", max_length=64)
    entry_count = models.PositiveIntegerField("lines")
    uploaded_at = models.DateTimeField()
    uploaded_by = staff_field()
    applied_at = models.DateTimeField(null=True, blank=True)
    applied_by = staff_field()
    salt = SaltField()
    seal = SealField(
        once_set={"entries"},
        personal={"name": no_text, "content": no_text, "entries": no_text},
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "digest"], name="answer_is_kept_once"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class PayoutAnswerLine(Record):
    """The content of an answer's line, and its effect. Only ever added."""

    answer = models.ForeignKey(
        PayoutAnswer, on_delete=models.PROTECT, related_name="lines"
    )
    position = models.PositiveIntegerField()
    said = models.CharField(max_length=20, choices=Said.choices)
    reference = models.CharField(max_length=MAX_TEXT, blank=True)
    amount = models.CharField(max_length=40, blank=True)
    currency = models.CharField(max_length=10, blank=True)
    remote_ref = models.CharField(max_length=MAX_TEXT, blank=True)
    step = models.CharField(max_length=20, choices=Step.choices)
    reason = models.CharField(max_length=MAX_SENTENCE, blank=True)
    payout = models.ForeignKey(
        Payout,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="answer_lines",
    )
    at = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["answer", "position"], name="answer_line_is_applied_once"
            ),
        ]

    def __str__(self) -> str:
        return f"Line {self.position} of {self.answer}"
