"""Since when a receiver has accepted nothing."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0048_unique_shares'),
    ]

    operations = [
        migrations.AddField(
            model_name='integrationhealth',
            name='failing_since',
            field=models.DateTimeField(blank=True, null=True),
        ),
    ]
