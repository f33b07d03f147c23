"""The base of every table: it is read from the database that it is written to.

Behind a router with replicas a read may be older than what was written a moment ago, and
whoever decides by it decides wrongly. Django asks the router for a database to read from
and tells it nothing of what the read is for; so no read of these tables asks it.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self, TypeVar

from django.conf import settings
from django.db import models, router

M = TypeVar("M", bound=models.Model)


class RecordManager(models.Manager[M]):
    def get_queryset(self) -> models.QuerySet[M]:
        queryset = super().get_queryset()
        if self._db is not None:
            return queryset
        hints = self._hints  # type: ignore[attr-defined]  # the stubs leave it out
        return queryset.using(router.db_for_write(self.model, **hints))


class Record(models.Model):
    objects: ClassVar[RecordManager[Self]] = RecordManager()

    class Meta:
        abstract = True
        # Also for what is read through a relation.
        base_manager_name = "objects"


def staff_field(**options: Any) -> models.ForeignKey[Any, Any]:
    """Who did it; empty until somebody has, or where nobody did."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        **options,
    )
