"""A refund is known by its reference alone, whichever invoice it is of."""

from django.db import migrations, models

from affiliates.migration_operations import AddIndexBesideWriters


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('affiliates', '0055_cancelled_refunds'),
    ]

    operations = [
        AddIndexBesideWriters(
            model_name='invoicerefund',
            index=models.Index(fields=['brand', 'invoice_ref'], name='refunds_of_invoice'),
        ),
        migrations.RemoveConstraint(
            model_name='invoicerefund',
            name='refund_is_recorded_once',
        ),
        migrations.AddConstraint(
            model_name='invoicerefund',
            constraint=models.UniqueConstraint(fields=('brand', 'refund_ref'), name='refund_is_recorded_once'),
        ),
    ]
