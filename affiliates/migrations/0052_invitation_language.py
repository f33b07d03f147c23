"""The language of invitations; of those of before, the site's."""

import affiliates.contrib.recruitment.models
from django.db import migrations, models


def fill_in(apps, schema_editor):
    using = schema_editor.connection.alias
    invitations = apps.get_model("affiliates", "Invitation")._base_manager.using(using)
    language = affiliates.contrib.recruitment.models.site_language()
    invitations.filter(language="").update(language=language)


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0051_looks_never_begun'),
    ]

    operations = [
        migrations.AddField(
            model_name='invitation',
            name='language',
            field=models.CharField(choices=[('en', 'English'), ('de', 'Deutsch')], db_default='', default=affiliates.contrib.recruitment.models.site_language, help_text='Of the e-mail that is sent.', max_length=10),
        ),
        migrations.RunPython(fill_in, migrations.RunPython.noop, elidable=True),
    ]
