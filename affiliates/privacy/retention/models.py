"""How far the clicks of each brand, and its visitors' data, have been purged."""

from __future__ import annotations

from django.db import models

from affiliates.brands.models.brand import Brand
from affiliates.db.records import Record
from affiliates.privacy.retention.rules import ClickKind, EmptiedKind


class PurgedClicks(Record):
    """Data of this kind from before this moment is purged, except for kept clicks."""

    brand = models.ForeignKey(Brand, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(
        max_length=10, choices=[*ClickKind.choices, *EmptiedKind.choices]
    )
    before = models.DateTimeField()

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "kind"], name="clicks_of_a_kind_are_purged_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} before {self.before}"
