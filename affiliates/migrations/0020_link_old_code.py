"""What the system that links were imported from called them."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0019_imports'),
    ]

    operations = [
        migrations.AddField(
            model_name='affiliatelink',
            name='old_code',
            field=models.CharField(blank=True, db_default='', default='', editable=False, help_text='What the system it was imported from called it: found by that too.', max_length=32),
        ),
    ]
