"""What the days are counted by. Clicks by their transaction: a few kB for millions."""

from django.db import migrations, models

from affiliates.migration_operations import AddIndexBesideWriters


def index_transactions(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        # It waits for whoever writes, and nobody waits for it.
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

    dependencies = [
        ('affiliates', '0016_statistics'),
    ]

    operations = [
        AddIndexBesideWriters(
            model_name='click',
            index=models.Index(fields=['brand', 'created_at'], name='click_of_brand_by_day'),
        ),
        AddIndexBesideWriters(
            model_name='clientreferral',
            index=models.Index(fields=['brand', 'bound_at'], name='client_of_brand_by_day'),
        ),
        AddIndexBesideWriters(
            model_name='commission',
            index=models.Index(fields=['brand', 'earned_at'], name='commission_of_brand_by_day'),
        ),
        AddIndexBesideWriters(
            model_name='sale',
            index=models.Index(fields=['brand', 'paid_at'], name='sale_of_brand_by_day'),
        ),
        migrations.RunPython(index_transactions, drop_index, elidable=False, atomic=False),
    ]
