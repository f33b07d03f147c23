"""Migrations carry every row that an older release wrote."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection, models
from django.db.migrations import AddField, AddIndex
from django.db.migrations.loader import MigrationLoader

from affiliates.migration_operations import AddIndexBesideWriters
from tests.migrations.forward import OLDEST
from tests.races import needs_postgresql

ROOT = Path(__file__).resolve().parents[2]
OURS = [*OLDEST]


@pytest.mark.site
@pytest.mark.database
@pytest.mark.xdist_group("sites")
def test_rows_of_the_oldest_schema_are_carried_forward(empty_url):
    run = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, "-m", "tests.migrations.forward"],
        cwd=ROOT,
        env={
            **os.environ,
            "DATABASE_URL": empty_url,
            "DJANGO_SETTINGS_MODULE": "tests.settings",
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == 0, run.stderr + run.stdout
    assert "Everything agrees." in run.stdout
    assert "rows kept." in run.stdout


def test_later_migrations_let_the_older_release_go_on():
    graph = MigrationLoader(None).disk_migrations
    later = [
        migration
        for (app, name), migration in graph.items()
        if app in OURS and name > OLDEST[app]
    ]

    assert [fault for one in later for fault in faults_of(one.operations)] == []


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


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_unique_constraint_is_replaced_and_added_beside_writers():
    """Run twice, as after an interruption, and back: it is as Django would have made it."""
    loader = MigrationLoader(connection)
    before = loader.project_state(("affiliates", "0047_shares"))
    made = definitions()
    [unique, replaced] = loader.disk_migrations[
        "affiliates", "0048_unique_shares"
    ].operations
    after = before.clone()
    for one in (unique, replaced):
        one.state_forwards("affiliates", after)

    with connection.schema_editor(atomic=False) as editor:
        states = after.clone(), before.clone()
        for one in (replaced, unique):
            one.database_backwards("affiliates", editor, *states)
        taken_back = definitions()
        with connection.cursor() as sql:
            sql.execute(
                "CREATE INDEX sale_has_one_live_commission_new ON affiliates_commission (id)"
            )
            sql.execute(f"CREATE INDEX {SHARE_KEY} ON affiliates_commission (id)")
        for one in (unique, replaced, unique, replaced):
            one.database_forwards("affiliates", editor, before, after)

    assert definitions() == made
    assert SHARE_KEY not in taken_back
    assert "share_of_id" not in taken_back["sale_has_one_live_commission"]
    assert "share_of_id IS NULL" in made["sale_has_one_live_commission"]


SHARE_KEY = "affiliates_commission_share_of_id_key"


def definitions() -> dict[str, str]:
    """The unique indexes of commissions, and whether a constraint stands on each."""
    with connection.cursor() as sql:
        sql.execute(
            "SELECT indexname, indexdef || coalesce(contype::text, '') FROM pg_indexes "
            "LEFT JOIN pg_constraint ON conname = indexname "
            "WHERE tablename = 'affiliates_commission' AND indexdef LIKE '%UNIQUE%'"
        )
        return dict(sql.fetchall())


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
