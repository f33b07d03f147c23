"""Links are found by what the system they were imported from called them."""

from django.db import migrations, models

from affiliates.migration_operations import AddIndexBesideWriters


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('affiliates', '0020_link_old_code'),
    ]

    operations = [
        AddIndexBesideWriters(
            model_name='affiliatelink',
            index=models.Index(condition=models.Q(('old_code', ''), _negated=True), fields=['old_code'], name='link_by_old_code'),
        ),
    ]
