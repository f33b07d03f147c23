"""On PostgreSQL each click carries the number of its transaction, by a default of the
database. Its index takes a few kB for millions of clicks.
"""

from django.db import migrations


def number_transactions(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE affiliates_click ADD COLUMN written_in bigint")
        schema_editor.execute(
            "ALTER TABLE affiliates_click ALTER COLUMN written_in "
            "SET DEFAULT pg_current_xact_id()::text::bigint"
        )


def forget_transactions(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("ALTER TABLE affiliates_click DROP COLUMN IF EXISTS written_in")


def index_transactions(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        # It waits for those who write, and nobody waits for it.
        schema_editor.execute("SET lock_timeout = 0")
        schema_editor.execute("DROP INDEX CONCURRENTLY IF EXISTS click_by_transaction")
        schema_editor.execute(
            "CREATE INDEX CONCURRENTLY click_by_transaction ON affiliates_click "
            "USING brin (written_in) WITH (pages_per_range = 16, autosummarize = on)"
        )
        schema_editor.execute("RESET lock_timeout")


def drop_index(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("DROP INDEX CONCURRENTLY IF EXISTS click_by_transaction")


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("affiliates_statistics", "0002_triggers")]

    operations = [
        migrations.RunPython(number_transactions, forget_transactions, elidable=False, atomic=True),
        migrations.RunPython(index_transactions, drop_index, elidable=False, atomic=False),
    ]
