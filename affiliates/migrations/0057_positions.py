"""What plans count an invoice as, which the host may state."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0056_one_refund_of_a_reference'),
    ]

    operations = [
        migrations.AddField(
            model_name='invoicepayment',
            name='position',
            field=models.PositiveIntegerField(blank=True, help_text='As the host states it. Empty: it says nothing.', null=True),
        ),
        migrations.AddField(
            model_name='sale',
            name='position',
            field=models.PositiveIntegerField(blank=True, help_text='The renewal number less the invoices of nothing known before it. Empty for sales from before positions: the renewal number.', null=True),
        ),
    ]
