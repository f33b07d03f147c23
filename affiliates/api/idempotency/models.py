"""The answers of a day, each for repeats of its request."""

from __future__ import annotations

from django.db import models

from affiliates.db.records import Record


class StoredAnswer(Record):
    scope = models.CharField(max_length=64, primary_key=True)
    sealed = models.TextField()
    created_at = models.DateTimeField(db_index=True)

    class Meta:
        # No permission exists, so that no page of staff can show the rows.
        default_permissions = ()

    def __str__(self) -> str:
        return self.scope
