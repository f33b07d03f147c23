import affiliates.brands.models.contact
import affiliates.brands.models.fields
import django.core.validators
import django.db.models.deletion
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
            },
        ),
        migrations.CreateModel(
            name='Brand',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, unique=True)),
                ('is_active', models.BooleanField(default=True, help_text='Inactive: answers no API call, and what its host reports credits nobody.')),
                ('is_test', models.BooleanField(db_default=False, default=False, help_text='For trying things out: everything works as on every other brand, with books and numbers of its own, but statistics leave it out.', verbose_name='test brand')),
                ('default_redirect_url', models.CharField(help_text="The shop's first page, such as https://shop.example.com/. A visitor goes there when a link names no target or a forbidden one. Its host must be one of the domains below.", max_length=2048, verbose_name='default redirect URL')),
                ('landing', models.CharField(choices=[('default_url', 'Send the visitor to the default redirect URL'), ('stay', 'Keep the visitor on the page they opened')], default='default_url', help_text='What happens to a visitor whose link names no target.', max_length=20)),
                ('link_parameter', models.CharField(default='ref', help_text="Query parameter of the brand's own links, as in ?ref=CODE.", max_length=32, validators=[django.core.validators.RegexValidator('^[A-Za-z][A-Za-z0-9_-]*\\Z')])),
                ('link_place', models.CharField(blank=True, db_default='/aff', default='/aff', help_text='The path of links in the client area: /aff, or with your own part before it, such as /portal/aff. /#/aff where one page shows every view by what follows the #. It needs a page with the script.', max_length=100, validators=[django.core.validators.RegexValidator('^/(?:[\\w.~-]+/)*(?:#!?/(?:[\\w.~-]+/)*)?aff\\Z', 'Write a path that ends with /aff, such as /aff, /portal/aff or /#/aff.')], verbose_name='links begin with')),
                ('attribution_policy', models.CharField(choices=[('last_click', 'Last click wins'), ('first_click', 'First click wins')], default='last_click', help_text='Who is credited when several affiliates sent the same visitor.', max_length=20)),
                ('attribution_window_days', models.PositiveSmallIntegerField(default=90, help_text='A click older than this many days earns nothing.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(400)])),
                ('cookie_lifetime_days', models.PositiveSmallIntegerField(default=90, help_text='Lifetime of a new referral cookie. Browsers keep none beyond 400 days.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(400)])),
                ('click_months', models.PositiveSmallIntegerField(db_default=13, default=13, help_text="In whole months; 0: for ever. Older ones are deleted, except those that a client or an order came by, and their counts stay in the statistics. A click that may still earn something by the cookie's lifetime or the window is kept longer.", validators=[django.core.validators.MaxValueValidator(120)], verbose_name='clicks of people')),
                ('old_addresses', models.CharField(choices=[('hash', 'A hash keyed by the day'), ('nothing', 'Nothing')], db_default='hash', default='hash', help_text='Until then encrypted. A hash still shows which clicks and orders of one day came from one network, and no address.', max_length=20)),
                ('other_click_months', models.PositiveSmallIntegerField(db_default=13, default=13, help_text='In whole months, in the same way.', validators=[django.core.validators.MaxValueValidator(120)], verbose_name='clicks of robots, and repeats')),
                ('own_program', models.BooleanField(default=True, help_text="Off: the brand's own links credit nobody.", verbose_name='own affiliate program')),
                ('claim_policy', models.CharField(choices=[('own', "The brand's own affiliate"), ('third_party', 'The tracking integration'), ('latest', 'The one that sent the client last'), ('both', 'Both')], default='latest', help_text="Who gets a sale when an affiliate of the brand's own and the tracking integration both sent the client. One click that is both counts as the brand's own.", max_length=20)),
                ('existing_clients_earn', models.BooleanField(default=False, help_text='On: later orders of a client who has paid before are credited too.')),
                ('bound_clients', models.CharField(choices=[('keep', 'Stay with the affiliate who sent them to register'), ('latest', 'May be won by a later click')], default='keep', help_text="Whether a click after the registration may win the client's order.", max_length=20, verbose_name='registered clients')),
                ('stand_down_minutes', models.PositiveSmallIntegerField(default=30, help_text="A click made after the basket began, or less than so many minutes before the order, never displaces another affiliate's earlier one. 0: off.", validators=[django.core.validators.MaxValueValidator(1440)], verbose_name='checkout stand-down')),
                ('coupon_over_link', models.BooleanField(default=True, help_text="An affiliate's coupon code on the order wins over every click.", verbose_name='coupon wins over link')),
                ('consent', models.CharField(choices=[('not_needed', 'Not needed'), ('session_only', 'Not needed for one session'), ('required', 'Required')], db_default='not_needed', default='not_needed', help_text="Whether a visitor must agree before a cookie recognises them. Not needed: every visit gets one. Not needed for one session: the cookie ends with the browser's session, after a day at most. Required: until the page reports consent, a visit gets its redirect alone, and its click is counted without visitor, browser and network. A reported refusal counts in all three.", max_length=20)),
                ('privacy_control', models.CharField(choices=[('not_considered', 'Not considered'), ('refusal', 'Counts as a refusal')], db_default='not_considered', default='not_considered', help_text="What it means that a visitor's browser sends Sec-GPC: 1 (Firefox, Brave and DuckDuckGo can). Not considered: such visitors are tracked like all others. Counts as a refusal: as if the page reported that they refuse consent, and a cookie they hold is taken back. Affiliates then earn from them only by a coupon, or where they had registered before.", max_length=20, verbose_name='Global Privacy Control')),
                ('time_zone', models.CharField(blank=True, db_default='', default='', help_text="Where the brand's days, weeks and months begin: in its statistics and its schedules. Such as Europe/Berlin; empty: the site's own.", max_length=64, validators=[affiliates.brands.models.fields.require_zone])),
                ('masks_clients', models.BooleanField(db_default=True, default=True, help_text="On: affiliates read a…@e….org of the clients they sent, and of an invoice's lines the product. Off: name, e-mail address and the lines' own words.", verbose_name='affiliates see no client')),
                ('colour', models.CharField(blank=True, db_default='', default='', help_text="Of buttons and links in the affiliate's area, such as #2457c5. Shades that can be read on light and on dark pages are made of it.", max_length=7, validators=[django.core.validators.RegexValidator('^#[0-9a-fA-F]{6}\\Z', 'Write it as #2457c5.')])),
                ('staff_emails', models.CharField(blank=True, db_default='', default='', help_text='Who reads of applications, payout requests, missing sales and integrations that are down. Several are divided by commas; empty: nobody.', max_length=1000, validators=[affiliates.brands.models.fields.require_addresses], verbose_name='e-mail addresses of staff')),
                ('font', models.CharField(choices=[('system', "The device's own font"), ('grotesque', 'Plain, as Helvetica or Roboto'), ('humanist', 'Open, as Calibri or Ubuntu'), ('geometric', 'Round letters, as Avenir or Montserrat'), ('rounded', 'Rounded ends, as Arial Rounded'), ('serif', 'With serifs, as Charter or Cambria'), ('old_style', 'Bookish, as Palatino')], db_default='system', default='system', help_text="Of the affiliate's area, the program page, statements and e-mails. Nothing is downloaded: a device without the first typeface takes a similar one.", max_length=20)),
                ('banned_referrers', models.TextField(blank=True, db_default='', default='', help_text='Domains that affiliates may not send visitors from, such as coupons.example.com, one a line. Hosts below a domain count too. A sale whose winning click came from one is held, unless the fraud signals below say otherwise.', max_length=5000)),
                ('flagged_hold_days', models.PositiveSmallIntegerField(db_default=3, default=3, help_text='In days: staff can look at a flagged sale for at least so long before it is paid, also if its plan has no hold. Counted from the day the payment is reported. 0: as its plan says.', validators=[django.core.validators.MaxValueValidator(365)], verbose_name='hold of flagged sales')),
                ('bonus_limit', models.PositiveIntegerField(blank=True, db_default=1000, default=1000, help_text='At most, in whole units of its currency: a larger bonus of staff is held until somebody else releases it, if two persons may. Empty: without limit.', null=True, verbose_name='bonus payable at once')),
                ('legal_text', models.TextField(blank=True, db_default='', default='', help_text='Company, postal address and what the law asks for, such as the register number. Every e-mail ends with it.', max_length=500, verbose_name='address and legal line')),
                ('support', models.CharField(blank=True, db_default='', default='', help_text="An e-mail address, or the address of a page. It is in every e-mail and on the affiliate's pages.", max_length=254, validators=[affiliates.brands.models.contact.require_contact], verbose_name='support contact')),
                ('privacy_url', models.CharField(blank=True, db_default='', default='', help_text='The address of the page. Forms that ask for personal data link to it.', max_length=500, validators=[django.core.validators.URLValidator(schemes=['http', 'https'])], verbose_name='privacy notice')),
                ('imprint_url', models.CharField(blank=True, db_default='', default='', help_text="The address of the page. The affiliate's pages link to it.", max_length=500, validators=[django.core.validators.URLValidator(schemes=['http', 'https'])], verbose_name='imprint')),
                ('logo', models.CharField(blank=True, db_default='', default='', editable=False, max_length=100)),
                ('require_https', models.BooleanField(default=False, help_text='Recommended in production. Off while developing on http.', verbose_name='redirect to https only')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['name'],
                'constraints': [models.CheckConstraint(condition=models.Q(('attribution_window_days__gte', 1), ('attribution_window_days__lte', 400)), name='brand_window_is_1_to_400_days'), models.CheckConstraint(condition=models.Q(('cookie_lifetime_days__gte', 1), ('cookie_lifetime_days__lte', 400)), name='brand_cookie_lives_1_to_400_days')],
            },
        ),
        migrations.CreateModel(
            name='AttributionPolicyVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('terms', models.JSONField()),
                ('digest', models.CharField(max_length=64)),
                ('effective_from', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='policy_versions', to='affiliates.brand')),
            ],
            options={
                'verbose_name': 'attribution policy version',
                'ordering': ['brand', '-number'],
                'constraints': [models.UniqueConstraint(fields=('brand', 'number'), name='policy_version_number_is_unique')],
            },
        ),
        migrations.CreateModel(
            name='BrandDomain',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('host', models.CharField(error_messages={'unique': 'This host belongs to a brand already.'}, help_text='A bare host such as shop.example.com: pages on any port of it are its own. With a port, as in localhost:8000, only those on this one.', max_length=255, unique=True)),
                ('is_client_area', models.BooleanField(default=True, help_text='Pages on this host may call the API (its Origin names the brand).', verbose_name='client area')),
                ('is_redirect_target', models.BooleanField(default=True, help_text='Affiliate links may send visitors to this host.', verbose_name='redirect target')),
                ('include_subdomains', models.BooleanField(default=False, help_text='The redirect permission covers every subdomain too.')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='domains', to='affiliates.brand')),
            ],
            options={
                'verbose_name': 'domain',
                'ordering': ['host'],
            },
        ),
    ]
