"""Seals of transfers, bindings, imported rows and payout terms."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0057_positions'),
    ]

    operations = [
        migrations.AddField(
            model_name='affiliatetransfer',
            name='seal',
            field=models.CharField(db_default='', default='', editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name='clientreferral',
            name='seal',
            field=models.CharField(db_default='', default='', editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name='importedrow',
            name='seal',
            field=models.CharField(db_default='', default='', editable=False, max_length=64),
        ),
        migrations.AddField(
            model_name='payoutterms',
            name='seal',
            field=models.CharField(db_default='', default='', editable=False, max_length=64),
        ),
    ]
