"""The figures by day. On PostgreSQL each click carries the number of its transaction, by a
default of the database; its index takes a few kB for millions of clicks.
"""

import django.db.models.deletion
from django.db import migrations, models

from affiliates.db.migration_operations import build_index


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
        what = "USING brin (written_in) WITH (pages_per_range = 16, autosummarize = on)"
        build_index(schema_editor, "affiliates_click", "click_by_transaction", what)


def drop_index(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        # An index of a partitioned table cannot be dropped concurrently.
        schema_editor.execute("DROP INDEX IF EXISTS click_by_transaction")


class Migration(migrations.Migration):

    initial = True
    # The index is built beside those who write.
    atomic = False

    dependencies = [
        ('affiliates', '0003_guards'),
    ]

    operations = [
        migrations.CreateModel(
            name='StatisticsChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('brand_id', models.BigIntegerField()),
                ('at', models.DateTimeField()),
                ('of_clicks', models.BooleanField(db_default=False)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.CreateModel(
            name='StatisticsState',
            fields=[
                ('brand', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='affiliates.brand')),
                ('time_zone', models.CharField(max_length=64)),
                ('open_from', models.DateField()),
                ('counted_at', models.DateTimeField()),
                ('clicks_seen', models.TextField(default='')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.CreateModel(
            name='CountedDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('is_due', models.BooleanField(default=False)),
                ('clicks_due', models.BooleanField(default=False)),
                ('is_frozen', models.BooleanField(default=False)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='affiliates.brand')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('is_due', True)), fields=['brand', 'day'], name='day_due')],
                'constraints': [models.UniqueConstraint(fields=('brand', 'day'), name='day_is_counted_once')],
            },
        ),
        migrations.CreateModel(
            name='DailyFigures',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('dimension', models.CharField(choices=[('total', 'All'), ('affiliate', 'Affiliate'), ('link', 'Link'), ('sub_id', 'Sub-id'), ('referrer', 'Referring site'), ('country', 'Country'), ('product', 'Product'), ('coupon', 'Coupon')], max_length=10)),
                ('value', models.CharField(blank=True, max_length=100)),
                ('currency', models.CharField(blank=True, max_length=3)),
                ('clicks', models.IntegerField()),
                ('human_clicks', models.IntegerField()),
                ('unique_clicks', models.IntegerField()),
                ('signups', models.IntegerField()),
                ('orders', models.IntegerField()),
                ('sales', models.IntegerField()),
                ('reversals', models.IntegerField()),
                ('revenue', models.BigIntegerField()),
                ('reversed_revenue', models.BigIntegerField()),
                ('pending', models.BigIntegerField()),
                ('matured', models.BigIntegerField()),
                ('held', models.BigIntegerField()),
                ('approved', models.BigIntegerField()),
                ('paid', models.BigIntegerField()),
                ('rejected', models.BigIntegerField()),
                ('taken_back', models.BigIntegerField()),
                ('discount', models.BigIntegerField()),
                ('affiliate', models.ForeignKey(db_constraint=False, db_index=False, help_text='Empty: of all affiliates together.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='affiliates.affiliate')),
                ('brand', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='affiliates.brand')),
            ],
            options={
                'verbose_name_plural': 'daily figures',
                'indexes': [models.Index(fields=['brand', 'day'], name='figures_of_day'), models.Index(condition=models.Q(('affiliate__isnull', True), ('dimension__in', ['affiliate', 'link']), _connector='OR'), fields=['brand', 'dimension', 'day'], name='figures_of_brand'), models.Index(condition=models.Q(('affiliate__isnull', False)), fields=['affiliate', 'dimension', 'day'], name='figures_of_affiliate')],
            },
        ),
        migrations.RunPython(number_transactions, forget_transactions, elidable=False, atomic=True),
        migrations.RunPython(index_transactions, drop_index, elidable=False, atomic=False),
    ]
