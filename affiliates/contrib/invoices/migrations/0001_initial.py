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
            name='InvoiceTerms',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('needed_from', models.JSONField(blank=True, default=dict)),
                ('brand', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='invoice_terms', to='affiliates.brand')),
            ],
            options={
                'verbose_name': 'invoice terms',
                'verbose_name_plural': 'invoice terms',
            },
        ),
        migrations.CreateModel(
            name='PayoutInvoice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.CharField(max_length=40)),
                ('issued_on', models.DateField()),
                ('net', models.BigIntegerField()),
                ('tax', models.BigIntegerField()),
                ('total', models.BigIntegerField()),
                ('size', models.PositiveIntegerField(verbose_name='bytes')),
                ('digest', models.CharField(help_text='Of the file.', max_length=64, verbose_name='SHA-256')),
                ('uploaded_at', models.DateTimeField()),
                ('end', models.CharField(blank=True, choices=[('replaced', 'Replaced'), ('refused', 'Refused')], db_default='', default='', max_length=20)),
                ('reason', models.CharField(blank=True, db_default='', default='', max_length=255)),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('payout', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='invoices', to='affiliates.payout')),
                ('refused_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': "affiliate's invoice",
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('net__gt', 0), ('tax__gte', 0), ('total', models.F('net') + models.F('tax'))), name='invoice_of_affiliate_adds_up'), models.UniqueConstraint(condition=models.Q(('end', '')), fields=('payout',), name='payout_has_one_invoice_that_counts')],
            },
        ),
        migrations.CreateModel(
            name='InvoiceFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('content', models.TextField(editable=False, help_text='Encrypted.')),
                ('invoice', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='file', to='affiliates_invoices.payoutinvoice')),
            ],
            options={
                'verbose_name': 'file of an invoice',
                'verbose_name_plural': 'files of invoices',
            },
        ),
    ]
