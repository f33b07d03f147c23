import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('affiliates', '0003_guards'),
    ]

    operations = [
        migrations.CreateModel(
            name='StatisticsChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('brand_id', models.BigIntegerField()),
                ('at', models.DateTimeField()),
                ('of_clicks', models.BooleanField(db_default=False)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.CreateModel(
            name='StatisticsState',
            fields=[
                ('brand', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='+', serialize=False, to='affiliates.brand')),
                ('time_zone', models.CharField(max_length=64)),
                ('open_from', models.DateField()),
                ('counted_at', models.DateTimeField()),
                ('clicks_before', models.BigIntegerField(default=0)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.CreateModel(
            name='CountedDay',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('is_due', models.BooleanField(default=False)),
                ('clicks_due', models.BooleanField(default=False)),
                ('is_frozen', models.BooleanField(default=False)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='affiliates.brand')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('is_due', True)), fields=['brand', 'day'], name='day_due')],
                'constraints': [models.UniqueConstraint(fields=('brand', 'day'), name='day_is_counted_once')],
            },
        ),
        migrations.CreateModel(
            name='DailyFigures',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('dimension', models.CharField(choices=[('total', 'All'), ('affiliate', 'Affiliate'), ('link', 'Link'), ('sub_id', 'Sub-id'), ('referrer', 'Referring site'), ('country', 'Country'), ('product', 'Product')], max_length=10)),
                ('value', models.CharField(blank=True, max_length=100)),
                ('currency', models.CharField(blank=True, max_length=3)),
                ('clicks', models.IntegerField()),
                ('human_clicks', models.IntegerField()),
                ('unique_clicks', models.IntegerField()),
                ('signups', models.IntegerField()),
                ('orders', models.IntegerField()),
                ('sales', models.IntegerField()),
                ('reversals', models.IntegerField()),
                ('revenue', models.BigIntegerField()),
                ('reversed_revenue', models.BigIntegerField()),
                ('pending', models.BigIntegerField()),
                ('matured', models.BigIntegerField()),
                ('held', models.BigIntegerField()),
                ('approved', models.BigIntegerField()),
                ('paid', models.BigIntegerField()),
                ('rejected', models.BigIntegerField()),
                ('taken_back', models.BigIntegerField()),
                ('affiliate', models.ForeignKey(db_constraint=False, db_index=False, help_text='Empty: of all affiliates together.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='affiliates.affiliate')),
                ('brand', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='affiliates.brand')),
            ],
            options={
                'verbose_name_plural': 'daily figures',
                'indexes': [models.Index(fields=['brand', 'day'], name='figures_of_day'), models.Index(condition=models.Q(('affiliate__isnull', True), ('dimension__in', ['affiliate', 'link']), _connector='OR'), fields=['brand', 'dimension', 'day'], name='figures_of_brand'), models.Index(condition=models.Q(('affiliate__isnull', False)), fields=['affiliate', 'dimension', 'day'], name='figures_of_affiliate')],
            },
        ),
    ]
