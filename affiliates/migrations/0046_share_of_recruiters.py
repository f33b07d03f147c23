"""What a plan gives whoever recruited an affiliate."""

import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0045_guard_of_recruiters'),
    ]

    operations = [
        migrations.AddField(
            model_name='commissionplan',
            name='recruiter_percent',
            field=models.DecimalField(db_default=0, decimal_places=3, default=0, help_text='Of what affiliates on this plan earn, for whoever recruited them, beside it. 0: nothing.', max_digits=6, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100)], verbose_name='share of recruiters, in percent'),
        ),
        migrations.AddConstraint(
            model_name='commissionplan',
            constraint=models.CheckConstraint(condition=models.Q(('recruiter_percent__gte', 0), ('recruiter_percent__lte', 100)), name='share_of_recruiters_is_from_0_to_100_percent'),
        ),
    ]
