"""Brands that are nobody's money, and how the canary's walks on them ended."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0013_affiliate_transfers'),
    ]

    operations = [
        migrations.AddField(
            model_name='brand',
            name='is_test',
            field=models.BooleanField(db_default=False, default=False, help_text="Nobody's money: everything works as on every other brand, with books and numbers of its own, but statistics leave it out. The canary walks here.", verbose_name='test brand'),
        ),
        migrations.CreateModel(
            name='CanaryRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('ran_at', models.DateTimeField()),
                ('step', models.CharField(choices=[('visit', 'Visit'), ('registration', 'Registration'), ('order', 'Order'), ('payment', 'Payment'), ('refund', 'Refund')], max_length=20)),
                ('fault', models.CharField(blank=True, max_length=500)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='canary_runs', to='affiliates.brand')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
    ]
