"""Keys with which the programs of a brand use the API."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.core.money import amount_text
from affiliates.db.api_keys import ApiKey
from affiliates.db.records import staff_field


class BrandKey(ApiKey):
    """It has no end of its own: an expired key would lose sales."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    secrets = models.TextField(
        blank=True, editable=False, help_text="Encrypted: the secret that signs bodies."
    )
    daily_cap = models.BigIntegerField(
        null=True,
        editable=False,
        help_text="Commission of a day of UTC, in minor units. Empty: no limit.",
    )
    cap_currency = models.CharField(max_length=3, blank=True, editable=False)
    credited_on = models.DateField(null=True, editable=False)
    credited = models.BigIntegerField(
        default=0, editable=False, help_text="Commission of that day within the cap."
    )
    made_by = staff_field(editable=False)

    class Meta:
        default_permissions = ("add", "change", "view")
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(daily_cap__isnull=True, cap_currency="")
                | (Q(daily_cap__gte=0) & ~Q(cap_currency="")),
                name="cap_of_a_key_has_a_currency",
            ),
        ]

    @property
    def cap_text(self) -> str:
        if self.daily_cap is None:
            return ""
        return amount_text(self.daily_cap, self.cap_currency)

    @property
    def is_signed(self) -> bool:
        return bool(self.secrets)
