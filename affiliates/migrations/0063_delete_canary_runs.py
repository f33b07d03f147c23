"""Without the canary: its runs go, and the help of the field test brand."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0062_payout_stated_as'),
    ]

    operations = [
        migrations.AlterField(
            model_name='brand',
            name='is_test',
            field=models.BooleanField(db_default=False, default=False, help_text='For trying things out: everything works as on every other brand, with books and numbers of its own, but statistics leave it out.', verbose_name='test brand'),
        ),
        migrations.DeleteModel(
            name='CanaryRun',
        ),
    ]
