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
            name='ImportFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('affiliates', 'Affiliates'), ('links', 'Links'), ('clients', 'Client bindings'), ('balances', 'Opening balances'), ('coupons', 'Coupons'), ('orders', 'Past orders')], max_length=20, verbose_name='of')),
                ('source', models.CharField(choices=[('own', 'Our columns'), ('whmcs', 'WHMCS'), ('pap', 'Post Affiliate Pro'), ('rewardful', 'Rewardful'), ('tapfiliate', 'Tapfiliate')], max_length=20, verbose_name='system')),
                ('name', models.CharField(max_length=100, verbose_name='file')),
                ('content', models.TextField(blank=True, editable=False, help_text='The file, encrypted: it names people.')),
                ('digest', models.CharField(max_length=64, verbose_name='SHA-256')),
                ('options', models.JSONField(default=dict)),
                ('state', models.CharField(choices=[('uploaded', 'Being checked'), ('checked', 'Checked'), ('confirmed', 'Being imported'), ('done', 'Imported'), ('failed', 'Failed'), ('withdrawn', 'Withdrawn')], default='uploaded', max_length=20)),
                ('leaves_out_bad', models.BooleanField(default=False, verbose_name='bad rows left out')),
                ('attempt_count', models.PositiveSmallIntegerField(default=0)),
                ('line_count', models.PositiveIntegerField(verbose_name='lines')),
                ('done_count', models.PositiveIntegerField(default=0, verbose_name='looked at')),
                ('new_count', models.PositiveIntegerField(default=0, verbose_name='new')),
                ('matched_count', models.PositiveIntegerField(default=0, verbose_name='matched')),
                ('same_count', models.PositiveIntegerField(default=0, verbose_name='known')),
                ('bad_count', models.PositiveIntegerField(default=0, verbose_name='bad')),
                ('uploaded_at', models.DateTimeField()),
                ('checked_at', models.DateTimeField(blank=True, null=True)),
                ('confirmed_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('confirmed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('uploaded_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'import',
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('state__in', ['uploaded', 'confirmed'])), fields=['id'], name='import_for_the_worker')],
            },
        ),
        migrations.CreateModel(
            name='ImportFault',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('row_number', models.PositiveIntegerField(verbose_name='row')),
                ('column', models.CharField(blank=True, max_length=40)),
                ('code', models.CharField(max_length=40)),
                ('params', models.JSONField(default=dict)),
                ('file', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='faults', to='affiliates_imports.importfile')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='ImportedRow',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('affiliates', 'Affiliates'), ('links', 'Links'), ('clients', 'Client bindings'), ('balances', 'Opening balances'), ('coupons', 'Coupons'), ('orders', 'Past orders')], max_length=20)),
                ('key', models.CharField(max_length=255)),
                ('row_number', models.PositiveIntegerField(verbose_name='row')),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='imported_rows', to='affiliates.affiliate')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('file', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='rows', to='affiliates_imports.importfile')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('brand', 'kind', 'key'), name='row_is_imported_once')],
            },
        ),
    ]
