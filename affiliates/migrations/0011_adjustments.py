"""Bonuses and deductions by staff: rows that can be added, and never changed again."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


GUARDS = (
    (
        "affiliates_adjustment",
        ("update", "delete"),
        "add one that takes it back.",
    ),
)


def guard(apps, schema_editor):
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    for name, table, operation, message in _guards():
        act = f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
        if is_postgresql:
            act = f"FOR EACH ROW EXECUTE FUNCTION affiliates_refuse_change('{message}')"
        schema_editor.execute(
            f"CREATE TRIGGER {name} BEFORE {operation} ON {table} {act}"
        )


def unguard(apps, schema_editor):
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    for name, table, _, _ in _guards():
        on_table = f" ON {table}" if is_postgresql else ""
        schema_editor.execute(f"DROP TRIGGER {name}{on_table}")


def _guards():
    for table, operations, instead in GUARDS:
        for operation in operations:
            message = f"Rows of {table} are only ever added: {instead}"
            yield f"{table}_refuses_{operation}", table, operation, message


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0010_saved_lists'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name='ledgerposting',
            name='kind',
            field=models.CharField(choices=[('earned', 'Commission earned'), ('held', 'Commission held'), ('released', 'Commission released'), ('approved', 'Commission approved'), ('rejected', 'Commission rejected'), ('reversed', 'Commission reversed'), ('payout_requested', 'Payout requested'), ('payout_paid', 'Payout paid'), ('payout_rejected', 'Payout rejected'), ('bonus', 'Bonus'), ('bonus_held', 'Bonus, held'), ('bonus_released', 'Held bonus released'), ('bonus_withdrawn', 'Held bonus withdrawn'), ('deduction', 'Deduction')], max_length=30),
        ),
        migrations.CreateModel(
            name='Adjustment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('bonus', 'Bonus'), ('bonus_held', 'Bonus, held'), ('bonus_released', 'Held bonus released'), ('bonus_withdrawn', 'Held bonus withdrawn'), ('deduction', 'Deduction')], max_length=30)),
                ('currency', models.CharField(max_length=3)),
                ('amount', models.BigIntegerField()),
                ('reason', models.CharField(max_length=255)),
                ('key', models.CharField(max_length=139, unique=True)),
                ('at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('actor', models.ForeignKey(blank=True, help_text='Empty: the program itself.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='adjustments', to='affiliates.affiliate')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('ends', models.OneToOneField(blank=True, help_text='The held bonus that this released or withdrew.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='end', to='affiliates.adjustment')),
                ('posting', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='adjustment', to='affiliates.ledgerposting')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='adjustment_is_above_zero'), models.CheckConstraint(condition=models.Q(models.Q(('ends__isnull', False), ('kind__in', ['bonus_released', 'bonus_withdrawn'])), models.Q(('ends__isnull', True), ('kind__in', ['bonus', 'bonus_held', 'deduction'])), _connector='OR'), name='only_the_end_of_a_held_bonus_names_it')],
            },
        ),
        migrations.RunPython(guard, unguard, elidable=False),
    ]
