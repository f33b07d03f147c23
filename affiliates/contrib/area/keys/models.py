"""Keys with which an affiliate's own tools use the API."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.contrib.area.keys.rules import KeyEnd
from affiliates.db.api_keys import ApiKey


class AffiliateKey(ApiKey):
    affiliate = models.ForeignKey(
        "affiliates.Affiliate", on_delete=models.PROTECT, related_name="keys"
    )
    expires_at = models.DateTimeField()
    end = models.CharField(max_length=20, choices=KeyEnd.choices, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, end="")
                | (Q(ended_at__isnull=False) & ~Q(end="")),
                name="ended_key_says_why",
            ),
        ]
