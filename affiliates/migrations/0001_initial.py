import django.core.serializers.json
import django.core.validators
import django.db.models.deletion
import djmoney.models.fields
import uuid
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='ConfigChange',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=20)),
                ('subject_id', models.BigIntegerField(null=True)),
                ('token', models.CharField(blank=True, max_length=40)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='Brand',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, unique=True)),
                ('is_active', models.BooleanField(default=True, help_text='An inactive brand answers no API call from its domains.')),
                ('default_redirect_url', models.CharField(help_text='Where a visitor goes when a link names no target or a forbidden one. Its host must be one of the domains below.', max_length=2048, verbose_name='default redirect URL')),
                ('landing', models.CharField(choices=[('default_url', 'Send the visitor to the default redirect URL'), ('stay', 'Keep the visitor on the page they opened')], default='default_url', help_text='What happens to a visitor whose link names no target.', max_length=20)),
                ('link_parameter', models.CharField(default='ref', help_text="Query parameter of the brand's own links, as in ?ref=CODE.", max_length=32, validators=[django.core.validators.RegexValidator('^[A-Za-z][A-Za-z0-9_-]*\\Z')])),
                ('attribution_policy', models.CharField(choices=[('last_click', 'Last click wins'), ('first_click', 'First click wins')], default='last_click', help_text='Who is credited when several affiliates sent the same visitor.', max_length=20)),
                ('attribution_window_days', models.PositiveSmallIntegerField(default=90, help_text='A click older than this many days earns nothing.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(400)])),
                ('cookie_lifetime_days', models.PositiveSmallIntegerField(default=90, help_text='Lifetime of a new referral cookie. Browsers keep none beyond 400 days.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(400)])),
                ('own_program', models.BooleanField(default=True, help_text="Off: the brand's own links credit nobody.", verbose_name='own affiliate program')),
                ('claim_policy', models.CharField(choices=[('own', "The brand's own affiliate"), ('third_party', 'The tracking integration'), ('latest', 'Whoever sent the client last'), ('both', 'Both')], default='latest', help_text="Who gets a sale when an affiliate of the brand's own and the tracking integration both sent the client. One click that is both counts as the brand's own.", max_length=20)),
                ('existing_clients_earn', models.BooleanField(default=False, help_text='On: later orders of a client who has paid before are credited too.')),
                ('bound_clients', models.CharField(choices=[('keep', 'Stay with whoever sent them to register'), ('latest', 'May be won by a later click')], default='keep', help_text="Whether a click after the registration may win the client's order.", max_length=20, verbose_name='registered clients')),
                ('stand_down_minutes', models.PositiveSmallIntegerField(default=30, help_text="A click made after the basket began, or less than so many minutes before the order, never displaces another affiliate's earlier one. 0: off.", validators=[django.core.validators.MaxValueValidator(1440)], verbose_name='checkout stand-down')),
                ('coupon_over_link', models.BooleanField(default=True, help_text="An affiliate's coupon code on the order wins over every click.", verbose_name='coupon wins over link')),
                ('require_https', models.BooleanField(default=False, help_text='Recommended in production. Off while developing on http.', verbose_name='redirect to https only')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['name'],
                'constraints': [models.CheckConstraint(condition=models.Q(('attribution_window_days__gte', 1), ('attribution_window_days__lte', 400)), name='brand_window_is_1_to_400_days'), models.CheckConstraint(condition=models.Q(('cookie_lifetime_days__gte', 1), ('cookie_lifetime_days__lte', 400)), name='brand_cookie_lives_1_to_400_days')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='BrandDomain',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='domains', to='affiliates.brand')),
                ('host', models.CharField(error_messages={'unique': 'This host belongs to a brand already.'}, help_text='A bare host such as shop.example.com, or host:port while developing.', max_length=255, unique=True)),
                ('is_client_area', models.BooleanField(default=True, help_text='Pages on this host may call the API (its Origin names the brand).', verbose_name='client area')),
                ('is_redirect_target', models.BooleanField(default=True, help_text='Affiliate links may send visitors to this host.', verbose_name='redirect target')),
                ('include_subdomains', models.BooleanField(default=False, help_text='The redirect permission covers every subdomain too.')),
            ],
            options={
                'verbose_name': 'domain',
                'ordering': ['host'],
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='AttributionPolicyVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='policy_versions', to='affiliates.brand')),
                ('number', models.PositiveIntegerField()),
                ('terms', models.JSONField()),
                ('digest', models.CharField(max_length=64)),
                ('effective_from', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
            ],
            options={
                'verbose_name': 'attribution policy version',
                'ordering': ['brand', '-number'],
                'constraints': [models.UniqueConstraint(fields=('brand', 'number'), name='policy_version_number_is_unique')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='TrackingIntegration',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='integrations', to='affiliates.brand')),
                ('provider', models.CharField(max_length=40)),
                ('is_active', models.BooleanField(default=True, help_text='Off: visits are no longer matched, and what waits to be sent is given up with that reason. It can be replayed later.', verbose_name='active')),
                ('address', models.CharField(max_length=255, verbose_name='tracking address')),
                ('parameters', models.CharField(blank=True, help_text="Names in a page's address that make it an affiliate's, most important first, with commas: a_aid, aid.", max_length=200, verbose_name='affiliate parameters')),
                ('ambiguous_sales', models.CharField(choices=[('look_up', 'Look it up, send it again only when it is not there'), ('resend', 'Send it again (the provider may count it twice)'), ('hold', 'Leave it to a person')], default='look_up', max_length=20, verbose_name='when nobody can say whether a sale arrived')),
                ('requests_per_second', models.PositiveSmallIntegerField(default=5, help_text='All processes together send no more than this, on average.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)])),
                ('click_max_age_days', models.PositiveSmallIntegerField(default=7, help_text="Days. A sale carries its visitor's click where the provider can.", validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(90)], verbose_name='give up a click after')),
                ('sale_max_age_days', models.PositiveSmallIntegerField(default=30, help_text='Days. Also for leads and reversals.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(365)], verbose_name='give up a sale after')),
                ('config', models.JSONField(blank=True, default=dict, verbose_name='provider settings')),
                ('secrets', models.TextField(blank=True, editable=False, help_text='Encrypted; see integrations/secrets.py.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['brand__name', 'pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('is_active', True), models.Q(('provider', 'webhook'), _negated=True)), fields=('brand',), name='one_active_tracker_per_brand')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
            ],
            options={
                'ordering': ['brand__name', 'pk'],
                'proxy': True,
                'indexes': [],
                'constraints': [],
            },
            bases=('affiliates.trackingintegration',),
        ),
        migrations.CreateModel(
            name='IntegrationHealth',
            fields=[
                ('integration', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='health', serialize=False, to='affiliates.trackingintegration')),
                ('failures', models.PositiveIntegerField(default=0)),
                ('paused_until', models.DateTimeField(blank=True, null=True)),
                ('next_slot_at', models.DateTimeField(blank=True, null=True)),
                ('last_ok_at', models.DateTimeField(blank=True, null=True)),
                ('last_failure_at', models.DateTimeField(blank=True, null=True)),
                ('last_failure', models.CharField(blank=True, max_length=500)),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('brand', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('integration', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='deliveries', to='affiliates.trackingintegration')),
                ('operation', models.CharField(choices=[('click', 'Click'), ('sale', 'Sale'), ('lead', 'Lead'), ('reversal', 'Reversal'), ('lookup', 'Look-up'), ('probe', 'Connection test'), ('event', 'Event')], max_length=20)),
                ('key', models.CharField(max_length=100)),
                ('visitor_ref', models.CharField(blank=True, max_length=128, verbose_name='visitor or subject')),
                ('order_ref', models.CharField(blank=True, max_length=64, verbose_name='invoice')),
                ('payload', models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ('state', models.CharField(choices=[('queued', 'Waiting to be sent'), ('sending', 'Being sent'), ('retry', 'Will be sent again'), ('ambiguous', 'Sent; whether it arrived is not known'), ('done', 'Delivered'), ('duplicate', 'Known to the provider already'), ('failed', 'Refused by the provider'), ('dead', 'Given up')], default='queued', max_length=20)),
                ('attempt_count', models.PositiveIntegerField(default=0, verbose_name='attempts')),
                ('next_at', models.DateTimeField(blank=True, null=True, verbose_name='next attempt')),
                ('outcome', models.CharField(blank=True, choices=[('ok', 'Accepted'), ('duplicate', 'Known to the provider already'), ('not_found', 'Not found at the provider'), ('retry', 'Not accepted yet: will be sent again'), ('ambiguous', 'Sent, but nobody can say whether it was accepted'), ('config', 'The integration must be put right'), ('rejected', 'Refused by the provider for good'), ('gone', 'The receiver wants nothing any more')], max_length=20, verbose_name='last outcome')),
                ('detail', models.CharField(blank=True, max_length=500, verbose_name='reason')),
                ('remote_ref', models.CharField(blank=True, max_length=255, verbose_name="provider's reference")),
                ('created_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'ordering': ['-id'],
                'indexes': [models.Index(condition=models.Q(('next_at__isnull', False)), fields=['integration', 'next_at'], name='delivery_due'), models.Index(condition=models.Q(('next_at__isnull', False)), fields=['integration', 'visitor_ref', 'id'], name='delivery_open_of_visitor'), models.Index(condition=models.Q(('order_ref', ''), _negated=True), fields=['integration', 'order_ref'], name='delivery_of_order'), models.Index(condition=models.Q(('state__in', ['ambiguous', 'failed', 'dead'])), fields=['integration', 'created_at'], name='delivery_needs_attention')],
                'constraints': [models.UniqueConstraint(fields=('integration', 'key'), name='delivery_is_queued_once'), models.CheckConstraint(condition=models.Q(('next_at__isnull', True), ('state__in', ['queued', 'sending', 'retry', 'ambiguous']), _connector='OR'), name='finished_delivery_has_no_next_attempt')],
            },
        ),
        migrations.CreateModel(
            name='DeliveryAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('delivery', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='attempts', to='affiliates.delivery')),
                ('number', models.PositiveIntegerField()),
                ('operation', models.CharField(choices=[('click', 'Click'), ('sale', 'Sale'), ('lead', 'Lead'), ('reversal', 'Reversal'), ('lookup', 'Look-up'), ('probe', 'Connection test'), ('event', 'Event')], max_length=20)),
                ('started_at', models.DateTimeField()),
                ('duration_ms', models.PositiveIntegerField()),
                ('status_code', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('outcome', models.CharField(choices=[('ok', 'Accepted'), ('duplicate', 'Known to the provider already'), ('not_found', 'Not found at the provider'), ('retry', 'Not accepted yet: will be sent again'), ('ambiguous', 'Sent, but nobody can say whether it was accepted'), ('config', 'The integration must be put right'), ('rejected', 'Refused by the provider for good'), ('gone', 'The receiver wants nothing any more')], max_length=20)),
                ('detail', models.CharField(blank=True, max_length=500)),
            ],
            options={
                'ordering': ['number'],
                'constraints': [models.UniqueConstraint(fields=('delivery', 'number'), name='attempt_number_is_unique')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='VisitorAlias',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('integration', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='affiliates.trackingintegration')),
                ('visitor_ref', models.CharField(max_length=128)),
                ('remote_id', models.CharField(max_length=128)),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('integration', 'visitor_ref'), name='visitor_has_one_alias')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='CommissionPlan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='plans', to='affiliates.brand')),
                ('name', models.CharField(max_length=100)),
                ('is_default', models.BooleanField(default=False, help_text='For every affiliate with no plan of its own or of its group.', verbose_name='default plan')),
                ('hold_days', models.PositiveSmallIntegerField(default=30, help_text='Days between payment and approval. 0: at once.', validators=[django.core.validators.MaxValueValidator(400)])),
                ('hold_days_by_cycle', models.JSONField(blank=True, default=dict, help_text='Where a billing cycle is held for another time: monthly 90, annually 30.', verbose_name='hold days by billing cycle')),
                ('needs_active_service', models.BooleanField(default=False, help_text='A commission whose service has ended by the end of its hold is rejected, where the portal can say so.', verbose_name='only while the service is active')),
                ('approves_itself', models.BooleanField(default=True, help_text='Off: staff approve each commission after its hold.', verbose_name='approve after the hold')),
                ('counts_discount', models.BooleanField(default=False, help_text='Off: the base is what the line costs after its discount.', verbose_name='earn on the price before discounts')),
                ('counts_credit', models.BooleanField(default=False, help_text="Off: what the client's account credit pays is taken from the base.", verbose_name='earn on what account credit pays')),
                ('allows_paid_ads', models.BooleanField(default=True, help_text="Off: clicks with an ad platform's parameters are a fraud signal.", verbose_name='paid advertising allowed')),
                ('rounding', models.CharField(choices=[('half_up', 'To the nearest minor unit, half up'), ('half_even', 'To the nearest minor unit, half to even'), ('down', 'Down')], default='half_up', max_length=20)),
                ('cap_period', models.CharField(choices=[('none', 'No cap'), ('month', 'Calendar month'), ('year', 'Calendar year'), ('lifetime', 'For ever')], default='none', max_length=20)),
                ('cap_amounts', models.JSONField(blank=True, default=dict, help_text='The most an affiliate earns in a period: EUR 500, USD 550.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['brand', 'name'],
                'constraints': [models.UniqueConstraint(fields=('brand', 'name'), name='plan_name_is_unique_in_brand', violation_error_message='Another plan of this brand has this name.'), models.UniqueConstraint(condition=models.Q(('is_default', True)), fields=('brand',), name='brand_has_one_default_plan', violation_error_message='This brand has a default plan already: untick it there first.'), models.CheckConstraint(condition=models.Q(('hold_days__lte', 400)), name='plan_holds_400_days_at_most'), models.CheckConstraint(condition=models.Q(('rounding__in', ['half_up', 'half_even', 'down'])), name='plan_rounding_is_known'), models.CheckConstraint(condition=models.Q(('cap_period__in', ['none', 'month', 'year', 'lifetime'])), name='plan_cap_period_is_known')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='CommissionPlanVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('plan', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='affiliates.commissionplan')),
                ('number', models.PositiveIntegerField()),
                ('terms', models.JSONField()),
                ('digest', models.CharField(max_length=64)),
                ('effective_from', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
            ],
            options={
                'verbose_name': 'plan version',
                'ordering': ['plan', '-number'],
                'constraints': [models.UniqueConstraint(fields=('plan', 'number'), name='plan_version_number_is_unique')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='InvoicePayment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('invoice_ref', models.CharField(max_length=64, verbose_name='invoice')),
                ('order_ref', models.CharField(max_length=64, verbose_name='order')),
                ('payment_ref', models.CharField(max_length=64, verbose_name='payment')),
                ('gross_currency', djmoney.models.fields.CurrencyField(choices=[('XUA', 'ADB Unit of Account'), ('AFN', 'Afghan Afghani'), ('AFA', 'Afghan Afghani (1927–2002)'), ('ALL', 'Albanian Lek'), ('ALK', 'Albanian Lek (1946–1965)'), ('DZD', 'Algerian Dinar'), ('ADP', 'Andorran Peseta'), ('AOA', 'Angolan Kwanza'), ('AOK', 'Angolan Kwanza (1977–1991)'), ('AON', 'Angolan New Kwanza (1990–2000)'), ('AOR', 'Angolan Readjusted Kwanza (1995–1999)'), ('ARA', 'Argentine Austral'), ('ARS', 'Argentine Peso'), ('ARM', 'Argentine Peso (1881–1970)'), ('ARP', 'Argentine Peso (1983–1985)'), ('ARL', 'Argentine Peso Ley (1970–1983)'), ('AMD', 'Armenian Dram'), ('AWG', 'Aruban Florin'), ('AUD', 'Australian Dollar'), ('ATS', 'Austrian Schilling'), ('AZN', 'Azerbaijani Manat'), ('AZM', 'Azerbaijani Manat (1993–2006)'), ('BSD', 'Bahamian Dollar'), ('BHD', 'Bahraini Dinar'), ('BDT', 'Bangladeshi Taka'), ('BBD', 'Barbadian Dollar'), ('BYN', 'Belarusian Ruble'), ('BYB', 'Belarusian Ruble (1994–1999)'), ('BYR', 'Belarusian Ruble (2000–2016)'), ('BEF', 'Belgian Franc'), ('BEC', 'Belgian Franc (convertible)'), ('BEL', 'Belgian Franc (financial)'), ('BZD', 'Belize Dollar'), ('BMD', 'Bermudan Dollar'), ('BTN', 'Bhutanese Ngultrum'), ('BOB', 'Bolivian Boliviano'), ('BOL', 'Bolivian Boliviano (1863–1963)'), ('BOV', 'Bolivian Mvdol'), ('BOP', 'Bolivian Peso'), ('VED', 'Bolívar Soberano'), ('BAM', 'Bosnia-Herzegovina Convertible Mark'), ('BAD', 'Bosnia-Herzegovina Dinar (1992–1994)'), ('BAN', 'Bosnia-Herzegovina New Dinar (1994–1997)'), ('BWP', 'Botswanan Pula'), ('BRC', 'Brazilian Cruzado (1986–1989)'), ('BRZ', 'Brazilian Cruzeiro (1942–1967)'), ('BRE', 'Brazilian Cruzeiro (1990–1993)'), ('BRR', 'Brazilian Cruzeiro (1993–1994)'), ('BRN', 'Brazilian New Cruzado (1989–1990)'), ('BRB', 'Brazilian New Cruzeiro (1967–1986)'), ('BRL', 'Brazilian Real'), ('GBP', 'British Pound'), ('BND', 'Brunei Dollar'), ('BGL', 'Bulgarian Hard Lev'), ('BGN', 'Bulgarian Lev'), ('BGO', 'Bulgarian Lev (1879–1952)'), ('BGM', 'Bulgarian Socialist Lev'), ('BUK', 'Burmese Kyat'), ('BIF', 'Burundian Franc'), ('XPF', 'CFP Franc'), ('KHR', 'Cambodian Riel'), ('CAD', 'Canadian Dollar'), ('CVE', 'Cape Verdean Escudo'), ('KYD', 'Cayman Islands Dollar'), ('XAF', 'Central African CFA Franc'), ('CLE', 'Chilean Escudo'), ('CLP', 'Chilean Peso'), ('CLF', 'Chilean Unit of Account (UF)'), ('CNX', 'Chinese People’s Bank Dollar'), ('CNY', 'Chinese Yuan'), ('CNH', 'Chinese Yuan (offshore)'), ('COP', 'Colombian Peso'), ('COU', 'Colombian Real Value Unit'), ('KMF', 'Comorian Franc'), ('CDF', 'Congolese Franc'), ('CRC', 'Costa Rican Colón'), ('HRD', 'Croatian Dinar'), ('HRK', 'Croatian Kuna'), ('CUC', 'Cuban Convertible Peso'), ('CUP', 'Cuban Peso'), ('CYP', 'Cypriot Pound'), ('CZK', 'Czech Koruna'), ('CSK', 'Czechoslovak Hard Koruna'), ('DKK', 'Danish Krone'), ('DJF', 'Djiboutian Franc'), ('DOP', 'Dominican Peso'), ('NLG', 'Dutch Guilder'), ('XCD', 'East Caribbean Dollar'), ('DDM', 'East German Mark'), ('ECS', 'Ecuadorian Sucre'), ('ECV', 'Ecuadorian Unit of Constant Value'), ('EGP', 'Egyptian Pound'), ('GQE', 'Equatorial Guinean Ekwele'), ('ERN', 'Eritrean Nakfa'), ('EEK', 'Estonian Kroon'), ('ETB', 'Ethiopian Birr'), ('EUR', 'Euro'), ('XBA', 'European Composite Unit'), ('XEU', 'European Currency Unit'), ('XBB', 'European Monetary Unit'), ('XBC', 'European Unit of Account (XBC)'), ('XBD', 'European Unit of Account (XBD)'), ('FKP', 'Falkland Islands Pound'), ('FJD', 'Fijian Dollar'), ('FIM', 'Finnish Markka'), ('FRF', 'French Franc'), ('XFO', 'French Gold Franc'), ('XFU', 'French UIC-Franc'), ('GMD', 'Gambian Dalasi'), ('GEK', 'Georgian Kupon Larit'), ('GEL', 'Georgian Lari'), ('DEM', 'German Mark'), ('GHS', 'Ghanaian Cedi'), ('GHC', 'Ghanaian Cedi (1979–2007)'), ('GIP', 'Gibraltar Pound'), ('XAU', 'Gold'), ('GRD', 'Greek Drachma'), ('GTQ', 'Guatemalan Quetzal'), ('GWP', 'Guinea-Bissau Peso'), ('GNF', 'Guinean Franc'), ('GNS', 'Guinean Syli'), ('GYD', 'Guyanaese Dollar'), ('HTG', 'Haitian Gourde'), ('HNL', 'Honduran Lempira'), ('HKD', 'Hong Kong Dollar'), ('HUF', 'Hungarian Forint'), ('IMP', 'IMP'), ('ISK', 'Icelandic Króna'), ('ISJ', 'Icelandic Króna (1918–1981)'), ('INR', 'Indian Rupee'), ('IDR', 'Indonesian Rupiah'), ('IRR', 'Iranian Rial'), ('IQD', 'Iraqi Dinar'), ('IEP', 'Irish Pound'), ('ILS', 'Israeli New Shekel'), ('ILP', 'Israeli Pound'), ('ILR', 'Israeli Shekel (1980–1985)'), ('ITL', 'Italian Lira'), ('JMD', 'Jamaican Dollar'), ('JPY', 'Japanese Yen'), ('JOD', 'Jordanian Dinar'), ('KZT', 'Kazakhstani Tenge'), ('KES', 'Kenyan Shilling'), ('KWD', 'Kuwaiti Dinar'), ('KGS', 'Kyrgystani Som'), ('LAK', 'Laotian Kip'), ('LVL', 'Latvian Lats'), ('LVR', 'Latvian Ruble'), ('LBP', 'Lebanese Pound'), ('LSL', 'Lesotho Loti'), ('LRD', 'Liberian Dollar'), ('LYD', 'Libyan Dinar'), ('LTL', 'Lithuanian Litas'), ('LTT', 'Lithuanian Talonas'), ('LUL', 'Luxembourg Financial Franc'), ('LUC', 'Luxembourgian Convertible Franc'), ('LUF', 'Luxembourgian Franc'), ('MOP', 'Macanese Pataca'), ('MKD', 'Macedonian Denar'), ('MKN', 'Macedonian Denar (1992–1993)'), ('MGA', 'Malagasy Ariary'), ('MGF', 'Malagasy Franc'), ('MWK', 'Malawian Kwacha'), ('MYR', 'Malaysian Ringgit'), ('MVR', 'Maldivian Rufiyaa'), ('MVP', 'Maldivian Rupee (1947–1981)'), ('MLF', 'Malian Franc'), ('MTL', 'Maltese Lira'), ('MTP', 'Maltese Pound'), ('MRU', 'Mauritanian Ouguiya'), ('MRO', 'Mauritanian Ouguiya (1973–2017)'), ('MUR', 'Mauritian Rupee'), ('MXV', 'Mexican Investment Unit'), ('MXN', 'Mexican Peso'), ('MXP', 'Mexican Silver Peso (1861–1992)'), ('MDC', 'Moldovan Cupon'), ('MDL', 'Moldovan Leu'), ('MCF', 'Monegasque Franc'), ('MNT', 'Mongolian Tugrik'), ('MAD', 'Moroccan Dirham'), ('MAF', 'Moroccan Franc'), ('MZE', 'Mozambican Escudo'), ('MZN', 'Mozambican Metical'), ('MZM', 'Mozambican Metical (1980–2006)'), ('MMK', 'Myanmar Kyat'), ('NAD', 'Namibian Dollar'), ('NPR', 'Nepalese Rupee'), ('ANG', 'Netherlands Antillean Guilder'), ('TWD', 'New Taiwan Dollar'), ('NZD', 'New Zealand Dollar'), ('NIO', 'Nicaraguan Córdoba'), ('NIC', 'Nicaraguan Córdoba (1988–1991)'), ('NGN', 'Nigerian Naira'), ('KPW', 'North Korean Won'), ('NOK', 'Norwegian Krone'), ('OMR', 'Omani Rial'), ('PKR', 'Pakistani Rupee'), ('XPD', 'Palladium'), ('PAB', 'Panamanian Balboa'), ('PGK', 'Papua New Guinean Kina'), ('PYG', 'Paraguayan Guarani'), ('PEI', 'Peruvian Inti'), ('PEN', 'Peruvian Sol'), ('PES', 'Peruvian Sol (1863–1965)'), ('PHP', 'Philippine Peso'), ('XPT', 'Platinum'), ('PLN', 'Polish Zloty'), ('PLZ', 'Polish Zloty (1950–1995)'), ('PTE', 'Portuguese Escudo'), ('GWE', 'Portuguese Guinea Escudo'), ('QAR', 'Qatari Riyal'), ('XRE', 'RINET Funds'), ('RHD', 'Rhodesian Dollar'), ('RON', 'Romanian Leu'), ('ROL', 'Romanian Leu (1952–2006)'), ('RUB', 'Russian Ruble'), ('RUR', 'Russian Ruble (1991–1998)'), ('RWF', 'Rwandan Franc'), ('SVC', 'Salvadoran Colón'), ('WST', 'Samoan Tala'), ('SAR', 'Saudi Riyal'), ('RSD', 'Serbian Dinar'), ('CSD', 'Serbian Dinar (2002–2006)'), ('SCR', 'Seychellois Rupee'), ('SLE', 'Sierra Leonean Leone'), ('SLL', 'Sierra Leonean Leone (1964—2022)'), ('XAG', 'Silver'), ('SGD', 'Singapore Dollar'), ('SKK', 'Slovak Koruna'), ('SIT', 'Slovenian Tolar'), ('SBD', 'Solomon Islands Dollar'), ('SOS', 'Somali Shilling'), ('ZAR', 'South African Rand'), ('ZAL', 'South African Rand (financial)'), ('KRH', 'South Korean Hwan (1953–1962)'), ('KRW', 'South Korean Won'), ('KRO', 'South Korean Won (1945–1953)'), ('SSP', 'South Sudanese Pound'), ('SUR', 'Soviet Rouble'), ('ESP', 'Spanish Peseta'), ('ESA', 'Spanish Peseta (A account)'), ('ESB', 'Spanish Peseta (convertible account)'), ('XDR', 'Special Drawing Rights'), ('LKR', 'Sri Lankan Rupee'), ('SHP', 'St. Helena Pound'), ('XSU', 'Sucre'), ('SDD', 'Sudanese Dinar (1992–2007)'), ('SDG', 'Sudanese Pound'), ('SDP', 'Sudanese Pound (1957–1998)'), ('SRD', 'Surinamese Dollar'), ('SRG', 'Surinamese Guilder'), ('SZL', 'Swazi Lilangeni'), ('SEK', 'Swedish Krona'), ('CHF', 'Swiss Franc'), ('SYP', 'Syrian Pound'), ('STN', 'São Tomé & Príncipe Dobra'), ('STD', 'São Tomé & Príncipe Dobra (1977–2017)'), ('TVD', 'TVD'), ('TJR', 'Tajikistani Ruble'), ('TJS', 'Tajikistani Somoni'), ('TZS', 'Tanzanian Shilling'), ('XTS', 'Testing Currency Code'), ('THB', 'Thai Baht'), ('TPE', 'Timorese Escudo'), ('TOP', 'Tongan Paʻanga'), ('TTD', 'Trinidad & Tobago Dollar'), ('TND', 'Tunisian Dinar'), ('TRY', 'Turkish Lira'), ('TRL', 'Turkish Lira (1922–2005)'), ('TMT', 'Turkmenistani Manat'), ('TMM', 'Turkmenistani Manat (1993–2009)'), ('USD', 'US Dollar'), ('USN', 'US Dollar (Next day)'), ('USS', 'US Dollar (Same day)'), ('UGX', 'Ugandan Shilling'), ('UGS', 'Ugandan Shilling (1966–1987)'), ('UAH', 'Ukrainian Hryvnia'), ('UAK', 'Ukrainian Karbovanets'), ('AED', 'United Arab Emirates Dirham'), ('UYW', 'Uruguayan Nominal Wage Index Unit'), ('UYU', 'Uruguayan Peso'), ('UYP', 'Uruguayan Peso (1975–1993)'), ('UYI', 'Uruguayan Peso (Indexed Units)'), ('UZS', 'Uzbekistani Som'), ('VUV', 'Vanuatu Vatu'), ('VES', 'Venezuelan Bolívar'), ('VEB', 'Venezuelan Bolívar (1871–2008)'), ('VEF', 'Venezuelan Bolívar (2008–2018)'), ('VND', 'Vietnamese Dong'), ('VNN', 'Vietnamese Dong (1978–1985)'), ('CHE', 'WIR Euro'), ('CHW', 'WIR Franc'), ('XOF', 'West African CFA Franc'), ('YDD', 'Yemeni Dinar'), ('YER', 'Yemeni Rial'), ('YUN', 'Yugoslavian Convertible Dinar (1990–1992)'), ('YUD', 'Yugoslavian Hard Dinar (1966–1990)'), ('YUM', 'Yugoslavian New Dinar (1994–2002)'), ('YUR', 'Yugoslavian Reformed Dinar (1992–1993)'), ('ZWN', 'ZWN'), ('ZRN', 'Zairean New Zaire (1993–1998)'), ('ZRZ', 'Zairean Zaire (1971–1993)'), ('ZMW', 'Zambian Kwacha'), ('ZMK', 'Zambian Kwacha (1968–2012)'), ('ZWD', 'Zimbabwean Dollar (1980–2008)'), ('ZWR', 'Zimbabwean Dollar (2008)'), ('ZWL', 'Zimbabwean Dollar (2009–2024)')], default=None, editable=False, max_length=3)),
                ('gross', djmoney.models.fields.MoneyField(decimal_places=3, max_digits=15)),
                ('lines', models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ('renewal_number', models.PositiveIntegerField(default=0, verbose_name='renewal')),
                ('paid_at', models.DateTimeField()),
                ('received_at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
            ],
            options={
                'ordering': ['-paid_at'],
                'indexes': [models.Index(fields=['brand', 'order_ref'], name='payments_of_order')],
                'constraints': [models.UniqueConstraint(fields=('brand', 'invoice_ref'), name='invoice_is_paid_once')],
            },
        ),
        migrations.CreateModel(
            name='InvoiceRefund',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('invoice_ref', models.CharField(max_length=64, verbose_name='invoice')),
                ('refund_ref', models.CharField(max_length=64, verbose_name='refund')),
                ('kind', models.CharField(choices=[('refund', 'Refund'), ('chargeback', 'Chargeback')], max_length=20)),
                ('gross_currency', djmoney.models.fields.CurrencyField(choices=[('XUA', 'ADB Unit of Account'), ('AFN', 'Afghan Afghani'), ('AFA', 'Afghan Afghani (1927–2002)'), ('ALL', 'Albanian Lek'), ('ALK', 'Albanian Lek (1946–1965)'), ('DZD', 'Algerian Dinar'), ('ADP', 'Andorran Peseta'), ('AOA', 'Angolan Kwanza'), ('AOK', 'Angolan Kwanza (1977–1991)'), ('AON', 'Angolan New Kwanza (1990–2000)'), ('AOR', 'Angolan Readjusted Kwanza (1995–1999)'), ('ARA', 'Argentine Austral'), ('ARS', 'Argentine Peso'), ('ARM', 'Argentine Peso (1881–1970)'), ('ARP', 'Argentine Peso (1983–1985)'), ('ARL', 'Argentine Peso Ley (1970–1983)'), ('AMD', 'Armenian Dram'), ('AWG', 'Aruban Florin'), ('AUD', 'Australian Dollar'), ('ATS', 'Austrian Schilling'), ('AZN', 'Azerbaijani Manat'), ('AZM', 'Azerbaijani Manat (1993–2006)'), ('BSD', 'Bahamian Dollar'), ('BHD', 'Bahraini Dinar'), ('BDT', 'Bangladeshi Taka'), ('BBD', 'Barbadian Dollar'), ('BYN', 'Belarusian Ruble'), ('BYB', 'Belarusian Ruble (1994–1999)'), ('BYR', 'Belarusian Ruble (2000–2016)'), ('BEF', 'Belgian Franc'), ('BEC', 'Belgian Franc (convertible)'), ('BEL', 'Belgian Franc (financial)'), ('BZD', 'Belize Dollar'), ('BMD', 'Bermudan Dollar'), ('BTN', 'Bhutanese Ngultrum'), ('BOB', 'Bolivian Boliviano'), ('BOL', 'Bolivian Boliviano (1863–1963)'), ('BOV', 'Bolivian Mvdol'), ('BOP', 'Bolivian Peso'), ('VED', 'Bolívar Soberano'), ('BAM', 'Bosnia-Herzegovina Convertible Mark'), ('BAD', 'Bosnia-Herzegovina Dinar (1992–1994)'), ('BAN', 'Bosnia-Herzegovina New Dinar (1994–1997)'), ('BWP', 'Botswanan Pula'), ('BRC', 'Brazilian Cruzado (1986–1989)'), ('BRZ', 'Brazilian Cruzeiro (1942–1967)'), ('BRE', 'Brazilian Cruzeiro (1990–1993)'), ('BRR', 'Brazilian Cruzeiro (1993–1994)'), ('BRN', 'Brazilian New Cruzado (1989–1990)'), ('BRB', 'Brazilian New Cruzeiro (1967–1986)'), ('BRL', 'Brazilian Real'), ('GBP', 'British Pound'), ('BND', 'Brunei Dollar'), ('BGL', 'Bulgarian Hard Lev'), ('BGN', 'Bulgarian Lev'), ('BGO', 'Bulgarian Lev (1879–1952)'), ('BGM', 'Bulgarian Socialist Lev'), ('BUK', 'Burmese Kyat'), ('BIF', 'Burundian Franc'), ('XPF', 'CFP Franc'), ('KHR', 'Cambodian Riel'), ('CAD', 'Canadian Dollar'), ('CVE', 'Cape Verdean Escudo'), ('KYD', 'Cayman Islands Dollar'), ('XAF', 'Central African CFA Franc'), ('CLE', 'Chilean Escudo'), ('CLP', 'Chilean Peso'), ('CLF', 'Chilean Unit of Account (UF)'), ('CNX', 'Chinese People’s Bank Dollar'), ('CNY', 'Chinese Yuan'), ('CNH', 'Chinese Yuan (offshore)'), ('COP', 'Colombian Peso'), ('COU', 'Colombian Real Value Unit'), ('KMF', 'Comorian Franc'), ('CDF', 'Congolese Franc'), ('CRC', 'Costa Rican Colón'), ('HRD', 'Croatian Dinar'), ('HRK', 'Croatian Kuna'), ('CUC', 'Cuban Convertible Peso'), ('CUP', 'Cuban Peso'), ('CYP', 'Cypriot Pound'), ('CZK', 'Czech Koruna'), ('CSK', 'Czechoslovak Hard Koruna'), ('DKK', 'Danish Krone'), ('DJF', 'Djiboutian Franc'), ('DOP', 'Dominican Peso'), ('NLG', 'Dutch Guilder'), ('XCD', 'East Caribbean Dollar'), ('DDM', 'East German Mark'), ('ECS', 'Ecuadorian Sucre'), ('ECV', 'Ecuadorian Unit of Constant Value'), ('EGP', 'Egyptian Pound'), ('GQE', 'Equatorial Guinean Ekwele'), ('ERN', 'Eritrean Nakfa'), ('EEK', 'Estonian Kroon'), ('ETB', 'Ethiopian Birr'), ('EUR', 'Euro'), ('XBA', 'European Composite Unit'), ('XEU', 'European Currency Unit'), ('XBB', 'European Monetary Unit'), ('XBC', 'European Unit of Account (XBC)'), ('XBD', 'European Unit of Account (XBD)'), ('FKP', 'Falkland Islands Pound'), ('FJD', 'Fijian Dollar'), ('FIM', 'Finnish Markka'), ('FRF', 'French Franc'), ('XFO', 'French Gold Franc'), ('XFU', 'French UIC-Franc'), ('GMD', 'Gambian Dalasi'), ('GEK', 'Georgian Kupon Larit'), ('GEL', 'Georgian Lari'), ('DEM', 'German Mark'), ('GHS', 'Ghanaian Cedi'), ('GHC', 'Ghanaian Cedi (1979–2007)'), ('GIP', 'Gibraltar Pound'), ('XAU', 'Gold'), ('GRD', 'Greek Drachma'), ('GTQ', 'Guatemalan Quetzal'), ('GWP', 'Guinea-Bissau Peso'), ('GNF', 'Guinean Franc'), ('GNS', 'Guinean Syli'), ('GYD', 'Guyanaese Dollar'), ('HTG', 'Haitian Gourde'), ('HNL', 'Honduran Lempira'), ('HKD', 'Hong Kong Dollar'), ('HUF', 'Hungarian Forint'), ('IMP', 'IMP'), ('ISK', 'Icelandic Króna'), ('ISJ', 'Icelandic Króna (1918–1981)'), ('INR', 'Indian Rupee'), ('IDR', 'Indonesian Rupiah'), ('IRR', 'Iranian Rial'), ('IQD', 'Iraqi Dinar'), ('IEP', 'Irish Pound'), ('ILS', 'Israeli New Shekel'), ('ILP', 'Israeli Pound'), ('ILR', 'Israeli Shekel (1980–1985)'), ('ITL', 'Italian Lira'), ('JMD', 'Jamaican Dollar'), ('JPY', 'Japanese Yen'), ('JOD', 'Jordanian Dinar'), ('KZT', 'Kazakhstani Tenge'), ('KES', 'Kenyan Shilling'), ('KWD', 'Kuwaiti Dinar'), ('KGS', 'Kyrgystani Som'), ('LAK', 'Laotian Kip'), ('LVL', 'Latvian Lats'), ('LVR', 'Latvian Ruble'), ('LBP', 'Lebanese Pound'), ('LSL', 'Lesotho Loti'), ('LRD', 'Liberian Dollar'), ('LYD', 'Libyan Dinar'), ('LTL', 'Lithuanian Litas'), ('LTT', 'Lithuanian Talonas'), ('LUL', 'Luxembourg Financial Franc'), ('LUC', 'Luxembourgian Convertible Franc'), ('LUF', 'Luxembourgian Franc'), ('MOP', 'Macanese Pataca'), ('MKD', 'Macedonian Denar'), ('MKN', 'Macedonian Denar (1992–1993)'), ('MGA', 'Malagasy Ariary'), ('MGF', 'Malagasy Franc'), ('MWK', 'Malawian Kwacha'), ('MYR', 'Malaysian Ringgit'), ('MVR', 'Maldivian Rufiyaa'), ('MVP', 'Maldivian Rupee (1947–1981)'), ('MLF', 'Malian Franc'), ('MTL', 'Maltese Lira'), ('MTP', 'Maltese Pound'), ('MRU', 'Mauritanian Ouguiya'), ('MRO', 'Mauritanian Ouguiya (1973–2017)'), ('MUR', 'Mauritian Rupee'), ('MXV', 'Mexican Investment Unit'), ('MXN', 'Mexican Peso'), ('MXP', 'Mexican Silver Peso (1861–1992)'), ('MDC', 'Moldovan Cupon'), ('MDL', 'Moldovan Leu'), ('MCF', 'Monegasque Franc'), ('MNT', 'Mongolian Tugrik'), ('MAD', 'Moroccan Dirham'), ('MAF', 'Moroccan Franc'), ('MZE', 'Mozambican Escudo'), ('MZN', 'Mozambican Metical'), ('MZM', 'Mozambican Metical (1980–2006)'), ('MMK', 'Myanmar Kyat'), ('NAD', 'Namibian Dollar'), ('NPR', 'Nepalese Rupee'), ('ANG', 'Netherlands Antillean Guilder'), ('TWD', 'New Taiwan Dollar'), ('NZD', 'New Zealand Dollar'), ('NIO', 'Nicaraguan Córdoba'), ('NIC', 'Nicaraguan Córdoba (1988–1991)'), ('NGN', 'Nigerian Naira'), ('KPW', 'North Korean Won'), ('NOK', 'Norwegian Krone'), ('OMR', 'Omani Rial'), ('PKR', 'Pakistani Rupee'), ('XPD', 'Palladium'), ('PAB', 'Panamanian Balboa'), ('PGK', 'Papua New Guinean Kina'), ('PYG', 'Paraguayan Guarani'), ('PEI', 'Peruvian Inti'), ('PEN', 'Peruvian Sol'), ('PES', 'Peruvian Sol (1863–1965)'), ('PHP', 'Philippine Peso'), ('XPT', 'Platinum'), ('PLN', 'Polish Zloty'), ('PLZ', 'Polish Zloty (1950–1995)'), ('PTE', 'Portuguese Escudo'), ('GWE', 'Portuguese Guinea Escudo'), ('QAR', 'Qatari Riyal'), ('XRE', 'RINET Funds'), ('RHD', 'Rhodesian Dollar'), ('RON', 'Romanian Leu'), ('ROL', 'Romanian Leu (1952–2006)'), ('RUB', 'Russian Ruble'), ('RUR', 'Russian Ruble (1991–1998)'), ('RWF', 'Rwandan Franc'), ('SVC', 'Salvadoran Colón'), ('WST', 'Samoan Tala'), ('SAR', 'Saudi Riyal'), ('RSD', 'Serbian Dinar'), ('CSD', 'Serbian Dinar (2002–2006)'), ('SCR', 'Seychellois Rupee'), ('SLE', 'Sierra Leonean Leone'), ('SLL', 'Sierra Leonean Leone (1964—2022)'), ('XAG', 'Silver'), ('SGD', 'Singapore Dollar'), ('SKK', 'Slovak Koruna'), ('SIT', 'Slovenian Tolar'), ('SBD', 'Solomon Islands Dollar'), ('SOS', 'Somali Shilling'), ('ZAR', 'South African Rand'), ('ZAL', 'South African Rand (financial)'), ('KRH', 'South Korean Hwan (1953–1962)'), ('KRW', 'South Korean Won'), ('KRO', 'South Korean Won (1945–1953)'), ('SSP', 'South Sudanese Pound'), ('SUR', 'Soviet Rouble'), ('ESP', 'Spanish Peseta'), ('ESA', 'Spanish Peseta (A account)'), ('ESB', 'Spanish Peseta (convertible account)'), ('XDR', 'Special Drawing Rights'), ('LKR', 'Sri Lankan Rupee'), ('SHP', 'St. Helena Pound'), ('XSU', 'Sucre'), ('SDD', 'Sudanese Dinar (1992–2007)'), ('SDG', 'Sudanese Pound'), ('SDP', 'Sudanese Pound (1957–1998)'), ('SRD', 'Surinamese Dollar'), ('SRG', 'Surinamese Guilder'), ('SZL', 'Swazi Lilangeni'), ('SEK', 'Swedish Krona'), ('CHF', 'Swiss Franc'), ('SYP', 'Syrian Pound'), ('STN', 'São Tomé & Príncipe Dobra'), ('STD', 'São Tomé & Príncipe Dobra (1977–2017)'), ('TVD', 'TVD'), ('TJR', 'Tajikistani Ruble'), ('TJS', 'Tajikistani Somoni'), ('TZS', 'Tanzanian Shilling'), ('XTS', 'Testing Currency Code'), ('THB', 'Thai Baht'), ('TPE', 'Timorese Escudo'), ('TOP', 'Tongan Paʻanga'), ('TTD', 'Trinidad & Tobago Dollar'), ('TND', 'Tunisian Dinar'), ('TRY', 'Turkish Lira'), ('TRL', 'Turkish Lira (1922–2005)'), ('TMT', 'Turkmenistani Manat'), ('TMM', 'Turkmenistani Manat (1993–2009)'), ('USD', 'US Dollar'), ('USN', 'US Dollar (Next day)'), ('USS', 'US Dollar (Same day)'), ('UGX', 'Ugandan Shilling'), ('UGS', 'Ugandan Shilling (1966–1987)'), ('UAH', 'Ukrainian Hryvnia'), ('UAK', 'Ukrainian Karbovanets'), ('AED', 'United Arab Emirates Dirham'), ('UYW', 'Uruguayan Nominal Wage Index Unit'), ('UYU', 'Uruguayan Peso'), ('UYP', 'Uruguayan Peso (1975–1993)'), ('UYI', 'Uruguayan Peso (Indexed Units)'), ('UZS', 'Uzbekistani Som'), ('VUV', 'Vanuatu Vatu'), ('VES', 'Venezuelan Bolívar'), ('VEB', 'Venezuelan Bolívar (1871–2008)'), ('VEF', 'Venezuelan Bolívar (2008–2018)'), ('VND', 'Vietnamese Dong'), ('VNN', 'Vietnamese Dong (1978–1985)'), ('CHE', 'WIR Euro'), ('CHW', 'WIR Franc'), ('XOF', 'West African CFA Franc'), ('YDD', 'Yemeni Dinar'), ('YER', 'Yemeni Rial'), ('YUN', 'Yugoslavian Convertible Dinar (1990–1992)'), ('YUD', 'Yugoslavian Hard Dinar (1966–1990)'), ('YUM', 'Yugoslavian New Dinar (1994–2002)'), ('YUR', 'Yugoslavian Reformed Dinar (1992–1993)'), ('ZWN', 'ZWN'), ('ZRN', 'Zairean New Zaire (1993–1998)'), ('ZRZ', 'Zairean Zaire (1971–1993)'), ('ZMW', 'Zambian Kwacha'), ('ZMK', 'Zambian Kwacha (1968–2012)'), ('ZWD', 'Zimbabwean Dollar (1980–2008)'), ('ZWR', 'Zimbabwean Dollar (2008)'), ('ZWL', 'Zimbabwean Dollar (2009–2024)')], default=None, editable=False, max_length=3)),
                ('gross', djmoney.models.fields.MoneyField(decimal_places=3, max_digits=15)),
                ('refunded_at', models.DateTimeField()),
                ('received_at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
            ],
            options={
                'ordering': ['-refunded_at'],
                'constraints': [models.UniqueConstraint(fields=('brand', 'invoice_ref', 'refund_ref'), name='refund_is_recorded_once'), models.CheckConstraint(condition=models.Q(('gross__gt', 0)), name='refund_is_positive')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='FraudPolicy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fraud_policies', to='affiliates.brand')),
                ('signal', models.CharField(choices=[('self_referral', 'The affiliate seems to be the client'), ('same_network', 'Orders share a network address'), ('disposable_email', "The client's e-mail address is a throw-away"), ('velocity', 'Unusually many orders in a short time'), ('fast_order', 'The order came within seconds of the click'), ('bot_share', "Most of the affiliate's clicks are not made by people"), ('paid_ads', 'The click came from paid advertising the plan forbids')], max_length=30)),
                ('action', models.CharField(choices=[('allow', 'Ignore'), ('flag', 'Flag for staff, pay as usual'), ('hold', 'Hold until staff decide'), ('decline', 'Reject the commission')], max_length=20)),
                ('threshold', models.PositiveIntegerField(blank=True, help_text='Clients, orders, seconds or percent, as the signal counts. Empty: the default.', null=True)),
            ],
            options={
                'verbose_name_plural': 'fraud policies',
                'ordering': ['brand', 'signal'],
                'constraints': [models.UniqueConstraint(fields=('brand', 'signal'), name='brand_has_one_policy_per_signal')],
                'indexes': [],
            },
        ),
        migrations.CreateModel(
            name='PayoutTerms',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('brand', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='payout_terms', to='affiliates.brand')),
                ('pays_wallet', models.BooleanField(default=True, help_text='Where the portal keeps one.', verbose_name='account credit')),
                ('pays_paypal', models.BooleanField(default=True, verbose_name='PayPal')),
                ('pays_bank', models.BooleanField(default=True, verbose_name='bank transfer (SEPA, EUR)')),
                ('pays_offline', models.BooleanField(default=False, verbose_name='by agreement')),
                ('minimums', models.JSONField(blank=True, default=dict, help_text='In minor units by currency. Others: 50 units.')),
                ('cool_off_days', models.PositiveSmallIntegerField(default=7, help_text='A changed destination is not paid to before so many days.', validators=[django.core.validators.MaxValueValidator(90)])),
                ('debtor_name', models.CharField(blank=True, help_text='Whose account bank transfers are paid from.', max_length=70, verbose_name='account owner')),
                ('debtor_iban', models.CharField(blank=True, max_length=34, verbose_name='IBAN')),
                ('debtor_bic', models.CharField(blank=True, max_length=11, verbose_name='BIC')),
            ],
            options={
                'verbose_name': 'payout terms',
                'verbose_name_plural': 'payout terms',
                'indexes': [],
                'constraints': [],
            },
        ),
        migrations.CreateModel(
            name='AffiliateGroup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='groups', to='affiliates.brand')),
                ('name', models.CharField(max_length=100)),
                ('plan', models.ForeignKey(blank=True, help_text="Empty: the brand's default plan.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='groups', to='affiliates.commissionplan')),
            ],
            options={
                'ordering': ['brand', 'name'],
                'constraints': [models.UniqueConstraint(fields=('brand', 'name'), name='group_name_is_unique_in_brand', violation_error_message='Another group of this brand has this name.')],
                'indexes': [],
            },
        ),
    ]
