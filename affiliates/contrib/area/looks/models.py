"""Staff look at the area as an affiliate sees it."""

from __future__ import annotations

from django.db import models

from affiliates.db.records import Record, staff_field
from affiliates.program.history_models import MAX_REASON
from affiliates.program.models import Affiliate


class AreaLook(Record):
    """Who looked, why and at what; asked for and never opened, it has no beginning."""

    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="looks"
    )
    actor = staff_field()
    reason = models.CharField(max_length=MAX_REASON)
    asked_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    pages = models.JSONField(default=list, blank=True)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(started_at__isnull=True)
                | models.Q(ends_at__isnull=False, ends_at__gte=models.F("started_at")),
                name="look_ends_after_it_began",
            ),
        ]

    def __str__(self) -> str:
        return f"Look {self.pk} at {self.affiliate}"
