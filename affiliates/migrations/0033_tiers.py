"""Other rates for who sells more."""

import affiliates.plans.rules.terms
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0032_email_to_affiliate'),
    ]

    operations = [
        migrations.AddField(
            model_name='planrule',
            name='tier_period',
            field=models.CharField(choices=[('month', 'In the calendar month'), ('always', 'For all time')], db_default=affiliates.plans.rules.terms.TierPeriod['MONTH'], default=affiliates.plans.rules.terms.TierPeriod['MONTH'], max_length=20, verbose_name='sales count'),
        ),
        migrations.AddField(
            model_name='planrule',
            name='tiers',
            field=models.JSONField(blank=True, db_default=[], default=list, help_text='Other rates for who sells more: sales 10 12.5, sales 50 15 is 12.5 % from 10 sales on. By revenue: EUR 1000 12.5, EUR 5000 15.'),
        ),
        migrations.AddConstraint(
            model_name='planrule',
            constraint=models.CheckConstraint(condition=models.Q(('tier_period__in', [affiliates.plans.rules.terms.TierPeriod['MONTH'], affiliates.plans.rules.terms.TierPeriod['ALWAYS']])), name='plan_rule_tier_period_is_known'),
        ),
    ]
