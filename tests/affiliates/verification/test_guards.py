"""The triggers: those the check knows, those the migration makes, those there are."""

from __future__ import annotations

import re

import pytest
from django.db import connection

from affiliates.contrib.statistics.feed import faulty_triggers
from affiliates.ledger.models import LedgerEntry
from affiliates.verification.guards import (
    REFUSE_CHANGE,
    faulty_guards,
    triggers,
)
from tests.migrations.write_triggers import ROOT, files
from tests.races import needs_postgresql

NAMES = {
    "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal",
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
}
UPDATE_OF_ENTRIES = f"{LedgerEntry._meta.db_table}_refuses_update"


def run(*statements):
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def test_migrations_create_the_triggers_of_the_lists():
    written = {path: (ROOT / path).read_text("utf-8") for path in files()}

    assert written == files(), "Run python -m tests.migrations.write_triggers"


@pytest.mark.django_db
def test_the_database_has_just_these():
    expected = {one.name for _, one in triggers(connection.vendor)}
    names = {name for (name,) in run(NAMES[connection.vendor])}
    # Those that note what the statistics have to count again refuse nothing.
    notes = {
        name
        for name in names
        if re.search("_notes_(cancelled_)?(insert|update|delete)$", name)
    }

    assert (names - notes, [*faulty_triggers()]) == (expected, [])
    assert list(faulty_guards()) == []


@pytest.mark.django_db
@pytest.mark.skipif(
    connection.vendor != "sqlite", reason="PostgreSQL's triggers call a function"
)
def test_finds_a_trigger_that_does_nothing():
    run(
        f"DROP TRIGGER {UPDATE_OF_ENTRIES}",
        f"CREATE TRIGGER {UPDATE_OF_ENTRIES} BEFORE UPDATE ON "
        f"{LedgerEntry._meta.db_table} BEGIN SELECT 1; END",
    )

    assert list(faulty_guards()) == [
        (
            UPDATE_OF_ENTRIES,
            "does not do what it should: rows can be changed unseen.",
        )
    ]


@needs_postgresql
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("function", "is_guarded"),
    [
        ("affiliates_refuse_change", lambda one: one.function == REFUSE_CHANGE),
        ("affiliates_refuse_other_change", lambda one: "salt" in one.definition),
    ],
)
def test_finds_a_function_that_was_emptied(function, is_guarded):
    guarded = {one.name for _, one in triggers("postgresql") if is_guarded(one)}
    run(
        f"CREATE OR REPLACE FUNCTION {function}() RETURNS trigger "
        "LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$"
    )

    faulty = dict(faulty_guards())

    assert faulty.keys() == guarded != set()
    assert set(faulty.values()) == {
        "does not do what it should: rows can be changed unseen."
    }


@needs_postgresql
@pytest.mark.django_db
def test_finds_a_trigger_with_a_condition():
    table = LedgerEntry._meta.db_table
    run(
        f"DROP TRIGGER {UPDATE_OF_ENTRIES} ON {table}",
        f"CREATE TRIGGER {UPDATE_OF_ENTRIES} BEFORE UPDATE ON {table} FOR EACH ROW "
        "WHEN (false) EXECUTE FUNCTION affiliates_refuse_change('no')",
    )

    assert [name for name, _ in faulty_guards()] == [UPDATE_OF_ENTRIES]
