"""Clients by their e-mail address, and rows that are few among many others."""

from django.db import migrations, models
from django.db.models.functions import Lower

from affiliates.extending import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('portal', '0002_indexes_of_lists'),
    ]

    operations = [
        AddIndexBesideWriters(
            model_name='invoice',
            index=models.Index(fields=['status', 'created_at'], name='invoice_by_status'),
        ),
        AddIndexBesideWriters(
            model_name='invoice',
            index=models.Index(fields=['gateway', 'created_at'], name='invoice_by_gateway'),
        ),
        AddIndexBesideWriters(
            model_name='order',
            index=models.Index(condition=models.Q(('ended_at__isnull', False)), fields=['created_at', 'id'], name='order_ended'),
        ),
        AddIndexBesideWriters(
            model_name='user',
            index=models.Index(Lower('email'), name='user_by_email'),
        ),
        AddIndexBesideWriters(
            model_name='user',
            index=models.Index(condition=models.Q(('is_active', False)), fields=['created_at', 'id'], name='user_not_active'),
        ),
        AddIndexBesideWriters(
            model_name='user',
            index=models.Index(condition=models.Q(('is_staff', True)), fields=['created_at', 'id'], name='user_of_staff'),
        ),
    ]
