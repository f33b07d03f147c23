"""The base of every table: it is read from the database that it is written to.

Behind a router with replicas a read may be older than what was written a moment ago, and
whoever decides by it decides wrongly. Django asks the router for a database to read from
and tells it nothing of what the read is for; so no read of these tables asks it.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self, TypeVar

from django.conf import settings
from django.db import models, router, transaction

from affiliates.audit import recording
from affiliates.errors import NotFound

M = TypeVar("M", bound=models.Model)


class RecordQuerySet(models.QuerySet[M]):
    """Tells the audit of what is written without signals."""

    def update(self, **values: Any) -> int:
        if not recording.is_recorded(self.model):
            return super().update(**values)
        self._for_write = True
        with transaction.atomic(using=self.db):
            found = self.order_by("pk").select_for_update(of=("self",), no_key=True)
            before = list(found)
            rows = self.filter(pk__in=[row.pk for row in before])
            count = super(RecordQuerySet, rows).update(**values)
            after = self.model._base_manager.using(self.db)
            recording.record_updated(before, after.in_bulk([row.pk for row in before]))
        return count

    def bulk_create(self, objs: Any, *args: Any, **options: Any) -> list[M]:
        if not recording.is_recorded(self.model):
            return super().bulk_create(objs, *args, **options)
        self._for_write = True
        with transaction.atomic(using=self.db):
            rows = super().bulk_create(objs, *args, **options)
            recording.record_created(rows)
        return rows


class RecordManager(models.Manager[M]):
    _queryset_class = RecordQuerySet

    def get_queryset(self) -> models.QuerySet[M]:
        queryset = super().get_queryset()
        if self._db is not None:
            return queryset
        hints = self._hints  # type: ignore[attr-defined]  # the stubs leave it out
        return queryset.using(router.db_for_write(self.model, **hints))


def lock(model: type[M], pk: Any) -> M:
    """The row, which nobody else writes until this transaction ends. Raises NotFound."""
    rows = model._default_manager.select_for_update(of=("self",), no_key=True)
    row = rows.filter(pk=pk).first()
    if row is None:
        raise NotFound
    return row


class Record(models.Model):
    objects: ClassVar[RecordManager[Self]] = RecordManager()

    class Meta:
        abstract = True
        # Also for what is read through a relation.
        base_manager_name = "objects"

    def change(self, **values: Any) -> Self:
        """Save these columns alone, with the row's seal where it has one."""
        for name, value in values.items():
            setattr(self, name, value)
        seal = {"seal"} & {field.name for field in self._meta.concrete_fields}
        self.save(update_fields=[*values, *seal])
        return self

    def get_additional_data(self) -> dict[str, Any] | None:
        """What auditlog keeps with a change of the row."""
        return recording.page_of(self)


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
