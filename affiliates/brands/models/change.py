"""Changes of the configuration that every process caches."""

from __future__ import annotations

import uuid
from typing import Any

from django.db import models, router, transaction

from affiliates.core.ids import LINK_HASH_LENGTH
from affiliates.db.records import Record


class ConfigChange(Record):
    """One change of a brand, an integration, an affiliate or a link.

    Written in the transaction of the change and never edited. The id is random, not a
    counter: rows become visible in any order, and one of a transaction that was rolled
    back shall not be mistaken for a later one.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4)
    kind = models.CharField(max_length=20)
    subject_id = models.BigIntegerField(null=True)
    token = models.CharField(max_length=LINK_HASH_LENGTH, blank=True)

    def __str__(self) -> str:
        return f"{self.kind} {self.subject_id or ''}".rstrip()


class RememberedModel(Record):
    """A row that processes cache, saved together with the row that notifies them."""

    class Meta:
        abstract = True

    def save(self, *args: Any, using: str | None = None, **kwargs: Any) -> None:
        using = using or router.db_for_write(type(self), instance=self)
        with transaction.atomic(using=using):
            super().save(*args, using=using, **kwargs)
