"""Whether affiliates see the clients they sent."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0022_affiliate_keys'),
    ]

    operations = [
        migrations.AddField(
            model_name='brand',
            name='masks_clients',
            field=models.BooleanField(db_default=True, default=True, help_text="On: affiliates read a…@e….org of the clients they sent, and of an invoice's lines the product. Off: name, e-mail address and the lines' own words.", verbose_name='affiliates see no client'),
        ),
    ]
