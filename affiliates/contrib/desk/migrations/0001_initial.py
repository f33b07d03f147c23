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
            name='LastBrand',
            fields=[
                ('person', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to=settings.AUTH_USER_MODEL)),
                ('brand', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='affiliates.brand')),
            ],
            options={
                'default_permissions': (),
            },
        ),
        migrations.CreateModel(
            name='SavedList',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('site', models.CharField(max_length=100)),
                ('model', models.CharField(max_length=100, verbose_name='list')),
                ('query', models.TextField(blank=True, verbose_name='filters')),
                ('file_format', models.CharField(max_length=10, verbose_name='format')),
                ('url', models.TextField()),
                ('state', models.CharField(choices=[('waiting', 'Being made'), ('ready', 'Ready'), ('failed', 'Failed'), ('removed', 'Removed')], default='waiting', max_length=20)),
                ('attempt_count', models.PositiveSmallIntegerField(default=0)),
                ('file', models.CharField(blank=True, max_length=200)),
                ('row_count', models.PositiveIntegerField(blank=True, null=True, verbose_name='rows')),
                ('detail', models.CharField(blank=True, max_length=200, verbose_name='reason')),
                ('asked_at', models.DateTimeField(verbose_name='asked')),
                ('finished_at', models.DateTimeField(blank=True, null=True, verbose_name='finished')),
                ('asker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'saved list',
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('state', 'waiting')), fields=['asked_at'], name='saved_list_to_be_made')],
            },
        ),
    ]
