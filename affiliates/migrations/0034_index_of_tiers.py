"""What the sales before one are counted by."""

from django.db import migrations, models

from affiliates.migration_operations import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('affiliates', '0033_tiers'),
    ]

    operations = [
        AddIndexBesideWriters(
            model_name='commission',
            index=models.Index(fields=['affiliate', 'earned_at'], name='commission_of_affiliate_time'),
        ),
    ]
