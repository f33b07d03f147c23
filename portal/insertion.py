"""Inserting what may be there already, without an error in the database's log.

PostgreSQL logs a refused statement with all its values: passwords' hashes, messages,
references. ``ON CONFLICT DO NOTHING`` is no refusal.
"""

from __future__ import annotations

from django.db import connections, router
from django.db.models import Model
from django.db.models.sql import InsertQuery


def insert_once(row: Model) -> bool:
    """Insert the row; False where a unique constraint forbids it.

    Every other constraint raises. In a race this waits for the row that came first.
    """
    alias = router.db_for_write(type(row), instance=row)
    connection = connections[alias]
    key = row._meta.pk
    fields = row._meta.local_concrete_fields
    query = InsertQuery(type(row))
    query.insert_values(
        [f for f in fields if f is not key or row.pk is not None], [row]
    )
    [(statement, values)] = query.get_compiler(connection=connection).as_sql()
    column = connection.ops.quote_name(str(key.column))
    with connection.cursor() as cursor:
        cursor.execute(f"{statement} ON CONFLICT DO NOTHING RETURNING {column}", values)
        inserted = cursor.fetchone()
    if inserted is None:
        return False
    if row.pk is None:
        row.pk = inserted[0]
    row._state.db, row._state.adding = alias, False
    return True
