"""The fraud signals of sales, and staff's reviews."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.db.records import Record, staff_field
from affiliates.fraud.rules.policy import (
    FraudAction,
    ReviewOutcome,
    Signal,
    threshold_fault,
)
from affiliates.sales.models import Sale

MAX_NOTE = 255


class FraudPolicy(Record):
    """A brand's action for one signal, if it differs from the default."""

    brand = models.ForeignKey(
        Brand, on_delete=models.CASCADE, related_name="fraud_policies"
    )
    signal = models.CharField(max_length=30, choices=Signal.choices)
    action = models.CharField(max_length=20, choices=FraudAction.choices)
    threshold = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="Clients, orders, clicks, seconds or percent, as the signal counts. Empty: "
        "the default.",
    )

    class Meta:
        ordering = ["brand", "signal"]
        verbose_name_plural = "fraud policies"
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "signal"], name="brand_has_one_policy_per_signal"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_signal_display()}: {self.get_action_display()}"

    def clean(self) -> None:
        if not self.signal:
            return
        fault = threshold_fault(Signal(self.signal), self.threshold)
        if fault is not None:
            raise ValidationError({"threshold": fault})


class FraudReview(Record):
    """The signals of one sale with their evidence, for staff to judge."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    sale = models.OneToOneField(
        Sale, on_delete=models.PROTECT, related_name="fraud_review"
    )
    action = models.CharField(max_length=20, choices=FraudAction.choices)
    findings = models.JSONField(help_text="Each signal, its action and its evidence.")
    outcome = models.CharField(
        max_length=20,
        choices=ReviewOutcome.choices,
        default=ReviewOutcome.OPEN,
    )
    note = models.CharField(max_length=MAX_NOTE, blank=True)
    reviewed_by = staff_field()
    reviewed_at = models.DateTimeField(null=True, blank=True)
    found_at = models.DateTimeField()

    class Meta:
        permissions = [("decide_fraudreview", "Can decide fraud reviews")]
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    outcome=ReviewOutcome.OPEN,
                    reviewed_by__isnull=True,
                    reviewed_at__isnull=True,
                )
                | (
                    ~Q(outcome=ReviewOutcome.OPEN)
                    & Q(reviewed_by__isnull=False, reviewed_at__isnull=False)
                ),
                name="fraud_review_names_who_judged_it_and_when",
            ),
        ]
        indexes = [
            models.Index(
                fields=["brand"],
                condition=Q(outcome=ReviewOutcome.OPEN),
                name="fraud_review_open",
            ),
        ]

    def __str__(self) -> str:
        return f"Review of sale {self.sale_id}"

    def signals(self) -> set[Signal]:
        return {Signal(finding["signal"]) for finding in self.findings}

    def holds_for_more_than(self, signal: Signal) -> bool:
        """Whether it is open and holds the sale for a signal other than this."""
        return self.outcome == ReviewOutcome.OPEN and any(
            finding["action"] == FraudAction.HOLD and finding["signal"] != signal
            for finding in self.findings
        )
