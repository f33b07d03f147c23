"""What a brand's policy was."""

from __future__ import annotations

from django.db import models

from affiliates.brands.models.brand import Brand
from affiliates.records import Record
from affiliates.seals import SealField


class AttributionPolicyVersion(Record):
    """A brand's attribution policy as it was from ``effective_from`` on. Never changed."""

    brand = models.ForeignKey(
        Brand, on_delete=models.CASCADE, related_name="policy_versions"
    )
    number = models.PositiveIntegerField()
    terms = models.JSONField()
    digest = models.CharField(max_length=64)
    effective_from = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["brand", "-number"]
        verbose_name = "attribution policy version"
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "number"], name="policy_version_number_is_unique"
            )
        ]

    def __str__(self) -> str:
        return f"{self.brand} version {self.number}"
