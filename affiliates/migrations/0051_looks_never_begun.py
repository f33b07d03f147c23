"""A look that was asked for may end without having begun."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0050_orders_of_affiliate'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='arealook',
            name='look_ends_after_it_began',
        ),
        migrations.AddConstraint(
            model_name='arealook',
            constraint=models.CheckConstraint(condition=models.Q(('started_at__isnull', True), models.Q(('ends_at__gte', models.F('started_at')), ('ends_at__isnull', False)), _connector='OR'), name='look_ends_after_it_began'),
        ),
    ]
