"""Rows of every table as texts, as PostgreSQL's COPY and SQLite take them."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.apps import apps
from django.db import connection, models

from affiliates.db.seals import SealField, seal_field
from affiliates.hooks import own_apps

# Kept by other means, or of this process alone.
LEFT_OUT = {
    "affiliates_configchange",
    "affiliates_statistics_countedday",
    "affiliates_statistics_dailyfigures",
    "affiliates_statistics_statisticschange",
    "affiliates_statistics_statisticsstate",
    "affiliates_accountbalance",
    "affiliates_integrationhealth",
    "affiliates_storedanswer",
    "affiliates_workerjob",
    # A worker beside the copies would send them.
    "affiliates_email",
    # Numbered in series of their own, which copies would have to go on with.
    "affiliates_payoutstatement",
    "affiliates_statementseries",
    "portal_invoicecounter",
}
# Stands in the text of a seal for the digest of the row's personal columns.
PERSONAL = "<personal>"


@dataclass(kw_only=True)
class Table:
    """``rows`` have their columns by name; ``seals`` the texts that each seal is made of:
    of the row, with ``PERSONAL`` for the digest of the other, and of its personal columns.
    """

    model: type[models.Model]
    columns: list[str]
    pks: list[str]
    rows: list[list[str | None]]
    seals: list[tuple[str, str]]


@dataclass(kw_only=True)
class Snapshot:
    """Rows of every table that has some."""

    tables: dict[str, Table] = field(default_factory=dict)


def copied_models() -> list[type[models.Model]]:
    rows = [
        model
        for app in (*own_apps(), apps.get_app_config("portal"))
        for model in app.get_models()
        if not model._meta.proxy and model._meta.db_table not in LEFT_OUT
    ]
    return [model for model in rows if model._meta.managed]


def read_snapshot(*known: Snapshot) -> Snapshot:
    """All that has been written since the snapshots ``known``."""
    snapshot = Snapshot()
    for model in copied_models():
        name = model._meta.db_table
        tables = [
            table_copy.tables[name] for table_copy in known if name in table_copy.tables
        ]
        table = _read_table(model, {pk for table in tables for pk in table.pks})
        if table.rows:
            snapshot.tables[name] = table
    return snapshot


def _read_table(model: type[models.Model], known: set[str]) -> Table:
    seal = seal_field(model)
    fields = [field for field in model._meta.concrete_fields if field is not seal]
    columns = [str(field.column) for field in fields]
    position = columns.index(str(model._meta.pk.column))
    texts = ", ".join(f"CAST({_quoted(column)} AS text)" for column in columns)
    name = _quoted(model._meta.db_table)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {texts} FROM {name}"  # noqa: S608 - our own names
            # With the table's name: the text of the same name has another order.
            f" ORDER BY {name}.{_quoted(columns[position])}"
        )
        rows = [list(row) for row in cursor.fetchall() if row[position] not in known]
    pks = [str(row[position]) for row in rows]
    seals: list[tuple[str, str]] = []
    if seal is not None:
        kept = model._base_manager.in_bulk(pks)
        seals = [_texts_of(seal, kept[int(pk)]) for pk in pks]
        columns.append(str(seal.column))
    return Table(model=model, columns=columns, pks=pks, rows=rows, seals=seals)


def _texts_of(seal: SealField, row: models.Model) -> tuple[str, str]:
    return seal.sealed_text(row, personal=PERSONAL), seal.personal_text(row)


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)
