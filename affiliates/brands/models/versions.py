"""Versions of a brand's policy, and the base of all such versions."""

from __future__ import annotations

from django.db import models

from affiliates.brands.models.brand import Brand
from affiliates.db.records import Record
from affiliates.db.seals import SealField


class TermsVersion(Record):
    """Terms that apply from ``effective_from`` on. Never changed."""

    number = models.PositiveIntegerField()
    terms = models.JSONField()
    digest = models.CharField(max_length=64)
    effective_from = models.DateTimeField()
    seal = SealField()

    class Meta:
        abstract = True


class AttributionPolicyVersion(TermsVersion):
    """A brand's attribution policy as it was."""

    brand = models.ForeignKey(
        Brand, on_delete=models.CASCADE, related_name="policy_versions"
    )

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
