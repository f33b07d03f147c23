"""Keys with which an affiliate's own tools use the API."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.contrib.area.keys.rules import HINT_LENGTH, KeyEnd
from affiliates.db.records import Record

MAX_NAME = 100


class AffiliateKey(Record):
    """The key itself is shown once and never stored; ``digest`` finds it."""

    affiliate = models.ForeignKey(
        "affiliates.Affiliate", on_delete=models.PROTECT, related_name="keys"
    )
    name = models.CharField(max_length=MAX_NAME)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(max_length=HINT_LENGTH, help_text="How the key begins.")
    scopes = models.JSONField()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, help_text="To the hour.")
    ended_at = models.DateTimeField(null=True)
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

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"
