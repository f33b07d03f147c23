"""What a brand's policy was, and whether what processes remember still holds."""

from __future__ import annotations

import uuid

from django.db import models

from affiliates.brands.models.brand import Brand


class AttributionPolicyVersion(models.Model):
    """A brand's attribution policy as it was from ``effective_from`` on. Never changed."""

    brand = models.ForeignKey(
        Brand, on_delete=models.CASCADE, related_name="policy_versions"
    )
    number = models.PositiveIntegerField()
    terms = models.JSONField()
    digest = models.CharField(max_length=64)
    effective_from = models.DateTimeField()

    class Meta:
        ordering = ["brand", "-number"]
        verbose_name = "attribution policy version"
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "number"], name="policy_version_number_is_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.brand} version {self.number}"


class ConfigVersion(models.Model):
    """One row whose token changes whenever brands, domains, affiliates or links do.

    The token is random, not a counter: two histories never share one, so a process
    cannot mistake a rolled-back state for the present one.
    """

    SINGLETON = 1

    id = models.PositiveSmallIntegerField(primary_key=True, default=SINGLETON)
    token = models.UUIDField(default=uuid.uuid4)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(id=1), name="config_version_is_one_row"
            ),
        ]

    def __str__(self) -> str:
        return str(self.token)
