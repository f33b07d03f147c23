import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('affiliates', '0003_guards'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
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
                ('end', models.CharField(blank=True, choices=[('revoked', 'Revoked'), ('suspended', 'Ended by a suspension'), ('left', 'Ended by leaving the program'), ('credentials', 'Ended by a change of password, address or logins')], max_length=20)),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='keys', to='affiliates.affiliate')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('end', ''), ('ended_at__isnull', True)), models.Q(('ended_at__isnull', False), models.Q(('end', ''), _negated=True)), _connector='OR'), name='ended_key_says_why')],
            },
        ),
        migrations.CreateModel(
            name='AreaLook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=255)),
                ('asked_at', models.DateTimeField()),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('ends_at', models.DateTimeField(blank=True, null=True)),
                ('pages', models.JSONField(blank=True, default=list)),
                ('actor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='looks', to='affiliates.affiliate')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('started_at__isnull', True), models.Q(('ends_at__gte', models.F('started_at')), ('ends_at__isnull', False)), _connector='OR'), name='look_ends_after_it_began')],
            },
        ),
    ]
