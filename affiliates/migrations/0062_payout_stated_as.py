
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0061_kinds_of_emails'),
    ]

    operations = [
        migrations.AddField(
            model_name='payout',
            name='stated_as',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=80),
        ),
    ]
