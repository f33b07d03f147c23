"""One share of a commission, and one live commission of a sale beside the shares."""

import affiliates.commissions.rules
from django.db import migrations, models

from affiliates.migration_operations import ReplaceUniqueBesideWriters, UniqueBesideWriters


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('affiliates', '0047_shares'),
    ]

    operations = [
        UniqueBesideWriters(model_name='commission', name='share_of'),
        ReplaceUniqueBesideWriters(
            model_name='commission',
            constraint=models.UniqueConstraint(condition=models.Q(models.Q(('status', affiliates.commissions.rules.CommissionStatus['REJECTED']), _negated=True), ('share_of__isnull', True)), fields=('sale',), name='sale_has_one_live_commission'),
        ),
    ]
