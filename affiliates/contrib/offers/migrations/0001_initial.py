import affiliates.contrib.offers.models
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
from decimal import Decimal
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('affiliates', '0003_guards'),
    ]

    operations = [
        migrations.CreateModel(
            name='Offer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='For staff.', max_length=100)),
                ('is_active', models.BooleanField(default=True, help_text="Off: it is shown no more, and no codes are made. Codes that were made credit their affiliates further, and give the discount as long as the host's coupon is valid: end a code to end both.", verbose_name='active')),
                ('text', models.CharField(help_text='What the friend gets, shown to visitors: 10 % off your first invoice.', max_length=200)),
                ('translations', models.JSONField(blank=True, default=dict)),
                ('grants', models.TextField(blank=True, help_text='In detail, for affiliates and staff.', max_length=1000, verbose_name='what the host grants')),
                ('grants_translations', models.JSONField(blank=True, default=dict)),
                ('host_terms', models.JSONField(blank=True, default=dict, help_text='Passed on as they are where a coupon is made: {"percent_off": "10"}.', validators=[affiliates.contrib.offers.models.require_object], verbose_name="the host's terms")),
                ('for_new_clients', models.BooleanField(default=False, help_text='The host enforces it.', verbose_name='for new clients only')),
                ('percent', models.DecimalField(blank=True, decimal_places=3, help_text='Of orders with a code of this offer. Empty: what the plan says.', max_digits=6, null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100)], verbose_name='own rate in percent')),
                ('affiliate_funds_percent', models.DecimalField(decimal_places=3, default=Decimal('0'), help_text='Taken from the commission, which never falls below zero.', max_digits=6, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100)], verbose_name='affiliate pays of the discount, in percent')),
                ('prefix', models.CharField(blank=True, db_default='', default='', help_text='Every code begins with it.', max_length=20, validators=[django.core.validators.RegexValidator('^\\S+\\Z', 'A coupon code has no spaces.')], verbose_name='prefix of codes')),
                ('max_codes', models.PositiveSmallIntegerField(default=1, help_text='At a time, from 1 to 100.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)], verbose_name='most codes of an affiliate')),
                ('valid_from', models.DateTimeField(blank=True, help_text='Empty: at once.', null=True)),
                ('valid_until', models.DateTimeField(blank=True, help_text='Empty: for ever.', null=True)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('plan', models.ForeignKey(blank=True, help_text='Only its affiliates make codes. Empty: every affiliate of the brand.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.commissionplan')),
            ],
            options={
                'ordering': ['brand', 'name'],
                'constraints': [models.UniqueConstraint(fields=('brand', 'name'), name='offer_name_is_unique_in_brand', violation_error_message='Another offer of this brand has this name.'), models.CheckConstraint(condition=models.Q(('prefix', django.db.models.functions.text.Upper('prefix'))), name='offer_prefix_is_upper_case'), models.CheckConstraint(condition=models.Q(('percent__isnull', True), models.Q(('percent__gte', 0), ('percent__lte', 100)), _connector='OR'), name='offer_rate_is_0_to_100_percent'), models.CheckConstraint(condition=models.Q(('affiliate_funds_percent__gte', 0), ('affiliate_funds_percent__lte', 100)), name='offer_funding_is_0_to_100_percent'), models.CheckConstraint(condition=models.Q(('max_codes__gte', 1), ('max_codes__lte', 100)), name='offer_gives_1_to_100_codes'), models.CheckConstraint(condition=models.Q(('valid_from__isnull', True), ('valid_until__isnull', True), ('valid_until__gt', models.F('valid_from')), _connector='OR'), name='offer_ends_after_it_begins', violation_error_message='The offer ends before it begins.')],
            },
        ),
        migrations.CreateModel(
            name='OfferVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('terms', models.JSONField()),
                ('digest', models.CharField(max_length=64)),
                ('effective_from', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('offer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='affiliates_offers.offer')),
            ],
            options={
                'verbose_name': 'version of an offer',
                'verbose_name_plural': 'versions of offers',
                'ordering': ['offer', '-number'],
                'constraints': [models.UniqueConstraint(fields=('offer', 'number'), name='offer_version_number_is_unique')],
            },
        ),
        migrations.CreateModel(
            name='OfferCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('coupon_ref', models.CharField(blank=True, db_default='', default='', help_text='Empty: the host makes none by itself.', max_length=64, verbose_name="the host's coupon")),
                ('made_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(blank=True, null=True)),
                ('coupon', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='offer_code', to='affiliates.couponcode')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='codes', to='affiliates_offers.offerversion')),
            ],
            options={
                'verbose_name': 'code of an offer',
                'verbose_name_plural': 'codes of offers',
                'ordering': ['-id'],
            },
        ),
    ]
