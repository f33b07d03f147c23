"""The e-mails to one affiliate."""

from django.db import migrations, models

from affiliates.migration_operations import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('affiliates', '0031_email_choices'),
    ]

    operations = [
        AddIndexBesideWriters(
            model_name='email',
            index=models.Index(condition=models.Q(('affiliate__isnull', False)), fields=['affiliate', 'created_at'], name='email_to_affiliate'),
        ),
    ]
