"""What one affiliate had and another was given."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0012_affiliate_notes'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AffiliateTransfer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(unique=True)),
                ('reason', models.CharField(max_length=255)),
                ('given', models.JSONField(help_text='How many of what, and how much money.')),
                ('at', models.DateTimeField()),
                ('actor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='transfers_away', to='affiliates.affiliate')),
                ('target', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='transfers_here', to='affiliates.affiliate')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('source', models.F('target')), _negated=True), name='transfer_is_to_another_affiliate')],
            },
        ),
    ]
