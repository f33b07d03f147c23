"""The link of an e-mail, apart from its text and encrypted."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0058_seals_of_the_program'),
    ]

    operations = [
        migrations.AddField(
            model_name='email',
            name='link',
            field=models.TextField(blank=True, db_default='', default='', editable=False, help_text='Encrypted: the address that HIDDEN_LINK stands for in the text.'),
        ),
    ]
