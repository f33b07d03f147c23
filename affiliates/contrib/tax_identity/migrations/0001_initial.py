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
            name='IdentityTerms',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('needed_from', models.JSONField(blank=True, default=dict)),
                ('countries', models.JSONField(blank=True, default=list)),
                ('asks_vies', models.BooleanField(default=False, help_text="On: VAT IDs of the European Union are sent to the Commission's service, which says whether they are valid.", verbose_name='asks VIES')),
                ('own_vat_id', models.CharField(blank=True, db_default='', default='', help_text='VIES gives a reference of its answer only to who asks with one.', max_length=20, verbose_name='own VAT ID')),
                ('brand', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='identity_terms', to='affiliates.brand')),
            ],
            options={
                'verbose_name': 'identity terms',
                'verbose_name_plural': 'identity terms',
            },
        ),
        migrations.CreateModel(
            name='TaxIdentity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('valid_from', models.DateField()),
                ('details', models.TextField(editable=False, help_text='Encrypted: name, address, country, numbers.')),
                ('hint', models.CharField(blank=True, help_text='What all staff may see of the details.', max_length=64)),
                ('is_for_vies', models.BooleanField(help_text='VIES can be asked about it.', verbose_name='has a VAT ID of the EU')),
                ('created_at', models.DateTimeField()),
                ('salt', models.CharField(editable=False, max_length=90)),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tax_identities', to='affiliates.affiliate')),
                ('entered_by', models.ForeignKey(blank=True, help_text='Empty: the affiliate itself.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'tax identities',
                'ordering': ['-id'],
                'indexes': [models.Index(fields=['affiliate', 'valid_from'], name='tax_identity_by_day')],
            },
        ),
        migrations.CreateModel(
            name='ViesAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('valid', 'Valid'), ('invalid', 'Invalid'), ('unavailable', 'Could not be asked')], max_length=20, verbose_name='answer')),
                ('reference', models.CharField(blank=True, db_default='', default='', help_text='As VIES gave it.', max_length=64)),
                ('asked_at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('identity', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='vies_answers', to='affiliates_tax_identity.taxidentity')),
            ],
            options={
                'verbose_name': 'answer of VIES',
                'verbose_name_plural': 'answers of VIES',
                'ordering': ['-id'],
            },
        ),
    ]
