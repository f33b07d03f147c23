"""Keys with which the programs of a brand use the API."""

from __future__ import annotations

from django.db import models

from affiliates.brands.models.brand import Brand
from affiliates.db.api_keys import ApiKey
from affiliates.db.records import staff_field


class BrandKey(ApiKey):
    """It has no end of its own: an expired key would lose sales."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    secrets = models.TextField(
        blank=True, editable=False, help_text="Encrypted: the secret that signs bodies."
    )
    made_by = staff_field(editable=False)

    class Meta:
        default_permissions = ("add", "change", "view")
        ordering = ["-id"]

    @property
    def is_signed(self) -> bool:
        return bool(self.secrets)
