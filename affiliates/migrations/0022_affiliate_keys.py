"""Keys for affiliates' own tools."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0021_link_by_old_code'),
    ]

    operations = [
        migrations.CreateModel(
            name='AffiliateKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('digest', models.CharField(editable=False, max_length=64, unique=True)),
                ('hint', models.CharField(help_text='How the key begins.', max_length=8)),
                ('scopes', models.JSONField()),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('last_used_at', models.DateTimeField(help_text='To the hour.', null=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('end', models.CharField(blank=True, choices=[('revoked', 'Revoked'), ('suspended', "Ended by the affiliate's suspension")], max_length=20)),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='keys', to='affiliates.affiliate')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('end', ''), ('ended_at__isnull', True)), models.Q(('ended_at__isnull', False), models.Q(('end', ''), _negated=True)), _connector='OR'), name='ended_key_says_why')],
            },
        ),
    ]
