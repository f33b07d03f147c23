"""Which orders an affiliate took part in and lost: rows that are only ever added."""

import django.db.models.deletion
from django.db import migrations, models

# As in 0003: table, what is refused, and what to do instead.
GUARDS = (
    ("affiliates_ordercandidate", ("update", "delete"), "decide the order again."),
)


def guard(apps, schema_editor):
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    for table, operation, message in _guards():
        act = f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
        if is_postgresql:
            act = f"FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('{message}')"
        schema_editor.execute(
            f"CREATE TRIGGER {table}_refuses_{operation} BEFORE {operation} "
            f"ON {table} {act}"
        )


def unguard(apps, schema_editor):
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    for table, operation, _ in _guards():
        on_table = f" ON {table}" if is_postgresql else ""
        schema_editor.execute(f"DROP TRIGGER {table}_refuses_{operation}{on_table}")


def _guards():
    for table, operations, instead in GUARDS:
        for operation in operations:
            yield table, operation, f"Rows of {table} are only ever added: {instead}"


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0039_affiliate_time_zone'),
    ]

    operations = [
        migrations.CreateModel(
            name='OrderCandidate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('affiliate', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.affiliate')),
                ('referral', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.orderreferral')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('affiliate', 'referral'), name='affiliate_is_one_candidate')],
            },
        ),
        migrations.RunPython(guard, unguard, elidable=False),
    ]
