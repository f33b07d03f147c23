"""What lists show by the moment of their rows, and rows that are few among many others."""

from django.conf import settings
from django.db import migrations, models

from affiliates.migration_operations import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('affiliates', '0023_brand_masks_clients'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        AddIndexBesideWriters(
            model_name='click',
            index=models.Index(condition=models.Q(('affiliate_status__in', ['pending', 'suspended'])), fields=['affiliate_status', 'id'], name='click_not_of_active'),
        ),
        AddIndexBesideWriters(
            model_name='clientreferral',
            index=models.Index(fields=['bound_at', 'id'], name='client_referral_by_time'),
        ),
        AddIndexBesideWriters(
            model_name='clientreferral',
            index=models.Index(condition=models.Q(('click_id__isnull', False)), fields=['click_id'], name='client_referral_of_click'),
        ),
        AddIndexBesideWriters(
            model_name='clientreferral',
            index=models.Index(condition=models.Q(('external_affiliate', ''), _negated=True), fields=['external_affiliate'], name='client_referral_of_external'),
        ),
        AddIndexBesideWriters(
            model_name='commission',
            index=models.Index(fields=['status', 'earned_at'], name='commission_by_status'),
        ),
        AddIndexBesideWriters(
            model_name='orderreferral',
            index=models.Index(fields=['outcome', 'converted_at'], name='order_referral_by_outcome'),
        ),
    ]
