"""What the counts beside the queues of the admin are read from."""

from django.db import migrations, models

from affiliates.migration_operations import AddIndexBesideWriters


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('affiliates', '0007_brand_time_zone'),
    ]

    operations = [
        AddIndexBesideWriters(
            model_name='affiliate',
            index=models.Index(condition=models.Q(('status', 'pending')), fields=['brand'], name='affiliate_pending'),
        ),
        AddIndexBesideWriters(
            model_name='commission',
            index=models.Index(condition=models.Q(('status', 'held')), fields=['brand'], name='commission_held'),
        ),
        AddIndexBesideWriters(
            model_name='commission',
            index=models.Index(condition=models.Q(('status', 'matured')), fields=['brand'], name='commission_to_approve'),
        ),
        AddIndexBesideWriters(
            model_name='email',
            index=models.Index(condition=models.Q(('state__in', ['unclear', 'failed'])), fields=['brand'], name='email_not_arrived'),
        ),
    ]
