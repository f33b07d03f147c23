"""Who recruited an affiliate: of its brand, and never its own recruit."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0043_affiliates_webhooks'),
    ]

    operations = [
        migrations.AddField(
            model_name='affiliate',
            name='recruiter',
            field=models.ForeignKey(blank=True, help_text='Who brought it: gets the share that its plan names of what it earns from now on.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='recruited', to='affiliates.affiliate'),
        ),
        migrations.AddConstraint(
            model_name='affiliate',
            constraint=models.CheckConstraint(condition=models.Q(('recruiter', models.F('pk')), _negated=True), name='nobody_recruits_themselves', violation_error_message='Nobody recruits themselves.'),
        ),
        migrations.AddField(
            model_name='unverifiedapplication',
            name='recruiter',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='affiliates.affiliate'),
        ),
    ]
