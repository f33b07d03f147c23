"""Who was merged leads to another affiliate."""

import affiliates.program.rules
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0024_indexes_of_rare_rows'),
    ]

    operations = [
        migrations.AddField(
            model_name='affiliate',
            name='merged_into',
            field=models.ForeignKey(blank=True, editable=False, help_text='Whose its code, links and earlier clicks are from then on.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='merged', to='affiliates.affiliate'),
        ),
        migrations.AddConstraint(
            model_name='affiliate',
            constraint=models.CheckConstraint(condition=models.Q(('merged_into__isnull', True), ('status', affiliates.program.rules.AffiliateStatus['SUSPENDED']), _connector='OR'), name='merged_affiliate_is_suspended'),
        ),
    ]
