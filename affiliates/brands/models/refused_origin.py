"""Hosts whose pages called the API and are no client area."""

from __future__ import annotations

from django.db import models

from affiliates.brands.models.domain import MAX_HOST_LENGTH
from affiliates.db.records import Record


class RefusedOrigin(Record):
    """``host`` as ``BrandDomain.host`` is stored: anybody can have it written."""

    host = models.CharField(max_length=MAX_HOST_LENGTH, primary_key=True)
    seen_at = models.DateTimeField(db_index=True)

    class Meta:
        default_permissions = ()

    def __str__(self) -> str:
        return self.host
