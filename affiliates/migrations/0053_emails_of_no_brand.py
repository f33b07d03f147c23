"""E-mails of the whole installation, as those about saved lists, have no brand."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("affiliates", "0052_invitation_language"),
    ]

    operations = [
        migrations.AlterField(
            model_name="email",
            name="brand",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="affiliates.brand",
            ),
        ),
        migrations.AddConstraint(
            model_name="email",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("brand__isnull", False), ("kind", ""), _connector="OR"
                ),
                name="email_of_a_kind_is_of_a_brand",
            ),
        ),
    ]
