"""What the lists of the admin are ordered, filtered and searched by."""

from django.conf import settings
from django.db import migrations, models

from affiliates.migration_operations import AddIndexBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('affiliates', '0014_test_brand_and_canary'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        AddIndexBesideWriters(
            model_name='commission',
            index=models.Index(fields=['earned_at', 'id'], name='commission_by_time'),
        ),
        AddIndexBesideWriters(
            model_name='delivery',
            index=models.Index(fields=['created_at'], name='delivery_by_time'),
        ),
        AddIndexBesideWriters(
            model_name='email',
            index=models.Index(fields=['created_at'], name='email_by_time'),
        ),
        AddIndexBesideWriters(
            model_name='email',
            index=models.Index(condition=models.Q(('recipient', ''), _negated=True), fields=['recipient'], name='email_to'),
        ),
        AddIndexBesideWriters(
            model_name='invoicepayment',
            index=models.Index(fields=['payment_ref'], name='payment_by_reference'),
        ),
        AddIndexBesideWriters(
            model_name='invoicepayment',
            index=models.Index(fields=['paid_at', 'id'], name='payment_by_time'),
        ),
        AddIndexBesideWriters(
            model_name='invoicerefund',
            index=models.Index(fields=['refund_ref'], name='refund_by_reference'),
        ),
        AddIndexBesideWriters(
            model_name='invoicerefund',
            index=models.Index(fields=['refunded_at', 'id'], name='refund_by_time'),
        ),
        AddIndexBesideWriters(
            model_name='ledgerposting',
            index=models.Index(fields=['posted_at', 'id'], name='posting_by_time'),
        ),
        AddIndexBesideWriters(
            model_name='orderreferral',
            index=models.Index(fields=['converted_at', 'id'], name='order_referral_by_time'),
        ),
        AddIndexBesideWriters(
            model_name='orderreferral',
            index=models.Index(fields=['reason', 'id'], name='order_referral_by_reason'),
        ),
        AddIndexBesideWriters(
            model_name='orderreferral',
            index=models.Index(condition=models.Q(('click_id__isnull', False)), fields=['click_id'], name='order_referral_of_click'),
        ),
        AddIndexBesideWriters(
            model_name='orderreferral',
            index=models.Index(condition=models.Q(('external_affiliate', ''), _negated=True), fields=['external_affiliate'], name='order_referral_of_external'),
        ),
        AddIndexBesideWriters(
            model_name='payout',
            index=models.Index(condition=models.Q(('remote_ref', ''), _negated=True), fields=['remote_ref'], name='payout_by_reference'),
        ),
        AddIndexBesideWriters(
            model_name='sale',
            index=models.Index(fields=['paid_at', 'id'], name='sale_by_time'),
        ),
    ]
