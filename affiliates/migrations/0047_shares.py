"""Recruiters' shares of commissions."""

import django.db.models.deletion
from django.db import migrations, models

from affiliates.migration_operations import AddOneToOneWithoutIndex


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0046_share_of_recruiters'),
    ]

    operations = [
        AddOneToOneWithoutIndex(
            model_name='commission',
            name='share_of',
            field=models.OneToOneField(blank=True, help_text='The commission of the recruited affiliate. Empty: for a sale of its own.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='share', to='affiliates.commission'),
        ),
        migrations.AddConstraint(
            model_name='commission',
            constraint=models.CheckConstraint(condition=models.Q(('share_of', models.F('pk')), _negated=True), name='commission_is_no_share_of_itself'),
        ),
    ]
