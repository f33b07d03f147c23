"""Migrations let processes of the release before go on."""

from __future__ import annotations

from importlib import import_module

import pytest
from django.db import connection, models
from django.db.migrations import (
    AddConstraint,
    AddField,
    AddIndex,
    CreateModel,
    Migration,
    RemoveConstraint,
)
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.fields import FieldOperation

from affiliates.db.migration_operations import (
    AddIndexBesideWriters,
    TriggerKeepingMigration,
    existing_triggers,
)
from supply.migrations import digests, recorded
from tests.races import needs_postgresql

# SQLite copies the table for them.
TABLE_CHANGES = (FieldOperation, AddConstraint, RemoveConstraint)


def test_later_migrations_let_the_older_release_go_on():
    first_release, *_ = recorded().values()
    later = [
        import_module(path.removesuffix(".py").replace("/", ".")).Migration
        for path in digests().keys() - first_release
    ]

    assert [fault for one in later for fault in faults_of(one.operations)] == []
    assert [one for one in later if loses_triggers(one)] == []


def test_columns_without_a_default_and_plain_indexes_are_faults():
    index = models.Index(fields=["code"], name="by_code")
    operations = [
        AddField("affiliate", "note", models.TextField()),
        AddField("affiliate", "seen", models.DateTimeField(null=True)),
        AddField("affiliate", "rank", models.IntegerField(db_default=0)),
        AddIndex("affiliate", index),
    ]

    assert list(faults_of(operations)) == [
        "affiliate.note: an older process inserts no value; give it a db_default",
        "affiliate by_code: building it stops writers; use AddIndexBesideWriters",
    ]


def test_a_table_is_created_with_its_constraints_and_indexes():
    """Each that is added by itself renders all models again, and rebuilds on SQLite."""
    added = [
        (app, name, one.describe())
        for (app, name), migration in MigrationLoader(None).disk_migrations.items()
        if app.startswith("affiliates")
        for one in migration.operations
        if isinstance(one, AddConstraint | AddIndex)
        if one.model_name_lower in created_by(migration)
    ]

    assert added == []


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_index_beside_writers_is_built_anew_after_an_interruption():
    before = MigrationLoader(connection).project_state()
    index = models.Index(fields=["created_at"], name="by_time")
    operation = AddIndexBesideWriters("click", index)
    after = before.clone()
    operation.state_forwards("affiliates", after)

    try:
        with connection.schema_editor(atomic=False) as editor, connection.cursor() as sql:
            sql.execute("CREATE INDEX by_time ON affiliates_click (id)")
            limit = sql.execute("SHOW lock_timeout").fetchone()
            operation.database_forwards("affiliates", editor, before, after)

            sql.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'by_time'")
            assert sql.fetchone()[0].endswith("btree (created_at)")
            assert sql.execute("SHOW lock_timeout").fetchone() == limit
    finally:
        with connection.cursor() as sql:
            sql.execute("DROP INDEX IF EXISTS by_time")


@pytest.mark.django_db(transaction=True)
def test_a_changed_column_leaves_the_triggers_as_they_were():
    state = MigrationLoader(connection).project_state()
    kept = existing_triggers(connection)
    change = TriggerKeepingMigration("9999_later", "affiliates")
    # SQLite copies a table for it.
    change.operations = [AddField("sale", "later", models.IntegerField(db_default=0))]

    with connection.schema_editor() as editor:
        change.apply(state.clone(), editor)
    changed = existing_triggers(connection)
    with connection.schema_editor() as editor:
        change.unapply(state.clone(), editor)

    assert len(kept) > 50
    assert sorted(changed) == sorted(existing_triggers(connection)) == sorted(kept)


def test_a_migration_that_changes_a_table_keeps_its_triggers():
    change = AddField("sale", "later", models.IntegerField(null=True))
    bare = type("Migration", (Migration,), {"operations": [change]})
    keeping = type("Migration", (TriggerKeepingMigration,), {"operations": [change]})
    table = type("Migration", (Migration,), {"operations": [CreateModel("Note", [])]})

    assert [loses_triggers(one) for one in (bare, keeping, table)] == [True, False, False]


def created_by(migration):
    return {
        one.name_lower for one in migration.operations if isinstance(one, CreateModel)
    }


def loses_triggers(migration):
    return not issubclass(migration, TriggerKeepingMigration) and any(
        isinstance(one, TABLE_CHANGES) for one in migration.operations
    )


def faults_of(operations):
    for one in operations:
        if isinstance(one, AddField) and not one.field.null:
            if not one.field.has_db_default():
                yield (
                    f"{one.model_name}.{one.name}: an older process inserts no value; "
                    "give it a db_default"
                )
        elif type(one) is AddIndex:
            yield (
                f"{one.model_name} {one.index.name}: building it stops writers; use "
                "AddIndexBesideWriters"
            )
