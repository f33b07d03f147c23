"""Columns and an index of tables that every visit and payment writes to."""

from __future__ import annotations

import pkgutil

from django.db import migrations, models

from affiliates import migrations as ours
from affiliates.db.migration_operations import (
    AddIndexBesideWriters,
    TriggerKeepingMigration,
)

TABLES = ("brand", "affiliatelink", "click", "orderreferral", "sale", "commission")


LAST = max(one.name for one in pkgutil.iter_modules(ours.__path__) if one.name[0] != "_")


class Migration(TriggerKeepingMigration):
    # An index is built beside the writers only outside a transaction.
    atomic = False
    dependencies = [("affiliates", LAST)]
    operations = [
        *(
            migrations.AddField(table, "later", models.CharField(db_default="of later"))
            for table in TABLES
        ),
        AddIndexBesideWriters("click", models.Index(fields=["later"], name="by_later")),
    ]
