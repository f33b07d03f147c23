"""Staff who work for some of the brands only."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from affiliates.brands.models.brand import Brand
from affiliates.db.records import Record


class StaffBrand(Record):
    """Limits a member of staff to this brand, and to others by further rows.

    Staff without any row, and superusers, work for all brands.
    """

    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="+",
        limit_choices_to={"is_staff": True},
        help_text="With a first brand, this person sees and does nothing of the others.",
    )
    # Not deleted with the brand: without its last row a person would see all others.
    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")

    class Meta:
        verbose_name = "staff of a brand"
        verbose_name_plural = "staff of single brands"
        constraints = [
            models.UniqueConstraint(
                fields=["person", "brand"], name="staff_is_of_a_brand_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.person}: {self.brand}"
