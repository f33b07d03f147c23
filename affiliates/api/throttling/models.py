"""How often each caller called, where processes share no cache."""

from __future__ import annotations

from django.db import models

from affiliates.db.records import Record


class CallCount(Record):
    # Keyed digests: no address and no e-mail can be read here.
    key = models.CharField(max_length=64, primary_key=True)
    calls = models.PositiveBigIntegerField()
    ends_at = models.DateTimeField(db_index=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.key
