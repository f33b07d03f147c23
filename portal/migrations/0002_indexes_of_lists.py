"""Indexes that the lists of the admin are ordered, filtered and searched by."""

from django.db import migrations, models

from affiliates.extending import AddIndexBesideWriters
from portal.migrations._operations import AddPartsIndex


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
        ('portal', '0001_initial'),
    ]

    operations = [
        AddIndexBesideWriters(
            model_name='invoice',
            index=models.Index(fields=['number'], name='invoice_by_number'),
        ),
        AddIndexBesideWriters(
            model_name='invoice',
            index=models.Index(fields=['created_at', 'id'], name='invoice_by_time'),
        ),
        AddIndexBesideWriters(
            model_name='order',
            index=models.Index(fields=['created_at', 'id'], name='order_by_time'),
        ),
        AddIndexBesideWriters(
            model_name='paymentevent',
            index=models.Index(fields=['received_at', 'id'], name='event_by_time'),
        ),
        AddIndexBesideWriters(
            model_name='user',
            index=models.Index(fields=['created_at', 'id'], name='user_by_time'),
        ),
        AddIndexBesideWriters(
            model_name='walletentry',
            index=models.Index(fields=['created_at', 'id'], name='wallet_by_time'),
        ),
        AddPartsIndex(
            "portal_user", ("email", "firstname", "lastname"), name="user_by_parts"
        ),
    ]
