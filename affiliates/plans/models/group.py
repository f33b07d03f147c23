from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import models

from affiliates.brands.models.brand import Brand
from affiliates.db.records import Record
from affiliates.plans.models.plan import MAX_NAME, CommissionPlan


class AffiliateGroup(Record):
    """Affiliates of a brand that share a plan."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="groups")
    name = models.CharField(max_length=MAX_NAME)
    plan = models.ForeignKey(
        CommissionPlan,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="groups",
        help_text="Empty: the brand's default plan.",
    )

    class Meta:
        ordering = ["brand", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "name"],
                name="group_name_is_unique_in_brand",
                violation_error_message="Another group of this brand has this name.",
            )
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        if None in (self.brand_id, self.plan_id):
            return
        if self.plan is not None and self.plan.brand_id != self.brand_id:
            raise ValidationError(
                {
                    "plan": "This plan belongs to another brand: choose one of this brand."
                }
            )
