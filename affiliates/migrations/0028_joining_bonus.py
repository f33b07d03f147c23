"""What a plan gives an affiliate once."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0027_brand_colour'),
    ]

    operations = [
        migrations.AddField(
            model_name='commissionplan',
            name='joining_bonus',
            field=models.JSONField(blank=True, db_default={}, default=dict, help_text='Once for each affiliate, with the first commission that is approved, in its currency: EUR 10, USD 11.'),
        ),
    ]
