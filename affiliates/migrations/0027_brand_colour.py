"""The colour of a brand's pages for affiliates."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0026_terms_for_two'),
    ]

    operations = [
        migrations.AddField(
            model_name='brand',
            name='colour',
            field=models.CharField(blank=True, db_default='', default='', help_text="Of buttons and links in the affiliate's area, such as #2457c5. Shades that can be read on light and on dark pages are made of it.", max_length=7, validators=[django.core.validators.RegexValidator('^#[0-9a-fA-F]{6}\\Z', 'Write it as #2457c5.')]),
        ),
    ]
