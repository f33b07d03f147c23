import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.text
import django.utils.timezone
import djmoney.models.fields
import djmoney.models.validators
import portal.ids
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('affiliates', '0001_base_1_0'),
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='Product',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('sku', models.SlugField(max_length=64, verbose_name='SKU')),
                ('name', models.CharField(max_length=100)),
                ('description', models.TextField(blank=True, max_length=2000)),
                ('kind', models.CharField(choices=[('hosting', 'Hosting'), ('domain', 'Domain'), ('addon', 'Add-on'), ('setup', 'Setup'), ('upgrade', 'Upgrade')], max_length=10)),
                ('tld', models.CharField(blank=True, help_text='Of a domain, without the first dot: com, co.uk.', max_length=63, validators=[django.core.validators.RegexValidator('^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\\Z', 'Write it in lower case without a dot: com.')], verbose_name='TLD')),
                ('operation', models.CharField(blank=True, choices=[('register', 'Register'), ('transfer', 'Transfer')], help_text='Of a domain: what is done for its first year.', max_length=10)),
                ('billing_cycle', models.CharField(choices=[('one_time', 'One time'), ('monthly', 'Monthly'), ('annually', 'Annually'), ('biennially', 'Biennially')], max_length=10)),
                ('price_currency', djmoney.models.fields.CurrencyField(choices=[('ADP', 'ADP'), ('AED', 'AED'), ('AFA', 'AFA'), ('AFN', 'AFN'), ('ALK', 'ALK'), ('ALL', 'ALL'), ('AMD', 'AMD'), ('ANG', 'ANG'), ('AOA', 'AOA'), ('AOK', 'AOK'), ('AON', 'AON'), ('AOR', 'AOR'), ('ARA', 'ARA'), ('ARL', 'ARL'), ('ARM', 'ARM'), ('ARP', 'ARP'), ('ARS', 'ARS'), ('ATS', 'ATS'), ('AUD', 'AUD'), ('AWG', 'AWG'), ('AZM', 'AZM'), ('AZN', 'AZN'), ('BAD', 'BAD'), ('BAM', 'BAM'), ('BAN', 'BAN'), ('BBD', 'BBD'), ('BDT', 'BDT'), ('BEC', 'BEC'), ('BEF', 'BEF'), ('BEL', 'BEL'), ('BGL', 'BGL'), ('BGM', 'BGM'), ('BGN', 'BGN'), ('BGO', 'BGO'), ('BHD', 'BHD'), ('BIF', 'BIF'), ('BMD', 'BMD'), ('BND', 'BND'), ('BOB', 'BOB'), ('BOL', 'BOL'), ('BOP', 'BOP'), ('BOV', 'BOV'), ('BRB', 'BRB'), ('BRC', 'BRC'), ('BRE', 'BRE'), ('BRL', 'BRL'), ('BRN', 'BRN'), ('BRR', 'BRR'), ('BRZ', 'BRZ'), ('BSD', 'BSD'), ('BTN', 'BTN'), ('BUK', 'BUK'), ('BWP', 'BWP'), ('BYB', 'BYB'), ('BYN', 'BYN'), ('BYR', 'BYR'), ('BZD', 'BZD'), ('CAD', 'CAD'), ('CDF', 'CDF'), ('CHE', 'CHE'), ('CHF', 'CHF'), ('CHW', 'CHW'), ('CLE', 'CLE'), ('CLF', 'CLF'), ('CLP', 'CLP'), ('CNH', 'CNH'), ('CNX', 'CNX'), ('CNY', 'CNY'), ('COP', 'COP'), ('COU', 'COU'), ('CRC', 'CRC'), ('CSD', 'CSD'), ('CSK', 'CSK'), ('CUC', 'CUC'), ('CUP', 'CUP'), ('CVE', 'CVE'), ('CYP', 'CYP'), ('CZK', 'CZK'), ('DDM', 'DDM'), ('DEM', 'DEM'), ('DJF', 'DJF'), ('DKK', 'DKK'), ('DOP', 'DOP'), ('DZD', 'DZD'), ('ECS', 'ECS'), ('ECV', 'ECV'), ('EEK', 'EEK'), ('EGP', 'EGP'), ('ERN', 'ERN'), ('ESA', 'ESA'), ('ESB', 'ESB'), ('ESP', 'ESP'), ('ETB', 'ETB'), ('EUR', 'EUR'), ('FIM', 'FIM'), ('FJD', 'FJD'), ('FKP', 'FKP'), ('FRF', 'FRF'), ('GBP', 'GBP'), ('GEK', 'GEK'), ('GEL', 'GEL'), ('GHC', 'GHC'), ('GHS', 'GHS'), ('GIP', 'GIP'), ('GMD', 'GMD'), ('GNF', 'GNF'), ('GNS', 'GNS'), ('GQE', 'GQE'), ('GRD', 'GRD'), ('GTQ', 'GTQ'), ('GWE', 'GWE'), ('GWP', 'GWP'), ('GYD', 'GYD'), ('HKD', 'HKD'), ('HNL', 'HNL'), ('HRD', 'HRD'), ('HRK', 'HRK'), ('HTG', 'HTG'), ('HUF', 'HUF'), ('IDR', 'IDR'), ('IEP', 'IEP'), ('ILP', 'ILP'), ('ILR', 'ILR'), ('ILS', 'ILS'), ('IMP', 'IMP'), ('INR', 'INR'), ('IQD', 'IQD'), ('IRR', 'IRR'), ('ISJ', 'ISJ'), ('ISK', 'ISK'), ('ITL', 'ITL'), ('JMD', 'JMD'), ('JOD', 'JOD'), ('JPY', 'JPY'), ('KES', 'KES'), ('KGS', 'KGS'), ('KHR', 'KHR'), ('KMF', 'KMF'), ('KPW', 'KPW'), ('KRH', 'KRH'), ('KRO', 'KRO'), ('KRW', 'KRW'), ('KWD', 'KWD'), ('KYD', 'KYD'), ('KZT', 'KZT'), ('LAK', 'LAK'), ('LBP', 'LBP'), ('LKR', 'LKR'), ('LRD', 'LRD'), ('LSL', 'LSL'), ('LTL', 'LTL'), ('LTT', 'LTT'), ('LUC', 'LUC'), ('LUF', 'LUF'), ('LUL', 'LUL'), ('LVL', 'LVL'), ('LVR', 'LVR'), ('LYD', 'LYD'), ('MAD', 'MAD'), ('MAF', 'MAF'), ('MCF', 'MCF'), ('MDC', 'MDC'), ('MDL', 'MDL'), ('MGA', 'MGA'), ('MGF', 'MGF'), ('MKD', 'MKD'), ('MKN', 'MKN'), ('MLF', 'MLF'), ('MMK', 'MMK'), ('MNT', 'MNT'), ('MOP', 'MOP'), ('MRO', 'MRO'), ('MRU', 'MRU'), ('MTL', 'MTL'), ('MTP', 'MTP'), ('MUR', 'MUR'), ('MVP', 'MVP'), ('MVR', 'MVR'), ('MWK', 'MWK'), ('MXN', 'MXN'), ('MXP', 'MXP'), ('MXV', 'MXV'), ('MYR', 'MYR'), ('MZE', 'MZE'), ('MZM', 'MZM'), ('MZN', 'MZN'), ('NAD', 'NAD'), ('NGN', 'NGN'), ('NIC', 'NIC'), ('NIO', 'NIO'), ('NLG', 'NLG'), ('NOK', 'NOK'), ('NPR', 'NPR'), ('NZD', 'NZD'), ('OMR', 'OMR'), ('PAB', 'PAB'), ('PEI', 'PEI'), ('PEN', 'PEN'), ('PES', 'PES'), ('PGK', 'PGK'), ('PHP', 'PHP'), ('PKR', 'PKR'), ('PLN', 'PLN'), ('PLZ', 'PLZ'), ('PTE', 'PTE'), ('PYG', 'PYG'), ('QAR', 'QAR'), ('RHD', 'RHD'), ('ROL', 'ROL'), ('RON', 'RON'), ('RSD', 'RSD'), ('RUB', 'RUB'), ('RUR', 'RUR'), ('RWF', 'RWF'), ('SAR', 'SAR'), ('SBD', 'SBD'), ('SCR', 'SCR'), ('SDD', 'SDD'), ('SDG', 'SDG'), ('SDP', 'SDP'), ('SEK', 'SEK'), ('SGD', 'SGD'), ('SHP', 'SHP'), ('SIT', 'SIT'), ('SKK', 'SKK'), ('SLE', 'SLE'), ('SLL', 'SLL'), ('SOS', 'SOS'), ('SRD', 'SRD'), ('SRG', 'SRG'), ('SSP', 'SSP'), ('STD', 'STD'), ('STN', 'STN'), ('SUR', 'SUR'), ('SVC', 'SVC'), ('SYP', 'SYP'), ('SZL', 'SZL'), ('THB', 'THB'), ('TJR', 'TJR'), ('TJS', 'TJS'), ('TMM', 'TMM'), ('TMT', 'TMT'), ('TND', 'TND'), ('TOP', 'TOP'), ('TPE', 'TPE'), ('TRL', 'TRL'), ('TRY', 'TRY'), ('TTD', 'TTD'), ('TVD', 'TVD'), ('TWD', 'TWD'), ('TZS', 'TZS'), ('UAH', 'UAH'), ('UAK', 'UAK'), ('UGS', 'UGS'), ('UGX', 'UGX'), ('USD', 'USD'), ('USN', 'USN'), ('USS', 'USS'), ('UYI', 'UYI'), ('UYP', 'UYP'), ('UYU', 'UYU'), ('UYW', 'UYW'), ('UZS', 'UZS'), ('VEB', 'VEB'), ('VED', 'VED'), ('VEF', 'VEF'), ('VES', 'VES'), ('VND', 'VND'), ('VNN', 'VNN'), ('VUV', 'VUV'), ('WST', 'WST'), ('XAF', 'XAF'), ('XAG', 'XAG'), ('XAU', 'XAU'), ('XBA', 'XBA'), ('XBB', 'XBB'), ('XBC', 'XBC'), ('XBD', 'XBD'), ('XCD', 'XCD'), ('XDR', 'XDR'), ('XEU', 'XEU'), ('XFO', 'XFO'), ('XFU', 'XFU'), ('XOF', 'XOF'), ('XPD', 'XPD'), ('XPF', 'XPF'), ('XPT', 'XPT'), ('XRE', 'XRE'), ('XSU', 'XSU'), ('XTS', 'XTS'), ('XUA', 'XUA'), ('XXX', 'XXX'), ('YDD', 'YDD'), ('YER', 'YER'), ('YUD', 'YUD'), ('YUM', 'YUM'), ('YUN', 'YUN'), ('YUR', 'YUR'), ('ZAL', 'ZAL'), ('ZAR', 'ZAR'), ('ZMK', 'ZMK'), ('ZMW', 'ZMW'), ('ZRN', 'ZRN'), ('ZRZ', 'ZRZ'), ('ZWD', 'ZWD'), ('ZWL', 'ZWL'), ('ZWN', 'ZWN'), ('ZWR', 'ZWR')], default='EUR', editable=False, max_length=3)),
                ('price', djmoney.models.fields.MoneyField(currency_choices=[('ADP', 'ADP'), ('AED', 'AED'), ('AFA', 'AFA'), ('AFN', 'AFN'), ('ALK', 'ALK'), ('ALL', 'ALL'), ('AMD', 'AMD'), ('ANG', 'ANG'), ('AOA', 'AOA'), ('AOK', 'AOK'), ('AON', 'AON'), ('AOR', 'AOR'), ('ARA', 'ARA'), ('ARL', 'ARL'), ('ARM', 'ARM'), ('ARP', 'ARP'), ('ARS', 'ARS'), ('ATS', 'ATS'), ('AUD', 'AUD'), ('AWG', 'AWG'), ('AZM', 'AZM'), ('AZN', 'AZN'), ('BAD', 'BAD'), ('BAM', 'BAM'), ('BAN', 'BAN'), ('BBD', 'BBD'), ('BDT', 'BDT'), ('BEC', 'BEC'), ('BEF', 'BEF'), ('BEL', 'BEL'), ('BGL', 'BGL'), ('BGM', 'BGM'), ('BGN', 'BGN'), ('BGO', 'BGO'), ('BHD', 'BHD'), ('BIF', 'BIF'), ('BMD', 'BMD'), ('BND', 'BND'), ('BOB', 'BOB'), ('BOL', 'BOL'), ('BOP', 'BOP'), ('BOV', 'BOV'), ('BRB', 'BRB'), ('BRC', 'BRC'), ('BRE', 'BRE'), ('BRL', 'BRL'), ('BRN', 'BRN'), ('BRR', 'BRR'), ('BRZ', 'BRZ'), ('BSD', 'BSD'), ('BTN', 'BTN'), ('BUK', 'BUK'), ('BWP', 'BWP'), ('BYB', 'BYB'), ('BYN', 'BYN'), ('BYR', 'BYR'), ('BZD', 'BZD'), ('CAD', 'CAD'), ('CDF', 'CDF'), ('CHE', 'CHE'), ('CHF', 'CHF'), ('CHW', 'CHW'), ('CLE', 'CLE'), ('CLF', 'CLF'), ('CLP', 'CLP'), ('CNH', 'CNH'), ('CNX', 'CNX'), ('CNY', 'CNY'), ('COP', 'COP'), ('COU', 'COU'), ('CRC', 'CRC'), ('CSD', 'CSD'), ('CSK', 'CSK'), ('CUC', 'CUC'), ('CUP', 'CUP'), ('CVE', 'CVE'), ('CYP', 'CYP'), ('CZK', 'CZK'), ('DDM', 'DDM'), ('DEM', 'DEM'), ('DJF', 'DJF'), ('DKK', 'DKK'), ('DOP', 'DOP'), ('DZD', 'DZD'), ('ECS', 'ECS'), ('ECV', 'ECV'), ('EEK', 'EEK'), ('EGP', 'EGP'), ('ERN', 'ERN'), ('ESA', 'ESA'), ('ESB', 'ESB'), ('ESP', 'ESP'), ('ETB', 'ETB'), ('EUR', 'EUR'), ('FIM', 'FIM'), ('FJD', 'FJD'), ('FKP', 'FKP'), ('FRF', 'FRF'), ('GBP', 'GBP'), ('GEK', 'GEK'), ('GEL', 'GEL'), ('GHC', 'GHC'), ('GHS', 'GHS'), ('GIP', 'GIP'), ('GMD', 'GMD'), ('GNF', 'GNF'), ('GNS', 'GNS'), ('GQE', 'GQE'), ('GRD', 'GRD'), ('GTQ', 'GTQ'), ('GWE', 'GWE'), ('GWP', 'GWP'), ('GYD', 'GYD'), ('HKD', 'HKD'), ('HNL', 'HNL'), ('HRD', 'HRD'), ('HRK', 'HRK'), ('HTG', 'HTG'), ('HUF', 'HUF'), ('IDR', 'IDR'), ('IEP', 'IEP'), ('ILP', 'ILP'), ('ILR', 'ILR'), ('ILS', 'ILS'), ('IMP', 'IMP'), ('INR', 'INR'), ('IQD', 'IQD'), ('IRR', 'IRR'), ('ISJ', 'ISJ'), ('ISK', 'ISK'), ('ITL', 'ITL'), ('JMD', 'JMD'), ('JOD', 'JOD'), ('JPY', 'JPY'), ('KES', 'KES'), ('KGS', 'KGS'), ('KHR', 'KHR'), ('KMF', 'KMF'), ('KPW', 'KPW'), ('KRH', 'KRH'), ('KRO', 'KRO'), ('KRW', 'KRW'), ('KWD', 'KWD'), ('KYD', 'KYD'), ('KZT', 'KZT'), ('LAK', 'LAK'), ('LBP', 'LBP'), ('LKR', 'LKR'), ('LRD', 'LRD'), ('LSL', 'LSL'), ('LTL', 'LTL'), ('LTT', 'LTT'), ('LUC', 'LUC'), ('LUF', 'LUF'), ('LUL', 'LUL'), ('LVL', 'LVL'), ('LVR', 'LVR'), ('LYD', 'LYD'), ('MAD', 'MAD'), ('MAF', 'MAF'), ('MCF', 'MCF'), ('MDC', 'MDC'), ('MDL', 'MDL'), ('MGA', 'MGA'), ('MGF', 'MGF'), ('MKD', 'MKD'), ('MKN', 'MKN'), ('MLF', 'MLF'), ('MMK', 'MMK'), ('MNT', 'MNT'), ('MOP', 'MOP'), ('MRO', 'MRO'), ('MRU', 'MRU'), ('MTL', 'MTL'), ('MTP', 'MTP'), ('MUR', 'MUR'), ('MVP', 'MVP'), ('MVR', 'MVR'), ('MWK', 'MWK'), ('MXN', 'MXN'), ('MXP', 'MXP'), ('MXV', 'MXV'), ('MYR', 'MYR'), ('MZE', 'MZE'), ('MZM', 'MZM'), ('MZN', 'MZN'), ('NAD', 'NAD'), ('NGN', 'NGN'), ('NIC', 'NIC'), ('NIO', 'NIO'), ('NLG', 'NLG'), ('NOK', 'NOK'), ('NPR', 'NPR'), ('NZD', 'NZD'), ('OMR', 'OMR'), ('PAB', 'PAB'), ('PEI', 'PEI'), ('PEN', 'PEN'), ('PES', 'PES'), ('PGK', 'PGK'), ('PHP', 'PHP'), ('PKR', 'PKR'), ('PLN', 'PLN'), ('PLZ', 'PLZ'), ('PTE', 'PTE'), ('PYG', 'PYG'), ('QAR', 'QAR'), ('RHD', 'RHD'), ('ROL', 'ROL'), ('RON', 'RON'), ('RSD', 'RSD'), ('RUB', 'RUB'), ('RUR', 'RUR'), ('RWF', 'RWF'), ('SAR', 'SAR'), ('SBD', 'SBD'), ('SCR', 'SCR'), ('SDD', 'SDD'), ('SDG', 'SDG'), ('SDP', 'SDP'), ('SEK', 'SEK'), ('SGD', 'SGD'), ('SHP', 'SHP'), ('SIT', 'SIT'), ('SKK', 'SKK'), ('SLE', 'SLE'), ('SLL', 'SLL'), ('SOS', 'SOS'), ('SRD', 'SRD'), ('SRG', 'SRG'), ('SSP', 'SSP'), ('STD', 'STD'), ('STN', 'STN'), ('SUR', 'SUR'), ('SVC', 'SVC'), ('SYP', 'SYP'), ('SZL', 'SZL'), ('THB', 'THB'), ('TJR', 'TJR'), ('TJS', 'TJS'), ('TMM', 'TMM'), ('TMT', 'TMT'), ('TND', 'TND'), ('TOP', 'TOP'), ('TPE', 'TPE'), ('TRL', 'TRL'), ('TRY', 'TRY'), ('TTD', 'TTD'), ('TVD', 'TVD'), ('TWD', 'TWD'), ('TZS', 'TZS'), ('UAH', 'UAH'), ('UAK', 'UAK'), ('UGS', 'UGS'), ('UGX', 'UGX'), ('USD', 'USD'), ('USN', 'USN'), ('USS', 'USS'), ('UYI', 'UYI'), ('UYP', 'UYP'), ('UYU', 'UYU'), ('UYW', 'UYW'), ('UZS', 'UZS'), ('VEB', 'VEB'), ('VED', 'VED'), ('VEF', 'VEF'), ('VES', 'VES'), ('VND', 'VND'), ('VNN', 'VNN'), ('VUV', 'VUV'), ('WST', 'WST'), ('XAF', 'XAF'), ('XAG', 'XAG'), ('XAU', 'XAU'), ('XBA', 'XBA'), ('XBB', 'XBB'), ('XBC', 'XBC'), ('XBD', 'XBD'), ('XCD', 'XCD'), ('XDR', 'XDR'), ('XEU', 'XEU'), ('XFO', 'XFO'), ('XFU', 'XFU'), ('XOF', 'XOF'), ('XPD', 'XPD'), ('XPF', 'XPF'), ('XPT', 'XPT'), ('XRE', 'XRE'), ('XSU', 'XSU'), ('XTS', 'XTS'), ('XUA', 'XUA'), ('XXX', 'XXX'), ('YDD', 'YDD'), ('YER', 'YER'), ('YUD', 'YUD'), ('YUM', 'YUM'), ('YUN', 'YUN'), ('YUR', 'YUR'), ('ZAL', 'ZAL'), ('ZAR', 'ZAR'), ('ZMK', 'ZMK'), ('ZMW', 'ZMW'), ('ZRN', 'ZRN'), ('ZRZ', 'ZRZ'), ('ZWD', 'ZWD'), ('ZWL', 'ZWL'), ('ZWN', 'ZWN'), ('ZWR', 'ZWR')], decimal_places=3, default_currency='EUR', help_text='For one billing cycle, without tax.', max_digits=15, validators=[djmoney.models.validators.MinMoneyValidator(0), djmoney.models.validators.MaxMoneyValidator(Decimal('4999999'))])),
                ('tax_rate', models.DecimalField(decimal_places=2, default=0, help_text='Percent.', max_digits=5, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(Decimal('100'))])),
                ('is_active', models.BooleanField(default=True, help_text='Off: cannot be ordered any more.', verbose_name='active')),
                ('position', models.PositiveSmallIntegerField(default=0, help_text='Lower comes first in the catalogue.')),
            ],
            options={
                'ordering': ['position', 'id'],
                'constraints': [models.UniqueConstraint(fields=('brand', 'sku'), name='product_sku_is_unique_per_brand', violation_error_message='The brand has a product with this SKU.'), models.CheckConstraint(condition=models.Q(('price__gte', 0), ('price__lte', Decimal('4999999'))), name='product_price_is_in_range'), models.CheckConstraint(condition=models.Q(('tax_rate__gte', 0), ('tax_rate__lte', Decimal('100'))), name='product_tax_rate_is_a_percentage'), models.CheckConstraint(condition=models.Q(('kind', 'domain'), models.Q(('operation', ''), ('tld', '')), _connector='OR'), name='only_domains_have_a_tld_and_operation', violation_error_message='Only a domain has a TLD and an operation.')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Coupon',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('code', models.CharField(help_text='As the client types it; upper and lower case are one.', max_length=64, validators=[django.core.validators.RegexValidator('^[A-Za-z0-9][A-Za-z0-9_-]*\\Z', 'Use letters, digits, hyphens and underscores.')])),
                ('percent_off', models.DecimalField(decimal_places=2, max_digits=5, validators=[django.core.validators.MinValueValidator(Decimal('0.01')), django.core.validators.MaxValueValidator(100)])),
                ('valid_until', models.DateTimeField(blank=True, help_text='Empty: for ever.', null=True)),
                ('for_new_clients', models.BooleanField(db_default=False, default=False, help_text='Only of use to a client who has not paid an order yet.', verbose_name='for new clients only')),
                ('is_active', models.BooleanField(default=True, help_text='Off: cannot be entered any more.', verbose_name='active')),
            ],
            options={
                'ordering': ['brand', 'code'],
                'constraints': [models.UniqueConstraint(models.F('brand'), django.db.models.functions.text.Lower('code'), name='shop_coupon_code_is_unique_per_brand', violation_error_message='The brand has a coupon with this code.'), models.CheckConstraint(condition=models.Q(('percent_off__gt', 0), ('percent_off__lte', 100)), name='coupon_takes_off_up_to_100_percent', violation_error_message='A coupon takes off up to 100 percent.')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('id', models.UUIDField(default=portal.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('brand', models.ForeignKey(blank=True, help_text="The client's brand. Empty for staff.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='e-mail')),
                ('firstname', models.CharField(blank=True, max_length=100, verbose_name='first name')),
                ('lastname', models.CharField(blank=True, max_length=100, verbose_name='last name')),
                ('is_guest', models.BooleanField(default=False, help_text='May fill a basket and pay for it.', verbose_name='guest')),
                ('is_active', models.BooleanField(default=True, help_text='Off: no login, and no token works.', verbose_name='active')),
                ('is_staff', models.BooleanField(default=False, help_text='May open this admin. Not for clients.', verbose_name='staff')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('language', models.CharField(blank=True, db_default='', default='', choices=[('en', 'English'), ('de', 'Deutsch')], help_text='In which e-mails are written: for a client that of the pages read last.', max_length=10)),
                ('logged_out_at', models.DateTimeField(editable=False, help_text='Sessions begun before have ended.', null=True)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('change_affiliate_credentials', 'Can change e-mail and password of clients who are affiliates')],
                'base_manager_name': 'objects',
                'constraints': [models.UniqueConstraint(models.F('brand'), django.db.models.functions.text.Lower('email'), condition=models.Q(('is_guest', False)), name='client_email_is_unique_per_brand', violation_error_message='The brand has a client with this e-mail.'), models.UniqueConstraint(django.db.models.functions.text.Lower('email'), condition=models.Q(('brand', None)), name='staff_email_is_unique', violation_error_message='A staff member has this e-mail.'), models.CheckConstraint(condition=models.Q(('is_guest', True), models.Q(('email', ''), _negated=True), _connector='OR'), name='only_guests_have_no_email', violation_error_message='Only a guest may have no e-mail.'), models.CheckConstraint(condition=models.Q(models.Q(('brand', None), ('is_guest', False)), models.Q(('brand__isnull', False), ('is_staff', False), ('is_superuser', False)), _connector='OR'), name='clients_have_a_brand_and_staff_have_none', violation_error_message='Clients and guests need a brand; staff have none.')],
                'indexes': [models.Index(fields=['created_at', 'id'], name='user_by_time'), models.Index(django.db.models.functions.text.Lower('email'), name='user_by_email'), models.Index(condition=models.Q(('is_active', False)), fields=['created_at', 'id'], name='user_not_active'), models.Index(condition=models.Q(('is_staff', True)), fields=['created_at', 'id'], name='user_of_staff')],
            },
        ),
        migrations.CreateModel(
            name='WalletEntry',
            fields=[
                ('id', models.UUIDField(default=portal.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('client', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='wallet_entries', to=settings.AUTH_USER_MODEL)),
                ('amount', models.BigIntegerField()),
                ('currency', models.CharField(max_length=3)),
                ('reason', models.CharField(max_length=255)),
                ('reference', models.CharField(help_text='What the entry is for: it is made once.', max_length=100, unique=True)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'verbose_name': 'account credit entry',
                'verbose_name_plural': 'account credit entries',
                'ordering': ['-created_at', '-id'],
                'indexes': [models.Index(fields=['client', 'currency'], name='wallet_of_a_client'), models.Index(fields=['created_at', 'id'], name='wallet_by_time')],
                'constraints': [models.CheckConstraint(condition=models.Q(('amount', 0), _negated=True), name='wallet_entry_is_never_zero')],
            },
        ),
        migrations.CreateModel(
            name='OpenSession',
            fields=[
                ('session_key', models.CharField(max_length=40, primary_key=True, serialize=False, verbose_name='session key')),
                ('session_data', models.TextField(verbose_name='session data')),
                ('expire_date', models.DateTimeField(db_index=True, verbose_name='expire date')),
                ('user_agent', models.CharField(blank=True, max_length=300)),
                ('begun_at', models.DateTimeField(null=True)),
                ('seen_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='open_sessions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'session',
                'verbose_name_plural': 'sessions',
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.CreateModel(
            name='AuthToken',
            fields=[
                ('digest', models.CharField(max_length=128, primary_key=True, serialize=False)),
                ('token_key', models.CharField(db_index=True, max_length=25)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('expiry', models.DateTimeField(blank=True, null=True)),
                ('session', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='portal.opensession')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='auth_token_set', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'default_permissions': (),
                'base_manager_name': 'objects',
            },
        ),
        migrations.CreateModel(
            name='PasswordReset',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='affiliates.brand')),
                ('email', models.CharField(max_length=254)),
                ('origin', models.CharField(blank=True, max_length=300)),
                ('language', models.CharField(max_length=10)),
                ('requested_at', models.DateTimeField()),
                ('is_done', models.BooleanField(default=False)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('brand', 'email'), name='password_reset_is_asked_for_once')],
            },
        ),
        migrations.CreateModel(
            name='Order',
            fields=[
                ('id', models.UUIDField(default=portal.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('client', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='orders', to=settings.AUTH_USER_MODEL)),
                ('status', models.CharField(choices=[('basket', 'Basket'), ('converted', 'Converted')], default='basket', max_length=10)),
                ('currency', models.CharField(blank=True, help_text='That of its first product.', max_length=3)),
                ('coupon', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='portal.coupon')),
                ('percent_off', models.DecimalField(decimal_places=2, default=0, help_text="The coupon's, when it was entered.", max_digits=5)),
                ('affiliate_code', models.CharField(blank=True, db_default='', help_text='Typed by the client in place of a coupon; takes nothing off.', max_length=64)),
                ('coupon_refusal', models.CharField(blank=True, choices=[('coupon_ended', 'This coupon has ended.'), ('coupon_expired', 'This coupon has expired.'), ('coupon_for_new_clients', 'This coupon is for new clients.')], db_default='', help_text="Why the coupon of the affiliate's code takes nothing off.", max_length=30)),
                ('created_at', models.DateTimeField()),
                ('converted_at', models.DateTimeField(blank=True, null=True)),
                ('ended_at', models.DateTimeField(blank=True, help_text='From then on nothing is renewed.', null=True)),
                ('ended_reason', models.CharField(blank=True, max_length=255)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('renew_order', 'Can issue a renewal invoice early'), ('end_order', 'Can end the service of an order')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('converted_at', None), ('status', 'basket')), models.Q(('converted_at__isnull', False), ('status', 'converted')), _connector='OR'), name='only_converted_orders_have_a_conversion_time'), models.CheckConstraint(condition=models.Q(('ended_at', None), ('converted_at__isnull', False), _connector='OR'), name='only_converted_orders_end'), models.CheckConstraint(condition=models.Q(models.Q(('coupon', None), ('percent_off', 0)), models.Q(('coupon__isnull', False), ('percent_off__gt', 0), ('percent_off__lte', 100)), _connector='OR'), name='only_a_coupon_takes_off_a_percentage'), models.CheckConstraint(condition=models.Q(models.Q(('affiliate_code', ''), ('coupon_refusal', '')), models.Q(('coupon', None), models.Q(('affiliate_code', ''), _negated=True)), _connector='OR'), name='order_has_a_coupon_or_an_affiliates_code')],
                'indexes': [models.Index(fields=['created_at', 'id'], name='order_by_time'), models.Index(condition=models.Q(('ended_at__isnull', False)), fields=['created_at', 'id'], name='order_ended')],
            },
        ),
        migrations.CreateModel(
            name='OrderItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('order', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='portal.order')),
                ('product', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='portal.product')),
                ('quantity', models.PositiveSmallIntegerField()),
                ('unit_price_currency', djmoney.models.fields.CurrencyField(choices=(), default=None, editable=False, max_length=3)),
                ('unit_price', djmoney.models.fields.MoneyField(currency_choices=(), decimal_places=3, max_digits=15)),
                ('tax_rate', models.DecimalField(decimal_places=2, max_digits=5)),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('order', 'product'), name='basket_holds_a_product_once'), models.CheckConstraint(condition=models.Q(('quantity__gte', 1), ('quantity__lte', 1000)), name='basket_quantity_is_1_to_1000')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='PaymentDetails',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('client', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payment_details', to=settings.AUTH_USER_MODEL)),
                ('gateway', models.CharField(max_length=32)),
                ('label', models.CharField(blank=True, max_length=100)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'verbose_name_plural': 'payment details',
                'ordering': ['-id'],
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='InvoiceCounter',
            fields=[
                ('brand', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, primary_key=True, related_name='+', serialize=False, to='affiliates.brand')),
                ('last_number', models.PositiveBigIntegerField()),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='Invoice',
            fields=[
                ('id', models.UUIDField(default=portal.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('number', models.CharField(max_length=32)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('client', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('order', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='invoices', to='portal.order')),
                ('renewal_number', models.PositiveIntegerField(default=0, help_text="0 for the order's initial invoice; renewals count from 1.")),
                ('renews_at', models.DateTimeField(blank=True, help_text='When what follows it falls due.', null=True)),
                ('payment_details', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='portal.paymentdetails')),
                ('gateway', models.CharField(help_text='That of the payment details.', max_length=32)),
                ('status', models.CharField(choices=[('unpaid', 'Unpaid'), ('paid', 'Paid'), ('partly_refunded', 'Partly refunded'), ('refunded', 'Refunded')], default='unpaid', max_length=20)),
                ('currency', djmoney.models.fields.CurrencyField(choices=(), default=None, editable=False, max_length=3)),
                ('net', djmoney.models.fields.MoneyField(currency_choices=(), currency_field_name='currency', decimal_places=3, max_digits=15)),
                ('tax', djmoney.models.fields.MoneyField(currency_choices=(), currency_field_name='currency', decimal_places=3, max_digits=15)),
                ('gross', djmoney.models.fields.MoneyField(currency_choices=(), currency_field_name='currency', decimal_places=3, max_digits=15)),
                ('refunded_amount', models.DecimalField(decimal_places=3, default=0, max_digits=15, verbose_name='refunded')),
                ('created_at', models.DateTimeField()),
                ('paid_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-created_at', '-id'],
                'permissions': [('mark_paid_invoice', 'Can mark an invoice paid'), ('refund_invoice', 'Can refund an invoice')],
                'indexes': [models.Index(condition=models.Q(('renews_at__isnull', False)), fields=['renews_at'], name='invoice_renewals_due'), models.Index(fields=['number'], name='invoice_by_number'), models.Index(fields=['created_at', 'id'], name='invoice_by_time'), models.Index(fields=['status', 'created_at'], name='invoice_by_status'), models.Index(fields=['gateway', 'created_at'], name='invoice_by_gateway')],
                'constraints': [models.UniqueConstraint(fields=('brand', 'number'), name='invoice_number_is_unique_per_brand'), models.UniqueConstraint(fields=('order', 'renewal_number'), name='order_is_renewed_one_by_one'), models.CheckConstraint(condition=models.Q(('gross__gt', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('net'), '+', models.F('tax')), '-', models.Value(Decimal('0.0005')))), ('gross__lt', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('net'), '+', models.F('tax')), '+', models.Value(Decimal('0.0005')))), ('net__gte', 0), ('tax__gte', 0)), name='invoice_gross_is_net_plus_tax'), models.CheckConstraint(condition=models.Q(('refunded_amount__gte', 0), ('refunded_amount__lt', django.db.models.expressions.CombinedExpression(models.F('gross'), '+', models.Value(Decimal('0.0005'))))), name='invoice_is_refunded_at_most_whole'), models.CheckConstraint(condition=models.Q(models.Q(('paid_at', None), ('status', 'unpaid')), models.Q(models.Q(('status', 'unpaid'), _negated=True), ('paid_at__isnull', False)), _connector='OR'), name='only_paid_invoices_have_a_payment_time')],
            },
        ),
        migrations.CreateModel(
            name='InvoiceLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('invoice', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='portal.invoice')),
                ('position', models.PositiveSmallIntegerField()),
                ('description', models.CharField(max_length=100)),
                ('product_ref', models.CharField(max_length=64, verbose_name='SKU')),
                ('kind', models.CharField(choices=[('hosting', 'Hosting'), ('domain', 'Domain'), ('addon', 'Add-on'), ('setup', 'Setup'), ('upgrade', 'Upgrade')], max_length=10)),
                ('tld', models.CharField(blank=True, max_length=63, verbose_name='TLD')),
                ('operation', models.CharField(blank=True, choices=[('register', 'Register'), ('transfer', 'Transfer'), ('renew', 'Renew')], max_length=10)),
                ('billing_cycle', models.CharField(choices=[('one_time', 'One time'), ('monthly', 'Monthly'), ('annually', 'Annually'), ('biennially', 'Biennially')], max_length=10)),
                ('quantity', models.PositiveSmallIntegerField()),
                ('currency', djmoney.models.fields.CurrencyField(choices=(), default=None, editable=False, max_length=3)),
                ('unit_price', djmoney.models.fields.MoneyField(currency_choices=(), currency_field_name='currency', decimal_places=3, max_digits=15)),
                ('tax_rate', models.DecimalField(decimal_places=2, max_digits=5)),
                ('discount_amount', models.DecimalField(decimal_places=3, default=0, help_text='Taken off the price: net is what is left.', max_digits=15, verbose_name='discount')),
                ('net', djmoney.models.fields.MoneyField(currency_choices=(), currency_field_name='currency', decimal_places=3, max_digits=15)),
                ('tax', djmoney.models.fields.MoneyField(currency_choices=(), currency_field_name='currency', decimal_places=3, max_digits=15)),
            ],
            options={
                'ordering': ['position'],
                'constraints': [models.UniqueConstraint(fields=('invoice', 'position'), name='invoice_lines_have_an_order'), models.CheckConstraint(condition=models.Q(('discount_amount__gte', 0), ('net__gte', 0)), name='invoice_line_discount_is_within_its_price')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Payment',
            fields=[
                ('id', models.UUIDField(default=portal.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('invoice', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='payment', to='portal.invoice')),
                ('gateway', models.CharField(max_length=32)),
                ('reference', models.CharField(help_text="The gateway's own.", max_length=100)),
                ('amount_currency', djmoney.models.fields.CurrencyField(choices=(), default=None, editable=False, max_length=3)),
                ('amount', djmoney.models.fields.MoneyField(currency_choices=(), decimal_places=3, max_digits=15)),
                ('received_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-received_at', '-id'],
                'constraints': [models.UniqueConstraint(fields=('gateway', 'reference'), name='gateway_payment_is_recorded_once')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Refund',
            fields=[
                ('id', models.UUIDField(default=portal.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('invoice', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='refunds', to='portal.invoice')),
                ('gateway', models.CharField(max_length=32)),
                ('reference', models.CharField(max_length=100)),
                ('kind', models.CharField(choices=[('refund', 'Refund'), ('chargeback', 'Chargeback')], max_length=10)),
                ('amount_currency', djmoney.models.fields.CurrencyField(choices=(), default=None, editable=False, max_length=3)),
                ('amount', djmoney.models.fields.MoneyField(currency_choices=(), decimal_places=3, max_digits=15)),
                ('refunded_at', models.DateTimeField()),
            ],
            options={
                'ordering': ['-refunded_at', '-id'],
                'constraints': [models.UniqueConstraint(fields=('gateway', 'reference'), name='gateway_refund_is_recorded_once'), models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='refund_amount_is_above_zero')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='PaymentEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('gateway', models.CharField(max_length=32)),
                ('event_id', models.CharField(max_length=255)),
                ('body', models.TextField(help_text='Without fields that are not read.')),
                ('received_at', models.DateTimeField()),
                ('outcome', models.CharField(choices=[('received', 'Received'), ('processed', 'Processed'), ('ignored', 'Ignored: a type we do not follow'), ('rejected', 'Rejected'), ('deferred', 'Deferred: expected again')], default='received', max_length=10)),
                ('failure', models.CharField(blank=True, max_length=64)),
                ('failure_detail', models.CharField(blank=True, max_length=255)),
                ('processed_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'ordering': ['-received_at', '-id'],
                'permissions': [('process_paymentevent', 'Can process an event again')],
                'constraints': [models.UniqueConstraint(fields=('gateway', 'event_id'), name='payment_event_is_stored_once')],
                'indexes': [models.Index(fields=['received_at', 'id'], name='event_by_time')],
            },
        ),
    ]
