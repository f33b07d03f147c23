from __future__ import annotations

from django.db import models

from affiliates.integrations.models import MAX_VISITOR_REF, TrackingIntegration
from affiliates.records import Record


class VisitorAlias(Record):
    """The provider's identifier of a visitor, where it differs from ours."""

    integration = models.ForeignKey(
        TrackingIntegration, on_delete=models.CASCADE, db_index=False
    )
    visitor_ref = models.CharField(max_length=MAX_VISITOR_REF)
    remote_id = models.CharField(max_length=MAX_VISITOR_REF)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["integration", "visitor_ref"], name="visitor_has_one_alias"
            ),
        ]

    def __str__(self) -> str:
        return self.visitor_ref
