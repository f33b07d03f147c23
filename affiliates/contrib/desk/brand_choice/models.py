"""The brand that each member of staff last looked at."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from affiliates.brands.models.brand import Brand
from affiliates.db.records import Record


class LastBrand(Record):
    """``brand`` is null if the person last looked at all brands."""

    person = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        primary_key=True,
        related_name="+",
    )
    brand = models.ForeignKey(
        Brand, on_delete=models.CASCADE, null=True, related_name="+"
    )

    class Meta:
        # Everybody has their own.
        default_permissions = ()

    def __str__(self) -> str:
        return str(self.brand or "All brands")
