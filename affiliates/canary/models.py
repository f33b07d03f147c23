"""How each walk of the canary ended."""

from __future__ import annotations

from django.db import models

from affiliates.brands.models.brand import Brand
from affiliates.canary.rules import CanaryStep
from affiliates.records import Record

MAX_FAULT = 500


class CanaryRun(Record):
    """One walk on a test brand. ``fault`` says why it ended at ``step``; "" is passed."""

    brand = models.ForeignKey(
        Brand, on_delete=models.CASCADE, related_name="canary_runs"
    )
    ran_at = models.DateTimeField()
    step = models.CharField(max_length=20, choices=CanaryStep.choices())
    fault = models.CharField(max_length=MAX_FAULT, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.brand}: {self.fault or 'passed'}"

    @property
    def is_ok(self) -> bool:
        return not self.fault
