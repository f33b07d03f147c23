"""What an affiliate's list of orders is found by, without a look at the rows."""

from django.db import migrations, models

from affiliates.migration_operations import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('affiliates', '0049_failing_since'),
    ]

    operations = [
        AddIndexBesideWriters(
            model_name='orderreferral',
            index=models.Index(fields=['affiliate', 'converted_at', 'id'], name='order_of_affiliate_by_time'),
        ),
        AddIndexBesideWriters(
            model_name='orderreferral',
            index=models.Index(fields=['client', 'affiliate', 'converted_at', 'id'], name='order_of_client_by_affiliate'),
        ),
    ]
