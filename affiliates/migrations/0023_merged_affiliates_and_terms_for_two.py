"""Who was merged leads to another affiliate; who asks to pay without a second person."""

import affiliates.program.rules
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0022_indexes_of_rare_rows'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='affiliate',
            name='merged_into',
            field=models.ForeignKey(blank=True, editable=False, help_text='Whose its code, links and earlier clicks are from then on.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='merged', to='affiliates.affiliate'),
        ),
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
        migrations.AddConstraint(
            model_name='affiliate',
            constraint=models.CheckConstraint(condition=models.Q(('merged_into__isnull', True), ('status', affiliates.program.rules.AffiliateStatus['SUSPENDED']), _connector='OR'), name='merged_affiliate_is_suspended'),
        ),
    ]
