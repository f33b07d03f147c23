"""Applications before they are confirmed, and invitations."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0034_index_of_tiers'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='UnverifiedApplication',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254)),
                ('firstname', models.CharField(max_length=100)),
                ('lastname', models.CharField(max_length=100)),
                ('answers', models.JSONField(blank=True, default=list)),
                ('applied_at', models.DateTimeField(db_index=True)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='affiliates.brand')),
                ('terms', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='affiliates.programtermsversion')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254, verbose_name='e-mail address')),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('affiliate', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='invitation', to='affiliates.affiliate')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='invitations', to='affiliates.brand')),
                ('group', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.affiliategroup')),
                ('invited_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('plan', models.ForeignKey(blank=True, help_text="Empty: the group's plan, or the brand's default plan.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.commissionplan')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('revoked_at__isnull', True), ('affiliate__isnull', True), _connector='OR'), name='revoked_invitation_is_not_used')],
            },
        ),
    ]
