"""Migrate an empty database to the oldest schema, fill it, migrate on, and verify it.

Run as ``python -m tests.migrations.forward`` with DATABASE_URL; prints what was kept.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import django
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor

OLDEST = {"affiliates": "0003_append_only", "portal": "0001_initial"}
ROWS = Path(__file__).with_name("oldest.json")


def forward() -> None:
    for app, migration in OLDEST.items():
        call_command("migrate", app, migration, verbosity=0)
    filled = _fill()
    call_command("migrate", verbosity=0)
    call_command("verify_ledger", deep=True)
    print(f"{filled} rows kept.")  # noqa: T201 - what the test reads


def _fill() -> int:
    state = MigrationExecutor(connection).loader.project_state(list(OLDEST.items()))
    tables = json.loads(ROWS.read_text("utf-8"))
    models = [state.apps.get_model(label) for label in tables]
    with transaction.atomic(), connection.cursor() as cursor:
        for model, table in zip(models, tables.values(), strict=True):
            _insert(cursor, model, table["columns"], table["rows"])
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
    return sum(len(table["rows"]) for table in tables.values())


def _insert(cursor: Any, model: Any, names: list[str], rows: list[list[Any]]) -> None:
    of_name = {field.attname: field for field in model._meta.concrete_fields}
    fields = [of_name[name] for name in names]
    quote = connection.ops.quote_name
    columns = ", ".join(quote(field.column) for field in fields)
    values = ", ".join("%s" for _ in fields)
    cursor.executemany(
        f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({values})",  # noqa: S608 - names of our own tables
        [
            [
                field.get_db_prep_save(field.to_python(value), connection)
                for field, value in zip(fields, row, strict=True)
            ]
            for row in rows
        ],
    )


if __name__ == "__main__":
    django.setup()
    forward()
