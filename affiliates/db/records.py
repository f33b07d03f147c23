"""The base of every table: rows are read from the database that they are written to.

With replicas behind a router, a read may be older than a recent write, and a decision
based on it may be wrong. Django asks the router for the database without saying what
the read is for; so reads of these tables do not ask it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Self, TypeVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import connections, models, router, transaction
from django.db.models.sql import InsertQuery

from affiliates.db import reading
from affiliates.db.audit import recording
from affiliates.errors import NotFound

M = TypeVar("M", bound=models.Model)
# SQLite unites up to 500.
MAX_AT_ONCE = 200


class RecordQuerySet(models.QuerySet[M]):
    """Notifies the audit of writes that send no signals."""

    def using(self, alias: str | None) -> Self:
        """Forms of foreign keys name no database: the router would name a replica."""
        return super().using(alias or _database_for(self.model))

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
        return queryset.using(_database_for(self.model, **hints))


def _database_for(model: type[models.Model], **hints: Any) -> str:
    return reading.current() or router.db_for_write(model, **hints)


def lock(model: type[M], pk: Any) -> M:
    """Returns the row locked until this transaction ends. Raises NotFound."""
    rows = model._default_manager.select_for_update(of=("self",), no_key=True)
    row = rows.filter(pk=pk).first()
    if row is None:
        raise NotFound
    return row


class Record(models.Model):
    objects: ClassVar[RecordManager[Self]] = RecordManager()

    class Meta:
        abstract = True
        # Also for rows read through a relation.
        base_manager_name = "objects"

    def clean_fields(self, exclude: Collection[str] | None = None) -> None:
        """Looks for rows of foreign keys where they are written.

        Django asks the router for the database to read from: a row that this
        transaction has just made is no valid choice there.
        """
        left_out = set(exclude or ())
        relations = [
            field
            for field in self._meta.concrete_fields
            if isinstance(field, models.ForeignKey) and field.name not in left_out
        ]
        faults: dict[str, Any] = {}
        try:
            super().clean_fields(left_out.union(field.name for field in relations))
        except ValidationError as error:
            faults = error.update_error_dict(faults)
        for field in relations:
            value = getattr(self, field.attname)
            if not (field.blank and value in field.empty_values):
                try:
                    setattr(self, field.attname, _clean_relation(field, value, self))
                except ValidationError as error:
                    faults[field.name] = error.error_list
        if faults:
            raise ValidationError(faults)

    def change(self, **values: Any) -> Self:
        """Saves only these columns, and the row's seal if it has one."""
        for name, value in values.items():
            setattr(self, name, value)
        seal = {"seal"} & {field.name for field in self._meta.concrete_fields}
        self.save(update_fields=[*values, *seal])
        return self

    def get_additional_data(self) -> dict[str, Any]:
        """The data that auditlog stores with a change of the row."""
        return recording.place_of(self)


def _clean_relation(
    field: models.ForeignKey[Any, Any], value: Any, row: models.Model
) -> Any:
    value = field.to_python(value)
    models.Field.validate(field, value, row)
    field.run_validators(value)
    model: type[models.Model] = field.related_model
    rows = model._base_manager.using(router.db_for_write(model, instance=row))
    key = {field.target_field.attname: value}
    known = rows.filter(**key).complex_filter(field.get_limit_choices_to())
    if value is not None and not known.exists():
        words = {"model": model._meta.verbose_name, "pk": value, "value": value}
        words["field"] = field.target_field.name
        raise ValidationError(
            field.error_messages["invalid"], code="invalid", params=words
        )
    return value


def staff_field(**options: Any) -> models.ForeignKey[Any, Any]:
    """The acting staff member; empty before the action or if nobody acted."""
    return models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        **options,
    )


def optional_text(**options: Any) -> models.CharField[str, str]:
    """A short text that may be empty."""
    return models.CharField(blank=True, default="", db_default="", **options)


def at_once(querysets: Iterable[models.QuerySet[Any, Any]]) -> Iterator[Any]:
    """The rows of all of these, which have the same columns, by a single query."""
    every = list(querysets)
    for start in range(0, len(every), MAX_AT_ONCE):
        first, *others = every[start : start + MAX_AT_ONCE]
        # The union would be ordered as its model, by columns that it may lack.
        yield from first.union(*others, all=True).order_by() if others else first


def insert_once(row: models.Model) -> bool:
    """Inserts the row; False if a unique constraint forbids it.

    Every other constraint raises. In a race this waits for the row that came first.
    PostgreSQL logs a refused statement with all its values: password hashes, messages,
    references. ``ON CONFLICT DO NOTHING`` is no refusal.
    """
    statement, values = insert_statement([row])
    connection = connections[_database_of(row)]
    column = connection.ops.quote_name(str(row._meta.pk.column))
    with connection.cursor() as cursor:
        cursor.execute(f"{statement} ON CONFLICT DO NOTHING RETURNING {column}", values)
        inserted = cursor.fetchone()
    if inserted is None:
        return False
    if row.pk is None:
        row.pk = inserted[0]
    row._state.db, row._state.adding = connection.alias, False
    return True


def insert_statement(rows: Sequence[models.Model]) -> tuple[str, Sequence[Any]]:
    """The INSERT of rows of one model, and its values, to be part of a statement."""
    row = rows[0]
    query = InsertQuery(type(row))
    key = row._meta.pk
    fields = row._meta.local_concrete_fields
    query.insert_values(
        [field for field in fields if field is not key or row.pk is not None],
        list(rows),
    )
    compiler = query.get_compiler(connection=connections[_database_of(row)])
    [(statement, values)] = compiler.as_sql()
    return statement, values


def _database_of(row: models.Model) -> str:
    return router.db_for_write(type(row), instance=row)
