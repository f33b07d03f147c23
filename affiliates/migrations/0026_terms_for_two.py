"""Who asks to pay without a second person."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0025_merged_affiliates'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='payoutterms',
            name='single_person_asked_by',
            field=models.ForeignKey(blank=True, editable=False, help_text='Somebody else agrees by switching it off too.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='asked to do without a second person'),
        ),
        migrations.AlterField(
            model_name='payoutterms',
            name='needs_second_person',
            field=models.BooleanField(db_default=False, default=False, help_text='On: payouts are approved in a run only, by somebody who did not make it and is not paid by it. It takes two persons to switch it off.'),
        ),
    ]
