import affiliates.brands.models.fields
import affiliates.core.ids
import django.core.serializers.json
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.manager
import djmoney.models.fields
from decimal import Decimal
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AffiliateGroup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
            ],
            options={
                'ordering': ['brand', 'name'],
            },
        ),
        migrations.CreateModel(
            name='TrackingIntegration',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.CharField(max_length=40)),
                ('is_active', models.BooleanField(default=True, help_text='Off: visits are no longer matched, and what waits to be sent is given up with that reason. It can be replayed later.', verbose_name='active')),
                ('address', models.CharField(max_length=255, verbose_name='tracking address')),
                ('parameters', models.CharField(blank=True, help_text="Names in a page's address that make it an affiliate's, most important first, with commas: a_aid, aid.", max_length=200, verbose_name='affiliate parameters')),
                ('ambiguous_sales', models.CharField(choices=[('look_up', 'Look it up, send it again only when it is not there'), ('resend', 'Send it again (the provider may count it twice)'), ('hold', 'Leave it to a person')], default='look_up', max_length=20, verbose_name='when nobody can say whether a sale arrived')),
                ('requests_per_second', models.PositiveSmallIntegerField(default=5, help_text='All processes together send no more than this, on average.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)])),
                ('click_max_age_days', models.PositiveSmallIntegerField(default=7, help_text="Days. A sale carries its visitor's click where the provider can.", validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(90)], verbose_name='give up a click after')),
                ('sale_max_age_days', models.PositiveSmallIntegerField(default=30, help_text='Days. Also for leads and reversals.', validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(365)], verbose_name='give up a sale after')),
                ('end', models.CharField(blank=True, choices=[('gone', 'The receiver answered 410 Gone'), ('failing', 'Nothing was accepted for three days'), ('suspended', 'The affiliate was suspended'), ('staff', 'Switched off by staff')], db_default='', editable=False, max_length=20, verbose_name='why it is off')),
                ('config', models.JSONField(blank=True, default=dict, verbose_name='provider settings')),
                ('secrets', models.TextField(blank=True, editable=False, help_text='Encrypted; see integrations/secrets.py.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
            ],
            options={
                'ordering': ['brand__name', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='WorkerJob',
            fields=[
                ('name', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('next_due_at', models.DateTimeField()),
                ('lease_until', models.DateTimeField(blank=True, null=True)),
                ('holder', models.CharField(blank=True, max_length=100)),
                ('last_started_at', models.DateTimeField(blank=True, null=True)),
                ('last_succeeded_at', models.DateTimeField(blank=True, null=True)),
                ('last_failed_at', models.DateTimeField(blank=True, null=True)),
                ('last_error', models.CharField(blank=True, max_length=200)),
            ],
            options={
                'ordering': ['name'],
            },
        ),
        migrations.CreateModel(
            name='Affiliate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(default=affiliates.core.ids.new_affiliate_code, help_text='Short name for links such as ?ref=CODE.', max_length=32, validators=[django.core.validators.RegexValidator('^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]\\Z', 'Use 3 to 32 lower-case letters, digits and hyphens; no hyphen at either end.')])),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('active', 'Active'), ('suspended', 'Suspended')], default='pending', help_text='Only visits and orders of an active affiliate are credited.', max_length=20)),
                ('time_zone', models.CharField(blank=True, db_default='', default='', help_text="Of the times it reads. Empty: the brand's.", max_length=64, validators=[affiliates.brands.models.fields.require_zone])),
                ('cools_off_until', models.DateTimeField(blank=True, editable=False, help_text="Nothing is paid out before: the client's password or e-mail address was changed.", null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('merged_into', models.ForeignKey(blank=True, editable=False, help_text='Whose its code, links and earlier clicks are from then on.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='merged', to='affiliates.affiliate')),
                ('recruiter', models.ForeignKey(blank=True, help_text='Who brought it: gets the share that its plan names of what it earns from now on.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='recruited', to='affiliates.affiliate')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='affiliate_profiles', to=settings.AUTH_USER_MODEL, verbose_name='client')),
                ('group', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='affiliates', to='affiliates.affiliategroup')),
            ],
            options={
                'ordering': ['code'],
                'permissions': [('transfer_affiliate', 'Can transfer what an affiliate has, and merge two')],
            },
        ),
        migrations.CreateModel(
            name='AffiliateLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text="For the affiliate's own use, such as 'Blog footer'.", max_length=100)),
                ('hash', models.CharField(default=affiliates.core.ids.new_link_hash, editable=False, max_length=40, unique=True, validators=[django.core.validators.RegexValidator('^[0-9a-f]{40}\\Z')])),
                ('old_code', models.CharField(blank=True, db_default='', default='', editable=False, help_text='What the system it was imported from called it: found by that too.', max_length=32)),
                ('target_url', models.CharField(blank=True, help_text="Where the link leads. Empty: the brand's default redirect URL.", max_length=2048, verbose_name='target URL')),
                ('is_active', models.BooleanField(default=True, help_text='An inactive link credits nobody.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='links', to='affiliates.affiliate')),
            ],
            options={
                'verbose_name': 'affiliate link',
                'ordering': ['affiliate', 'name'],
            },
        ),
        migrations.CreateModel(
            name='AffiliateNote',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.CharField(max_length=2000)),
                ('written_at', models.DateTimeField()),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='notes', to='affiliates.affiliate')),
                ('author', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='AffiliateTransfer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.UUIDField(unique=True)),
                ('reason', models.CharField(max_length=255)),
                ('given', models.JSONField(help_text='How many of what, and how much money.')),
                ('at', models.DateTimeField()),
                ('seal', models.CharField(db_default='', default='', editable=False, max_length=64)),
                ('actor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('source', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='transfers_away', to='affiliates.affiliate')),
                ('target', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='transfers_here', to='affiliates.affiliate')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.AddField(
            model_name='affiliategroup',
            name='brand',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='groups', to='affiliates.brand'),
        ),
        migrations.AddField(
            model_name='affiliate',
            name='brand',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='affiliates', to='affiliates.brand'),
        ),
        migrations.CreateModel(
            name='Commission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('currency', models.CharField(max_length=3)),
                ('amount', models.BigIntegerField()),
                ('status', models.CharField(choices=[('pending', 'Pending'), ('matured', 'Waiting for approval'), ('held', 'Held'), ('approved', 'Approved'), ('rejected', 'Rejected'), ('paid', 'Paid'), ('reversed', 'Reversed')], max_length=20)),
                ('reason', models.CharField(max_length=20)),
                ('reason_details', models.JSONField(default=dict)),
                ('earned_at', models.DateTimeField(help_text='When the invoice was paid.')),
                ('matures_at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='commissions', to='affiliates.affiliate')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('share_of', models.OneToOneField(blank=True, help_text='The commission of the recruited affiliate. Empty: for a sale of its own.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='share', to='affiliates.commission')),
            ],
            options={
                'ordering': ['-id'],
                'permissions': [('judge_commission', 'Can approve, hold, release and reject commissions')],
            },
        ),
        migrations.CreateModel(
            name='CommissionEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('before', models.CharField(blank=True, choices=[('pending', 'Pending'), ('matured', 'Waiting for approval'), ('held', 'Held'), ('approved', 'Approved'), ('rejected', 'Rejected'), ('paid', 'Paid'), ('reversed', 'Reversed')], max_length=20)),
                ('after', models.CharField(choices=[('pending', 'Pending'), ('matured', 'Waiting for approval'), ('held', 'Held'), ('approved', 'Approved'), ('rejected', 'Rejected'), ('paid', 'Paid'), ('reversed', 'Reversed')], max_length=20)),
                ('reason', models.CharField(max_length=20)),
                ('reason_details', models.JSONField(default=dict)),
                ('at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('actor', models.ForeignKey(blank=True, help_text='Empty: the program itself.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('commission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to='affiliates.commission')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='CommissionLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField(help_text="Of the invoice's line, from 1.")),
                ('amount', models.BigIntegerField()),
                ('receipt', models.JSONField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('commission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='affiliates.commission')),
            ],
            options={
                'ordering': ['position'],
            },
        ),
        migrations.CreateModel(
            name='CommissionPlan',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
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
                ('cap_period', models.CharField(choices=[('none', 'No cap'), ('month', 'In a calendar month'), ('year', 'In a calendar year'), ('lifetime', 'In all')], default='none', max_length=20)),
                ('cap_amounts', models.JSONField(blank=True, default=dict, help_text='The most an affiliate earns in a period: EUR 500, USD 550.')),
                ('joining_bonus', models.JSONField(blank=True, db_default={}, default=dict, help_text='Once for each affiliate, with the first commission that is approved, in its currency: EUR 10, USD 11.')),
                ('recruiter_percent', models.DecimalField(db_default=0, decimal_places=3, default=0, help_text='Of what affiliates on this plan earn, for their recruiter, beside it. 0: nothing.', max_digits=6, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100)], verbose_name='share of recruiters, in percent')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='plans', to='affiliates.brand')),
            ],
            options={
                'ordering': ['brand', 'name'],
            },
        ),
        migrations.AddField(
            model_name='affiliategroup',
            name='plan',
            field=models.ForeignKey(blank=True, help_text="Empty: the brand's default plan.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='groups', to='affiliates.commissionplan'),
        ),
        migrations.AddField(
            model_name='affiliate',
            name='plan',
            field=models.ForeignKey(blank=True, help_text="Empty: the group's plan, or the brand's default plan.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='affiliates', to='affiliates.commissionplan'),
        ),
        migrations.CreateModel(
            name='CommissionPlanVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('terms', models.JSONField()),
                ('digest', models.CharField(max_length=64)),
                ('effective_from', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('plan', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='affiliates.commissionplan')),
            ],
            options={
                'verbose_name': 'plan version',
                'ordering': ['plan', '-number'],
            },
        ),
        migrations.AddField(
            model_name='commission',
            name='plan_version',
            field=models.ForeignKey(blank=True, help_text='Empty: the affiliate was on no plan.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.commissionplanversion'),
        ),
        migrations.CreateModel(
            name='CouponCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(help_text='As the client types it; upper and lower case are one.', max_length=64, validators=[django.core.validators.RegexValidator('^\\S+\\Z', 'A coupon code has no spaces.')])),
                ('is_active', models.BooleanField(default=True, help_text='An inactive coupon credits nobody.', verbose_name='active')),
                ('percent', models.DecimalField(blank=True, decimal_places=3, help_text='Empty: what the plan says.', max_digits=6, null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100)], verbose_name='own rate in percent')),
                ('affiliate_funds_percent', models.DecimalField(decimal_places=3, default=Decimal('0'), help_text='Taken from the commission, which never falls below zero.', max_digits=6, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100)], verbose_name='affiliate pays of the discount, in percent')),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='coupons', to='affiliates.affiliate')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
            ],
            options={
                'verbose_name': 'coupon code',
                'ordering': ['brand', 'code'],
            },
        ),
        migrations.CreateModel(
            name='CouponCodeVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('terms', models.JSONField()),
                ('digest', models.CharField(max_length=64)),
                ('effective_from', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.affiliate')),
                ('coupon', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='versions', to='affiliates.couponcode')),
            ],
            options={
                'verbose_name': 'coupon code version',
                'ordering': ['coupon', '-number'],
            },
        ),
        migrations.CreateModel(
            name='Creative',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='For affiliates to find it by.', max_length=100)),
                ('text', models.CharField(help_text='What the link says; of an image, what it shows, for those who cannot see it.', max_length=500)),
                ('image', models.CharField(blank=True, editable=False, max_length=100)),
                ('width', models.PositiveIntegerField(editable=False, null=True)),
                ('height', models.PositiveIntegerField(editable=False, null=True)),
                ('is_active', models.BooleanField(default=True, help_text='Affiliates find an active one; sites go on showing any.', verbose_name='active')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='creatives', to='affiliates.brand')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('operation', models.CharField(choices=[('click', 'Click'), ('sale', 'Sale'), ('lead', 'Lead'), ('reversal', 'Reversal'), ('restoration', 'Restoration'), ('lookup', 'Look-up'), ('probe', 'Connection test'), ('event', 'Event')], max_length=20)),
                ('key', models.CharField(max_length=100)),
                ('visitor_ref', models.CharField(blank=True, max_length=128, verbose_name='visitor or subject')),
                ('order_ref', models.CharField(blank=True, max_length=64, verbose_name='invoice')),
                ('payload', models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ('state', models.CharField(choices=[('waiting', 'Waiting to be sent'), ('sending', 'Being sent'), ('retry', 'Will be sent again'), ('unclear', 'Sent; whether it arrived is not known'), ('sent', 'Sent'), ('failed', 'Failed'), ('given_up', 'Given up'), ('not_sent', 'Not sent')], default='waiting', max_length=20)),
                ('attempt_count', models.PositiveIntegerField(default=0, verbose_name='attempts')),
                ('next_at', models.DateTimeField(blank=True, null=True, verbose_name='next attempt')),
                ('outcome', models.CharField(blank=True, choices=[('ok', 'Accepted'), ('duplicate', 'Known to the provider already'), ('not_found', 'Not found at the provider'), ('retry', 'Not accepted yet: will be sent again'), ('busy', 'Not accepted yet: the provider says when to send it again'), ('ambiguous', 'Sent, but nobody can say whether it was accepted'), ('config', 'The integration must be put right'), ('rejected', 'Refused by the provider for good'), ('gone', 'The receiver wants nothing any more')], max_length=20, verbose_name='last outcome')),
                ('detail', models.CharField(blank=True, max_length=500, verbose_name='reason')),
                ('remote_ref', models.CharField(blank=True, max_length=255, verbose_name="provider's reference")),
                ('created_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('brand', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='DeliveryAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('operation', models.CharField(choices=[('click', 'Click'), ('sale', 'Sale'), ('lead', 'Lead'), ('reversal', 'Reversal'), ('restoration', 'Restoration'), ('lookup', 'Look-up'), ('probe', 'Connection test'), ('event', 'Event')], max_length=20)),
                ('started_at', models.DateTimeField()),
                ('duration_ms', models.PositiveIntegerField()),
                ('status_code', models.PositiveSmallIntegerField(blank=True, null=True)),
                ('outcome', models.CharField(choices=[('ok', 'Accepted'), ('duplicate', 'Known to the provider already'), ('not_found', 'Not found at the provider'), ('retry', 'Not accepted yet: will be sent again'), ('busy', 'Not accepted yet: the provider says when to send it again'), ('ambiguous', 'Sent, but nobody can say whether it was accepted'), ('config', 'The integration must be put right'), ('rejected', 'Refused by the provider for good'), ('gone', 'The receiver wants nothing any more')], max_length=20)),
                ('detail', models.CharField(blank=True, max_length=500)),
                ('delivery', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='attempts', to='affiliates.delivery')),
            ],
            options={
                'ordering': ['number'],
            },
        ),
        migrations.CreateModel(
            name='Email',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=100)),
                ('kind', models.CharField(blank=True, choices=[('applied', 'Application received'), ('approved', 'Application approved'), ('declined', 'Application declined'), ('first_referral', 'First referral'), ('sale', 'Sale'), ('commission_approved', 'Commission approved'), ('reversal', 'Reversal'), ('restoration', 'Restoration'), ('payout_requested', 'Payout requested'), ('paid', 'Payout paid'), ('payout_rejected', 'Payout rejected'), ('destination_changed', 'Destination changed'), ('credentials_changed', 'Credentials changed'), ('transferred', 'Transferred'), ('claim_answered', 'Claim answered'), ('monthly_summary', 'Monthly summary'), ('staff_application', 'To staff: application'), ('staff_payout', 'To staff: payout request'), ('staff_claim', 'To staff: missing sale'), ('staff_integration', 'To staff: integration down')], db_default='', max_length=40)),
                ('values', models.JSONField(null=True)),
                ('message_id', models.CharField(max_length=255, verbose_name='Message-ID')),
                ('recipient', models.EmailField(blank=True, max_length=254)),
                ('subject', models.CharField(blank=True, max_length=255)),
                ('text', models.TextField(blank=True)),
                ('html', models.TextField(blank=True)),
                ('link', models.TextField(blank=True, db_default='', default='', editable=False, help_text='Encrypted: the address that HIDDEN_LINK stands for in the text.')),
                ('state', models.CharField(choices=[('waiting', 'Waiting to be sent'), ('sending', 'Being sent'), ('retry', 'Will be sent again'), ('unclear', 'Sent; whether it arrived is not known'), ('sent', 'Sent'), ('failed', 'Failed'), ('given_up', 'Given up'), ('not_sent', 'Not sent')], default='waiting', max_length=20)),
                ('attempt_count', models.PositiveIntegerField(default=0, verbose_name='attempts')),
                ('next_at', models.DateTimeField(blank=True, null=True, verbose_name='next attempt')),
                ('detail', models.CharField(blank=True, max_length=500, verbose_name='reason')),
                ('created_at', models.DateTimeField()),
                ('queued_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('affiliate', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='emails', to='affiliates.affiliate')),
                ('brand', models.ForeignKey(db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
            ],
            options={
                'verbose_name': 'e-mail',
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='EmailChoice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('applied', 'Application received'), ('approved', 'Application approved'), ('declined', 'Application declined'), ('first_referral', 'First referral'), ('sale', 'Sale'), ('commission_approved', 'Commission approved'), ('reversal', 'Reversal'), ('restoration', 'Restoration'), ('payout_requested', 'Payout requested'), ('paid', 'Payout paid'), ('payout_rejected', 'Payout rejected'), ('destination_changed', 'Destination changed'), ('credentials_changed', 'Credentials changed'), ('transferred', 'Transferred'), ('claim_answered', 'Claim answered'), ('monthly_summary', 'Monthly summary'), ('staff_application', 'To staff: application'), ('staff_payout', 'To staff: payout request'), ('staff_claim', 'To staff: missing sale'), ('staff_integration', 'To staff: integration down')], max_length=40)),
                ('is_wanted', models.BooleanField()),
                ('changed_at', models.DateTimeField()),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='email_choices', to='affiliates.affiliate')),
            ],
        ),
        migrations.CreateModel(
            name='FraudPolicy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('signal', models.CharField(choices=[('self_referral', 'The affiliate seems to be the client'), ('same_network', 'Orders share a network address'), ('disposable_email', "The client's e-mail address is a throw-away"), ('velocity', 'Unusually many orders in a short time'), ('fast_order', 'The order came within seconds of the click'), ('bot_share', "Most of the affiliate's clicks are not made by people"), ('paid_ads', 'The click came from paid advertising the plan forbids')], max_length=30)),
                ('action', models.CharField(choices=[('allow', 'Ignore'), ('flag', 'Flag for staff, pay as usual'), ('hold', 'Hold until staff decide'), ('decline', 'Reject the commission')], max_length=20)),
                ('threshold', models.PositiveIntegerField(blank=True, help_text='Clients, orders, seconds or percent, as the signal counts. Empty: the default.', null=True)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='fraud_policies', to='affiliates.brand')),
            ],
            options={
                'verbose_name_plural': 'fraud policies',
                'ordering': ['brand', 'signal'],
            },
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
                ('failing_since', models.DateTimeField(blank=True, null=True)),
                ('last_failure', models.CharField(blank=True, max_length=500)),
            ],
            options={
                'base_manager_name': 'of_all',
            },
            managers=[
                ('objects', django.db.models.manager.Manager()),
                ('of_all', django.db.models.manager.Manager()),
            ],
        ),
        migrations.AddField(
            model_name='trackingintegration',
            name='affiliate',
            field=models.OneToOneField(blank=True, editable=False, help_text="Whose own webhook it is. Empty: the brand's.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='webhook', to='affiliates.affiliate'),
        ),
        migrations.AddField(
            model_name='trackingintegration',
            name='brand',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='integrations', to='affiliates.brand'),
        ),
        migrations.AddField(
            model_name='delivery',
            name='integration',
            field=models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='deliveries', to='affiliates.trackingintegration'),
        ),
        migrations.CreateModel(
            name='ClientReferral',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_visitor_id', models.CharField(blank=True, max_length=128)),
                ('external_affiliate', models.CharField(blank=True, max_length=255)),
                ('external_click_id', models.UUIDField(blank=True, null=True)),
                ('external_touched_at', models.DateTimeField(blank=True, null=True)),
                ('external_ip', models.CharField(blank=True, max_length=43)),
                ('external_user_agent', models.CharField(blank=True, max_length=512)),
                ('click_id', models.UUIDField(blank=True, null=True)),
                ('visitor_id', models.UUIDField()),
                ('touched_at', models.DateTimeField(blank=True, null=True, verbose_name='click time')),
                ('bound_at', models.DateTimeField()),
                ('step', models.CharField(choices=[('register', 'Registration'), ('guest', 'Guest registration'), ('complete', 'Completion of a guest registration'), ('import', 'Import from another system')], max_length=20)),
                ('seal', models.CharField(db_default='', default='', editable=False, max_length=64)),
                ('affiliate', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='client_referrals', to='affiliates.affiliate')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='affiliates.brand')),
                ('client', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='client_referral', to=settings.AUTH_USER_MODEL)),
                ('integration', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.trackingintegration')),
            ],
            options={
                'ordering': ['-bound_at'],
            },
        ),
        migrations.CreateModel(
            name='Click',
            fields=[
                ('id', models.UUIDField(default=affiliates.core.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('created_at', models.DateTimeField()),
                ('external_affiliate', models.CharField(blank=True, max_length=255, verbose_name="integration's affiliate")),
                ('visitor_id', models.UUIDField()),
                ('source', models.CharField(choices=[('path', 'Link path'), ('parameter', 'Link parameter'), ('code', 'Affiliate code'), ('integration', "Tracking integration's parameter")], max_length=20)),
                ('affiliate_status', models.CharField(blank=True, choices=[('pending', 'Pending'), ('active', 'Active'), ('suspended', 'Suspended')], help_text="The affiliate's status at the moment of the visit.", max_length=20)),
                ('own_program', models.BooleanField(help_text="Whether the brand's own program was on at the moment of the visit.")),
                ('is_repeat', models.BooleanField()),
                ('bot_signs', models.CharField(blank=True, max_length=100)),
                ('visit_url', models.CharField(max_length=2048)),
                ('referrer_url', models.CharField(blank=True, max_length=2048)),
                ('user_agent', models.CharField(blank=True, max_length=512)),
                ('ip_prefix', models.CharField(blank=True, max_length=43, verbose_name='IP prefix')),
                ('redirect_reason', models.CharField(max_length=40)),
                ('refused_redirect', models.CharField(blank=True, max_length=512)),
                ('sub_id', models.CharField(blank=True, db_default='', default='', help_text='What the affiliate added to the link as sub or sub1.', max_length=100, verbose_name='sub-id')),
                ('more_sub_ids', models.CharField(blank=True, db_default='', default='', max_length=400, verbose_name='further sub-ids')),
                ('country', models.CharField(blank=True, db_default='', default='', help_text="Of the visitor's address, where a GeoIP file is configured.", max_length=2)),
                ('affiliate', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, to='affiliates.affiliate')),
                ('brand', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, to='affiliates.brand')),
                ('link', models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, to='affiliates.affiliatelink')),
                ('integration', models.ForeignKey(db_constraint=False, db_index=False, help_text='The tracking integration that recognised the visit.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.trackingintegration')),
            ],
            options={
                'ordering': ['-created_at'],
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
            name='InvoicePayment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('invoice_ref', models.CharField(max_length=64, verbose_name='invoice')),
                ('order_ref', models.CharField(max_length=64, verbose_name='order')),
                ('payment_ref', models.CharField(max_length=64, verbose_name='payment')),
                ('gross_currency', djmoney.models.fields.CurrencyField(choices=[('XUA', 'ADB Unit of Account'), ('AFN', 'Afghan Afghani'), ('AFA', 'Afghan Afghani (1927–2002)'), ('ALL', 'Albanian Lek'), ('ALK', 'Albanian Lek (1946–1965)'), ('DZD', 'Algerian Dinar'), ('ADP', 'Andorran Peseta'), ('AOA', 'Angolan Kwanza'), ('AOK', 'Angolan Kwanza (1977–1991)'), ('AON', 'Angolan New Kwanza (1990–2000)'), ('AOR', 'Angolan Readjusted Kwanza (1995–1999)'), ('ARA', 'Argentine Austral'), ('ARS', 'Argentine Peso'), ('ARM', 'Argentine Peso (1881–1970)'), ('ARP', 'Argentine Peso (1983–1985)'), ('ARL', 'Argentine Peso Ley (1970–1983)'), ('AMD', 'Armenian Dram'), ('AWG', 'Aruban Florin'), ('AUD', 'Australian Dollar'), ('ATS', 'Austrian Schilling'), ('AZN', 'Azerbaijani Manat'), ('AZM', 'Azerbaijani Manat (1993–2006)'), ('BSD', 'Bahamian Dollar'), ('BHD', 'Bahraini Dinar'), ('BDT', 'Bangladeshi Taka'), ('BBD', 'Barbadian Dollar'), ('BYN', 'Belarusian Ruble'), ('BYB', 'Belarusian Ruble (1994–1999)'), ('BYR', 'Belarusian Ruble (2000–2016)'), ('BEF', 'Belgian Franc'), ('BEC', 'Belgian Franc (convertible)'), ('BEL', 'Belgian Franc (financial)'), ('BZD', 'Belize Dollar'), ('BMD', 'Bermudan Dollar'), ('BTN', 'Bhutanese Ngultrum'), ('BOB', 'Bolivian Boliviano'), ('BOL', 'Bolivian Boliviano (1863–1963)'), ('BOV', 'Bolivian Mvdol'), ('BOP', 'Bolivian Peso'), ('VED', 'Bolívar Soberano'), ('BAM', 'Bosnia-Herzegovina Convertible Mark'), ('BAD', 'Bosnia-Herzegovina Dinar (1992–1994)'), ('BAN', 'Bosnia-Herzegovina New Dinar (1994–1997)'), ('BWP', 'Botswanan Pula'), ('BRC', 'Brazilian Cruzado (1986–1989)'), ('BRZ', 'Brazilian Cruzeiro (1942–1967)'), ('BRE', 'Brazilian Cruzeiro (1990–1993)'), ('BRR', 'Brazilian Cruzeiro (1993–1994)'), ('BRN', 'Brazilian New Cruzado (1989–1990)'), ('BRB', 'Brazilian New Cruzeiro (1967–1986)'), ('BRL', 'Brazilian Real'), ('GBP', 'British Pound'), ('BND', 'Brunei Dollar'), ('BGL', 'Bulgarian Hard Lev'), ('BGN', 'Bulgarian Lev'), ('BGO', 'Bulgarian Lev (1879–1952)'), ('BGM', 'Bulgarian Socialist Lev'), ('BUK', 'Burmese Kyat'), ('BIF', 'Burundian Franc'), ('XPF', 'CFP Franc'), ('KHR', 'Cambodian Riel'), ('CAD', 'Canadian Dollar'), ('CVE', 'Cape Verdean Escudo'), ('KYD', 'Cayman Islands Dollar'), ('XAF', 'Central African CFA Franc'), ('CLE', 'Chilean Escudo'), ('CLP', 'Chilean Peso'), ('CLF', 'Chilean Unit of Account (UF)'), ('CNX', 'Chinese People’s Bank Dollar'), ('CNY', 'Chinese Yuan'), ('CNH', 'Chinese Yuan (offshore)'), ('COP', 'Colombian Peso'), ('COU', 'Colombian Real Value Unit'), ('KMF', 'Comorian Franc'), ('CDF', 'Congolese Franc'), ('CRC', 'Costa Rican Colón'), ('HRD', 'Croatian Dinar'), ('HRK', 'Croatian Kuna'), ('CUC', 'Cuban Convertible Peso'), ('CUP', 'Cuban Peso'), ('CYP', 'Cypriot Pound'), ('CZK', 'Czech Koruna'), ('CSK', 'Czechoslovak Hard Koruna'), ('DKK', 'Danish Krone'), ('DJF', 'Djiboutian Franc'), ('DOP', 'Dominican Peso'), ('NLG', 'Dutch Guilder'), ('XCD', 'East Caribbean Dollar'), ('DDM', 'East German Mark'), ('ECS', 'Ecuadorian Sucre'), ('ECV', 'Ecuadorian Unit of Constant Value'), ('EGP', 'Egyptian Pound'), ('GQE', 'Equatorial Guinean Ekwele'), ('ERN', 'Eritrean Nakfa'), ('EEK', 'Estonian Kroon'), ('ETB', 'Ethiopian Birr'), ('EUR', 'Euro'), ('XBA', 'European Composite Unit'), ('XEU', 'European Currency Unit'), ('XBB', 'European Monetary Unit'), ('XBC', 'European Unit of Account (XBC)'), ('XBD', 'European Unit of Account (XBD)'), ('FKP', 'Falkland Islands Pound'), ('FJD', 'Fijian Dollar'), ('FIM', 'Finnish Markka'), ('FRF', 'French Franc'), ('XFO', 'French Gold Franc'), ('XFU', 'French UIC-Franc'), ('GMD', 'Gambian Dalasi'), ('GEK', 'Georgian Kupon Larit'), ('GEL', 'Georgian Lari'), ('DEM', 'German Mark'), ('GHS', 'Ghanaian Cedi'), ('GHC', 'Ghanaian Cedi (1979–2007)'), ('GIP', 'Gibraltar Pound'), ('XAU', 'Gold'), ('GRD', 'Greek Drachma'), ('GTQ', 'Guatemalan Quetzal'), ('GWP', 'Guinea-Bissau Peso'), ('GNF', 'Guinean Franc'), ('GNS', 'Guinean Syli'), ('GYD', 'Guyanaese Dollar'), ('HTG', 'Haitian Gourde'), ('HNL', 'Honduran Lempira'), ('HKD', 'Hong Kong Dollar'), ('HUF', 'Hungarian Forint'), ('IMP', 'IMP'), ('ISK', 'Icelandic Króna'), ('ISJ', 'Icelandic Króna (1918–1981)'), ('INR', 'Indian Rupee'), ('IDR', 'Indonesian Rupiah'), ('IRR', 'Iranian Rial'), ('IQD', 'Iraqi Dinar'), ('IEP', 'Irish Pound'), ('ILS', 'Israeli New Shekel'), ('ILP', 'Israeli Pound'), ('ILR', 'Israeli Shekel (1980–1985)'), ('ITL', 'Italian Lira'), ('JMD', 'Jamaican Dollar'), ('JPY', 'Japanese Yen'), ('JOD', 'Jordanian Dinar'), ('KZT', 'Kazakhstani Tenge'), ('KES', 'Kenyan Shilling'), ('KWD', 'Kuwaiti Dinar'), ('KGS', 'Kyrgystani Som'), ('LAK', 'Laotian Kip'), ('LVL', 'Latvian Lats'), ('LVR', 'Latvian Ruble'), ('LBP', 'Lebanese Pound'), ('LSL', 'Lesotho Loti'), ('LRD', 'Liberian Dollar'), ('LYD', 'Libyan Dinar'), ('LTL', 'Lithuanian Litas'), ('LTT', 'Lithuanian Talonas'), ('LUL', 'Luxembourg Financial Franc'), ('LUC', 'Luxembourgian Convertible Franc'), ('LUF', 'Luxembourgian Franc'), ('MOP', 'Macanese Pataca'), ('MKD', 'Macedonian Denar'), ('MKN', 'Macedonian Denar (1992–1993)'), ('MGA', 'Malagasy Ariary'), ('MGF', 'Malagasy Franc'), ('MWK', 'Malawian Kwacha'), ('MYR', 'Malaysian Ringgit'), ('MVR', 'Maldivian Rufiyaa'), ('MVP', 'Maldivian Rupee (1947–1981)'), ('MLF', 'Malian Franc'), ('MTL', 'Maltese Lira'), ('MTP', 'Maltese Pound'), ('MRU', 'Mauritanian Ouguiya'), ('MRO', 'Mauritanian Ouguiya (1973–2017)'), ('MUR', 'Mauritian Rupee'), ('MXV', 'Mexican Investment Unit'), ('MXN', 'Mexican Peso'), ('MXP', 'Mexican Silver Peso (1861–1992)'), ('MDC', 'Moldovan Cupon'), ('MDL', 'Moldovan Leu'), ('MCF', 'Monegasque Franc'), ('MNT', 'Mongolian Tugrik'), ('MAD', 'Moroccan Dirham'), ('MAF', 'Moroccan Franc'), ('MZE', 'Mozambican Escudo'), ('MZN', 'Mozambican Metical'), ('MZM', 'Mozambican Metical (1980–2006)'), ('MMK', 'Myanmar Kyat'), ('NAD', 'Namibian Dollar'), ('NPR', 'Nepalese Rupee'), ('ANG', 'Netherlands Antillean Guilder'), ('TWD', 'New Taiwan Dollar'), ('NZD', 'New Zealand Dollar'), ('NIO', 'Nicaraguan Córdoba'), ('NIC', 'Nicaraguan Córdoba (1988–1991)'), ('NGN', 'Nigerian Naira'), ('KPW', 'North Korean Won'), ('NOK', 'Norwegian Krone'), ('OMR', 'Omani Rial'), ('PKR', 'Pakistani Rupee'), ('XPD', 'Palladium'), ('PAB', 'Panamanian Balboa'), ('PGK', 'Papua New Guinean Kina'), ('PYG', 'Paraguayan Guarani'), ('PEI', 'Peruvian Inti'), ('PEN', 'Peruvian Sol'), ('PES', 'Peruvian Sol (1863–1965)'), ('PHP', 'Philippine Peso'), ('XPT', 'Platinum'), ('PLN', 'Polish Zloty'), ('PLZ', 'Polish Zloty (1950–1995)'), ('PTE', 'Portuguese Escudo'), ('GWE', 'Portuguese Guinea Escudo'), ('QAR', 'Qatari Riyal'), ('XRE', 'RINET Funds'), ('RHD', 'Rhodesian Dollar'), ('RON', 'Romanian Leu'), ('ROL', 'Romanian Leu (1952–2006)'), ('RUB', 'Russian Ruble'), ('RUR', 'Russian Ruble (1991–1998)'), ('RWF', 'Rwandan Franc'), ('SVC', 'Salvadoran Colón'), ('WST', 'Samoan Tala'), ('SAR', 'Saudi Riyal'), ('RSD', 'Serbian Dinar'), ('CSD', 'Serbian Dinar (2002–2006)'), ('SCR', 'Seychellois Rupee'), ('SLE', 'Sierra Leonean Leone'), ('SLL', 'Sierra Leonean Leone (1964—2022)'), ('XAG', 'Silver'), ('SGD', 'Singapore Dollar'), ('SKK', 'Slovak Koruna'), ('SIT', 'Slovenian Tolar'), ('SBD', 'Solomon Islands Dollar'), ('SOS', 'Somali Shilling'), ('ZAR', 'South African Rand'), ('ZAL', 'South African Rand (financial)'), ('KRH', 'South Korean Hwan (1953–1962)'), ('KRW', 'South Korean Won'), ('KRO', 'South Korean Won (1945–1953)'), ('SSP', 'South Sudanese Pound'), ('SUR', 'Soviet Rouble'), ('ESP', 'Spanish Peseta'), ('ESA', 'Spanish Peseta (A account)'), ('ESB', 'Spanish Peseta (convertible account)'), ('XDR', 'Special Drawing Rights'), ('LKR', 'Sri Lankan Rupee'), ('SHP', 'St. Helena Pound'), ('XSU', 'Sucre'), ('SDD', 'Sudanese Dinar (1992–2007)'), ('SDG', 'Sudanese Pound'), ('SDP', 'Sudanese Pound (1957–1998)'), ('SRD', 'Surinamese Dollar'), ('SRG', 'Surinamese Guilder'), ('SZL', 'Swazi Lilangeni'), ('SEK', 'Swedish Krona'), ('CHF', 'Swiss Franc'), ('SYP', 'Syrian Pound'), ('STN', 'São Tomé & Príncipe Dobra'), ('STD', 'São Tomé & Príncipe Dobra (1977–2017)'), ('TVD', 'TVD'), ('TJR', 'Tajikistani Ruble'), ('TJS', 'Tajikistani Somoni'), ('TZS', 'Tanzanian Shilling'), ('XTS', 'Testing Currency Code'), ('THB', 'Thai Baht'), ('TPE', 'Timorese Escudo'), ('TOP', 'Tongan Paʻanga'), ('TTD', 'Trinidad & Tobago Dollar'), ('TND', 'Tunisian Dinar'), ('TRY', 'Turkish Lira'), ('TRL', 'Turkish Lira (1922–2005)'), ('TMT', 'Turkmenistani Manat'), ('TMM', 'Turkmenistani Manat (1993–2009)'), ('USD', 'US Dollar'), ('USN', 'US Dollar (Next day)'), ('USS', 'US Dollar (Same day)'), ('UGX', 'Ugandan Shilling'), ('UGS', 'Ugandan Shilling (1966–1987)'), ('UAH', 'Ukrainian Hryvnia'), ('UAK', 'Ukrainian Karbovanets'), ('AED', 'United Arab Emirates Dirham'), ('UYW', 'Uruguayan Nominal Wage Index Unit'), ('UYU', 'Uruguayan Peso'), ('UYP', 'Uruguayan Peso (1975–1993)'), ('UYI', 'Uruguayan Peso (Indexed Units)'), ('UZS', 'Uzbekistani Som'), ('VUV', 'Vanuatu Vatu'), ('VES', 'Venezuelan Bolívar'), ('VEB', 'Venezuelan Bolívar (1871–2008)'), ('VEF', 'Venezuelan Bolívar (2008–2018)'), ('VND', 'Vietnamese Dong'), ('VNN', 'Vietnamese Dong (1978–1985)'), ('CHE', 'WIR Euro'), ('CHW', 'WIR Franc'), ('XOF', 'West African CFA Franc'), ('YDD', 'Yemeni Dinar'), ('YER', 'Yemeni Rial'), ('YUN', 'Yugoslavian Convertible Dinar (1990–1992)'), ('YUD', 'Yugoslavian Hard Dinar (1966–1990)'), ('YUM', 'Yugoslavian New Dinar (1994–2002)'), ('YUR', 'Yugoslavian Reformed Dinar (1992–1993)'), ('ZWN', 'ZWN'), ('ZRN', 'Zairean New Zaire (1993–1998)'), ('ZRZ', 'Zairean Zaire (1971–1993)'), ('ZMW', 'Zambian Kwacha'), ('ZMK', 'Zambian Kwacha (1968–2012)'), ('ZWD', 'Zimbabwean Dollar (1980–2008)'), ('ZWR', 'Zimbabwean Dollar (2008)'), ('ZWL', 'Zimbabwean Dollar (2009–2024)')], default=None, editable=False, max_length=3)),
                ('gross', djmoney.models.fields.MoneyField(decimal_places=3, max_digits=15)),
                ('lines', models.JSONField(encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ('renewal_number', models.PositiveIntegerField(default=0, verbose_name='renewal')),
                ('position', models.PositiveIntegerField(blank=True, help_text='As the host states it. Empty: it says nothing.', null=True)),
                ('paid_at', models.DateTimeField()),
                ('received_at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
            ],
            options={
                'ordering': ['-paid_at'],
            },
        ),
        migrations.CreateModel(
            name='InvoiceRefund',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('invoice_ref', models.CharField(max_length=64, verbose_name='invoice')),
                ('refund_ref', models.CharField(max_length=64, verbose_name='refund')),
                ('kind', models.CharField(choices=[('refund', 'Refund'), ('chargeback', 'Chargeback')], max_length=20)),
                ('gross_currency', djmoney.models.fields.CurrencyField(choices=[('XUA', 'ADB Unit of Account'), ('AFN', 'Afghan Afghani'), ('AFA', 'Afghan Afghani (1927–2002)'), ('ALL', 'Albanian Lek'), ('ALK', 'Albanian Lek (1946–1965)'), ('DZD', 'Algerian Dinar'), ('ADP', 'Andorran Peseta'), ('AOA', 'Angolan Kwanza'), ('AOK', 'Angolan Kwanza (1977–1991)'), ('AON', 'Angolan New Kwanza (1990–2000)'), ('AOR', 'Angolan Readjusted Kwanza (1995–1999)'), ('ARA', 'Argentine Austral'), ('ARS', 'Argentine Peso'), ('ARM', 'Argentine Peso (1881–1970)'), ('ARP', 'Argentine Peso (1983–1985)'), ('ARL', 'Argentine Peso Ley (1970–1983)'), ('AMD', 'Armenian Dram'), ('AWG', 'Aruban Florin'), ('AUD', 'Australian Dollar'), ('ATS', 'Austrian Schilling'), ('AZN', 'Azerbaijani Manat'), ('AZM', 'Azerbaijani Manat (1993–2006)'), ('BSD', 'Bahamian Dollar'), ('BHD', 'Bahraini Dinar'), ('BDT', 'Bangladeshi Taka'), ('BBD', 'Barbadian Dollar'), ('BYN', 'Belarusian Ruble'), ('BYB', 'Belarusian Ruble (1994–1999)'), ('BYR', 'Belarusian Ruble (2000–2016)'), ('BEF', 'Belgian Franc'), ('BEC', 'Belgian Franc (convertible)'), ('BEL', 'Belgian Franc (financial)'), ('BZD', 'Belize Dollar'), ('BMD', 'Bermudan Dollar'), ('BTN', 'Bhutanese Ngultrum'), ('BOB', 'Bolivian Boliviano'), ('BOL', 'Bolivian Boliviano (1863–1963)'), ('BOV', 'Bolivian Mvdol'), ('BOP', 'Bolivian Peso'), ('VED', 'Bolívar Soberano'), ('BAM', 'Bosnia-Herzegovina Convertible Mark'), ('BAD', 'Bosnia-Herzegovina Dinar (1992–1994)'), ('BAN', 'Bosnia-Herzegovina New Dinar (1994–1997)'), ('BWP', 'Botswanan Pula'), ('BRC', 'Brazilian Cruzado (1986–1989)'), ('BRZ', 'Brazilian Cruzeiro (1942–1967)'), ('BRE', 'Brazilian Cruzeiro (1990–1993)'), ('BRR', 'Brazilian Cruzeiro (1993–1994)'), ('BRN', 'Brazilian New Cruzado (1989–1990)'), ('BRB', 'Brazilian New Cruzeiro (1967–1986)'), ('BRL', 'Brazilian Real'), ('GBP', 'British Pound'), ('BND', 'Brunei Dollar'), ('BGL', 'Bulgarian Hard Lev'), ('BGN', 'Bulgarian Lev'), ('BGO', 'Bulgarian Lev (1879–1952)'), ('BGM', 'Bulgarian Socialist Lev'), ('BUK', 'Burmese Kyat'), ('BIF', 'Burundian Franc'), ('XPF', 'CFP Franc'), ('KHR', 'Cambodian Riel'), ('CAD', 'Canadian Dollar'), ('CVE', 'Cape Verdean Escudo'), ('KYD', 'Cayman Islands Dollar'), ('XAF', 'Central African CFA Franc'), ('CLE', 'Chilean Escudo'), ('CLP', 'Chilean Peso'), ('CLF', 'Chilean Unit of Account (UF)'), ('CNX', 'Chinese People’s Bank Dollar'), ('CNY', 'Chinese Yuan'), ('CNH', 'Chinese Yuan (offshore)'), ('COP', 'Colombian Peso'), ('COU', 'Colombian Real Value Unit'), ('KMF', 'Comorian Franc'), ('CDF', 'Congolese Franc'), ('CRC', 'Costa Rican Colón'), ('HRD', 'Croatian Dinar'), ('HRK', 'Croatian Kuna'), ('CUC', 'Cuban Convertible Peso'), ('CUP', 'Cuban Peso'), ('CYP', 'Cypriot Pound'), ('CZK', 'Czech Koruna'), ('CSK', 'Czechoslovak Hard Koruna'), ('DKK', 'Danish Krone'), ('DJF', 'Djiboutian Franc'), ('DOP', 'Dominican Peso'), ('NLG', 'Dutch Guilder'), ('XCD', 'East Caribbean Dollar'), ('DDM', 'East German Mark'), ('ECS', 'Ecuadorian Sucre'), ('ECV', 'Ecuadorian Unit of Constant Value'), ('EGP', 'Egyptian Pound'), ('GQE', 'Equatorial Guinean Ekwele'), ('ERN', 'Eritrean Nakfa'), ('EEK', 'Estonian Kroon'), ('ETB', 'Ethiopian Birr'), ('EUR', 'Euro'), ('XBA', 'European Composite Unit'), ('XEU', 'European Currency Unit'), ('XBB', 'European Monetary Unit'), ('XBC', 'European Unit of Account (XBC)'), ('XBD', 'European Unit of Account (XBD)'), ('FKP', 'Falkland Islands Pound'), ('FJD', 'Fijian Dollar'), ('FIM', 'Finnish Markka'), ('FRF', 'French Franc'), ('XFO', 'French Gold Franc'), ('XFU', 'French UIC-Franc'), ('GMD', 'Gambian Dalasi'), ('GEK', 'Georgian Kupon Larit'), ('GEL', 'Georgian Lari'), ('DEM', 'German Mark'), ('GHS', 'Ghanaian Cedi'), ('GHC', 'Ghanaian Cedi (1979–2007)'), ('GIP', 'Gibraltar Pound'), ('XAU', 'Gold'), ('GRD', 'Greek Drachma'), ('GTQ', 'Guatemalan Quetzal'), ('GWP', 'Guinea-Bissau Peso'), ('GNF', 'Guinean Franc'), ('GNS', 'Guinean Syli'), ('GYD', 'Guyanaese Dollar'), ('HTG', 'Haitian Gourde'), ('HNL', 'Honduran Lempira'), ('HKD', 'Hong Kong Dollar'), ('HUF', 'Hungarian Forint'), ('IMP', 'IMP'), ('ISK', 'Icelandic Króna'), ('ISJ', 'Icelandic Króna (1918–1981)'), ('INR', 'Indian Rupee'), ('IDR', 'Indonesian Rupiah'), ('IRR', 'Iranian Rial'), ('IQD', 'Iraqi Dinar'), ('IEP', 'Irish Pound'), ('ILS', 'Israeli New Shekel'), ('ILP', 'Israeli Pound'), ('ILR', 'Israeli Shekel (1980–1985)'), ('ITL', 'Italian Lira'), ('JMD', 'Jamaican Dollar'), ('JPY', 'Japanese Yen'), ('JOD', 'Jordanian Dinar'), ('KZT', 'Kazakhstani Tenge'), ('KES', 'Kenyan Shilling'), ('KWD', 'Kuwaiti Dinar'), ('KGS', 'Kyrgystani Som'), ('LAK', 'Laotian Kip'), ('LVL', 'Latvian Lats'), ('LVR', 'Latvian Ruble'), ('LBP', 'Lebanese Pound'), ('LSL', 'Lesotho Loti'), ('LRD', 'Liberian Dollar'), ('LYD', 'Libyan Dinar'), ('LTL', 'Lithuanian Litas'), ('LTT', 'Lithuanian Talonas'), ('LUL', 'Luxembourg Financial Franc'), ('LUC', 'Luxembourgian Convertible Franc'), ('LUF', 'Luxembourgian Franc'), ('MOP', 'Macanese Pataca'), ('MKD', 'Macedonian Denar'), ('MKN', 'Macedonian Denar (1992–1993)'), ('MGA', 'Malagasy Ariary'), ('MGF', 'Malagasy Franc'), ('MWK', 'Malawian Kwacha'), ('MYR', 'Malaysian Ringgit'), ('MVR', 'Maldivian Rufiyaa'), ('MVP', 'Maldivian Rupee (1947–1981)'), ('MLF', 'Malian Franc'), ('MTL', 'Maltese Lira'), ('MTP', 'Maltese Pound'), ('MRU', 'Mauritanian Ouguiya'), ('MRO', 'Mauritanian Ouguiya (1973–2017)'), ('MUR', 'Mauritian Rupee'), ('MXV', 'Mexican Investment Unit'), ('MXN', 'Mexican Peso'), ('MXP', 'Mexican Silver Peso (1861–1992)'), ('MDC', 'Moldovan Cupon'), ('MDL', 'Moldovan Leu'), ('MCF', 'Monegasque Franc'), ('MNT', 'Mongolian Tugrik'), ('MAD', 'Moroccan Dirham'), ('MAF', 'Moroccan Franc'), ('MZE', 'Mozambican Escudo'), ('MZN', 'Mozambican Metical'), ('MZM', 'Mozambican Metical (1980–2006)'), ('MMK', 'Myanmar Kyat'), ('NAD', 'Namibian Dollar'), ('NPR', 'Nepalese Rupee'), ('ANG', 'Netherlands Antillean Guilder'), ('TWD', 'New Taiwan Dollar'), ('NZD', 'New Zealand Dollar'), ('NIO', 'Nicaraguan Córdoba'), ('NIC', 'Nicaraguan Córdoba (1988–1991)'), ('NGN', 'Nigerian Naira'), ('KPW', 'North Korean Won'), ('NOK', 'Norwegian Krone'), ('OMR', 'Omani Rial'), ('PKR', 'Pakistani Rupee'), ('XPD', 'Palladium'), ('PAB', 'Panamanian Balboa'), ('PGK', 'Papua New Guinean Kina'), ('PYG', 'Paraguayan Guarani'), ('PEI', 'Peruvian Inti'), ('PEN', 'Peruvian Sol'), ('PES', 'Peruvian Sol (1863–1965)'), ('PHP', 'Philippine Peso'), ('XPT', 'Platinum'), ('PLN', 'Polish Zloty'), ('PLZ', 'Polish Zloty (1950–1995)'), ('PTE', 'Portuguese Escudo'), ('GWE', 'Portuguese Guinea Escudo'), ('QAR', 'Qatari Riyal'), ('XRE', 'RINET Funds'), ('RHD', 'Rhodesian Dollar'), ('RON', 'Romanian Leu'), ('ROL', 'Romanian Leu (1952–2006)'), ('RUB', 'Russian Ruble'), ('RUR', 'Russian Ruble (1991–1998)'), ('RWF', 'Rwandan Franc'), ('SVC', 'Salvadoran Colón'), ('WST', 'Samoan Tala'), ('SAR', 'Saudi Riyal'), ('RSD', 'Serbian Dinar'), ('CSD', 'Serbian Dinar (2002–2006)'), ('SCR', 'Seychellois Rupee'), ('SLE', 'Sierra Leonean Leone'), ('SLL', 'Sierra Leonean Leone (1964—2022)'), ('XAG', 'Silver'), ('SGD', 'Singapore Dollar'), ('SKK', 'Slovak Koruna'), ('SIT', 'Slovenian Tolar'), ('SBD', 'Solomon Islands Dollar'), ('SOS', 'Somali Shilling'), ('ZAR', 'South African Rand'), ('ZAL', 'South African Rand (financial)'), ('KRH', 'South Korean Hwan (1953–1962)'), ('KRW', 'South Korean Won'), ('KRO', 'South Korean Won (1945–1953)'), ('SSP', 'South Sudanese Pound'), ('SUR', 'Soviet Rouble'), ('ESP', 'Spanish Peseta'), ('ESA', 'Spanish Peseta (A account)'), ('ESB', 'Spanish Peseta (convertible account)'), ('XDR', 'Special Drawing Rights'), ('LKR', 'Sri Lankan Rupee'), ('SHP', 'St. Helena Pound'), ('XSU', 'Sucre'), ('SDD', 'Sudanese Dinar (1992–2007)'), ('SDG', 'Sudanese Pound'), ('SDP', 'Sudanese Pound (1957–1998)'), ('SRD', 'Surinamese Dollar'), ('SRG', 'Surinamese Guilder'), ('SZL', 'Swazi Lilangeni'), ('SEK', 'Swedish Krona'), ('CHF', 'Swiss Franc'), ('SYP', 'Syrian Pound'), ('STN', 'São Tomé & Príncipe Dobra'), ('STD', 'São Tomé & Príncipe Dobra (1977–2017)'), ('TVD', 'TVD'), ('TJR', 'Tajikistani Ruble'), ('TJS', 'Tajikistani Somoni'), ('TZS', 'Tanzanian Shilling'), ('XTS', 'Testing Currency Code'), ('THB', 'Thai Baht'), ('TPE', 'Timorese Escudo'), ('TOP', 'Tongan Paʻanga'), ('TTD', 'Trinidad & Tobago Dollar'), ('TND', 'Tunisian Dinar'), ('TRY', 'Turkish Lira'), ('TRL', 'Turkish Lira (1922–2005)'), ('TMT', 'Turkmenistani Manat'), ('TMM', 'Turkmenistani Manat (1993–2009)'), ('USD', 'US Dollar'), ('USN', 'US Dollar (Next day)'), ('USS', 'US Dollar (Same day)'), ('UGX', 'Ugandan Shilling'), ('UGS', 'Ugandan Shilling (1966–1987)'), ('UAH', 'Ukrainian Hryvnia'), ('UAK', 'Ukrainian Karbovanets'), ('AED', 'United Arab Emirates Dirham'), ('UYW', 'Uruguayan Nominal Wage Index Unit'), ('UYU', 'Uruguayan Peso'), ('UYP', 'Uruguayan Peso (1975–1993)'), ('UYI', 'Uruguayan Peso (Indexed Units)'), ('UZS', 'Uzbekistani Som'), ('VUV', 'Vanuatu Vatu'), ('VES', 'Venezuelan Bolívar'), ('VEB', 'Venezuelan Bolívar (1871–2008)'), ('VEF', 'Venezuelan Bolívar (2008–2018)'), ('VND', 'Vietnamese Dong'), ('VNN', 'Vietnamese Dong (1978–1985)'), ('CHE', 'WIR Euro'), ('CHW', 'WIR Franc'), ('XOF', 'West African CFA Franc'), ('YDD', 'Yemeni Dinar'), ('YER', 'Yemeni Rial'), ('YUN', 'Yugoslavian Convertible Dinar (1990–1992)'), ('YUD', 'Yugoslavian Hard Dinar (1966–1990)'), ('YUM', 'Yugoslavian New Dinar (1994–2002)'), ('YUR', 'Yugoslavian Reformed Dinar (1992–1993)'), ('ZWN', 'ZWN'), ('ZRN', 'Zairean New Zaire (1993–1998)'), ('ZRZ', 'Zairean Zaire (1971–1993)'), ('ZMW', 'Zambian Kwacha'), ('ZMK', 'Zambian Kwacha (1968–2012)'), ('ZWD', 'Zimbabwean Dollar (1980–2008)'), ('ZWR', 'Zimbabwean Dollar (2008)'), ('ZWL', 'Zimbabwean Dollar (2009–2024)')], default=None, editable=False, max_length=3)),
                ('gross', djmoney.models.fields.MoneyField(decimal_places=3, max_digits=15)),
                ('refunded_at', models.DateTimeField()),
                ('received_at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
            ],
            options={
                'ordering': ['-refunded_at'],
            },
        ),
        migrations.CreateModel(
            name='LedgerPosting',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('earned', 'Commission earned'), ('held', 'Commission held'), ('released', 'Commission released'), ('approved', 'Commission approved'), ('rejected', 'Commission rejected'), ('reversed', 'Commission reversed'), ('restored', 'Commission restored'), ('payout_requested', 'Payout requested'), ('payout_paid', 'Payout paid'), ('payout_rejected', 'Payout rejected'), ('bonus', 'Bonus'), ('bonus_held', 'Bonus, held'), ('bonus_released', 'Held bonus released'), ('bonus_withdrawn', 'Held bonus withdrawn'), ('deduction', 'Deduction'), ('payout_returned', 'Payout returned')], max_length=30)),
                ('key', models.CharField(max_length=150, unique=True)),
                ('posted_at', models.DateTimeField()),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('commission', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='postings', to='affiliates.commission')),
            ],
            options={
                'verbose_name': 'ledger posting',
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='LedgerEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('account', models.CharField(choices=[('expense', 'Program expense'), ('pending', 'Pending'), ('held', 'Held'), ('payable', 'Payable'), ('clearing', 'Being paid out'), ('paid_out', 'Paid out')], max_length=20)),
                ('currency', models.CharField(max_length=3)),
                ('amount', models.BigIntegerField()),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.affiliate')),
                ('posting', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='affiliates.ledgerposting')),
            ],
            options={
                'verbose_name_plural': 'ledger entries',
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Adjustment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('bonus', 'Bonus'), ('bonus_held', 'Bonus, held'), ('bonus_released', 'Held bonus released'), ('bonus_withdrawn', 'Held bonus withdrawn'), ('deduction', 'Deduction')], max_length=30)),
                ('currency', models.CharField(max_length=3)),
                ('amount', models.BigIntegerField()),
                ('reason', models.CharField(max_length=255)),
                ('key', models.CharField(max_length=139, unique=True)),
                ('at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('actor', models.ForeignKey(blank=True, help_text='Empty: the program itself.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('ends', models.OneToOneField(blank=True, help_text='The held bonus that this released or withdrew.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='end', to='affiliates.adjustment')),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='adjustments', to='affiliates.affiliate')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('posting', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='adjustment', to='affiliates.ledgerposting')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='OrderReferral',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_visitor_id', models.CharField(blank=True, max_length=128)),
                ('external_affiliate', models.CharField(blank=True, max_length=255)),
                ('external_click_id', models.UUIDField(blank=True, null=True)),
                ('external_touched_at', models.DateTimeField(blank=True, null=True)),
                ('external_ip', models.CharField(blank=True, max_length=43)),
                ('external_user_agent', models.CharField(blank=True, max_length=512)),
                ('order_ref', models.CharField(max_length=64, verbose_name='order')),
                ('invoice_ref', models.CharField(max_length=64, verbose_name='initial invoice')),
                ('referral_cookie', models.TextField(blank=True, help_text='The valid cookie sent with the conversion, still sealed.')),
                ('outcome', models.CharField(choices=[('credited', 'Credited'), ('held', 'Held for review'), ('third_party', 'Credited through the tracking integration'), ('nobody', 'Nobody credited')], max_length=20)),
                ('reason', models.CharField(choices=[('last_click', 'The last click inside the window wins.'), ('first_click', 'The first click inside the window wins.'), ('self_referral', "The affiliate is the client or shares the client's e-mail address."), ('no_touch', 'No affiliate is known to have sent this client.'), ('no_eligible_touch', 'Affiliates sent this client, but no click of theirs may be credited.'), ('existing_client', 'The client had paid an earlier order, and existing clients earn nothing.'), ('program_off', "The brand's own affiliate program is off."), ('third_party_only', "The tracking integration's affiliate sent this client, and no affiliate of the brand's own may be credited."), ('third_party_later', "The tracking integration's click was later than the own affiliate's, and the brand credits the one that sent the client last."), ('third_party_policy', "The tracking integration and an own affiliate both sent this client, and the brand's policy prefers the integration."), ('coupon', "The order names the affiliate's coupon code."), ('staff', 'Staff decided whom the order goes to.')], max_length=40)),
                ('click_id', models.UUIDField(blank=True, null=True)),
                ('touched_at', models.DateTimeField(blank=True, null=True, verbose_name='click time')),
                ('coupon_code', models.CharField(blank=True, max_length=64)),
                ('ip_prefix', models.CharField(blank=True, help_text="Of the conversion's request.", max_length=43, verbose_name='network')),
                ('converted_at', models.DateTimeField()),
                ('decision', models.JSONField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('affiliate', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='order_referrals', to='affiliates.affiliate')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to='affiliates.brand')),
                ('client', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('integration', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.trackingintegration')),
                ('policy_version', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.attributionpolicyversion')),
            ],
            options={
                'ordering': ['-converted_at'],
                'permissions': [('assign_orderreferral', 'Can assign orders to affiliates')],
            },
        ),
        migrations.CreateModel(
            name='OrderCandidate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('affiliate', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.affiliate')),
                ('referral', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.orderreferral')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='DecisionOverride',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=255)),
                ('replaced', models.JSONField(help_text='The decision before.')),
                ('at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('affiliate', models.ForeignKey(blank=True, help_text='Empty: nobody.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.affiliate')),
                ('referral', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='overrides', to='affiliates.orderreferral')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='Payout',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('currency', models.CharField(max_length=3)),
                ('amount', models.BigIntegerField()),
                ('status', models.CharField(choices=[('requested', 'Requested'), ('approved', 'Approved'), ('exported', 'Being paid'), ('paid', 'Paid'), ('rejected', 'Rejected'), ('returned', 'Returned')], max_length=20)),
                ('reason', models.CharField(blank=True, max_length=255)),
                ('remote_ref', models.CharField(blank=True, help_text="The bank's, PayPal's or the wallet's own.", max_length=140, verbose_name='reference')),
                ('is_for_two', models.BooleanField(default=False, help_text='As it was at the approval.', verbose_name='second person needed')),
                ('requested_at', models.DateTimeField()),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('stated_as', models.CharField(blank=True, db_default='', default='', editable=False, max_length=80)),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payouts', to='affiliates.affiliate')),
                ('approved_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('prepared_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'permissions': [('approve_payout', 'Can approve and reject payouts'), ('confirm_payout', 'Can export payouts and confirm money')],
            },
        ),
        migrations.AddField(
            model_name='ledgerposting',
            name='payout',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='postings', to='affiliates.payout'),
        ),
        migrations.AddField(
            model_name='commission',
            name='payout',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='commissions', to='affiliates.payout'),
        ),
        migrations.CreateModel(
            name='PayoutBatch',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('wallet', 'Account credit'), ('paypal', 'PayPal'), ('bank', 'Bank transfer (SEPA)'), ('offline', 'By agreement')], max_length=20)),
                ('currency', models.CharField(max_length=3)),
                ('content', models.TextField(editable=False, help_text='The file, encrypted: it names accounts.')),
                ('exported_at', models.DateTimeField()),
                ('digest', models.CharField(blank=True, db_default='', default='', help_text='Of the file as it is downloaded.', max_length=64, verbose_name='SHA-256')),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('exported_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'payout batches',
                'ordering': ['-id'],
            },
        ),
        migrations.AddField(
            model_name='payout',
            name='batch',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='payouts', to='affiliates.payoutbatch'),
        ),
        migrations.CreateModel(
            name='PayoutDestination',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('wallet', 'Account credit'), ('paypal', 'PayPal'), ('bank', 'Bank transfer (SEPA)'), ('offline', 'By agreement')], max_length=20)),
                ('details', models.TextField(editable=False, help_text='Encrypted: account holder, IBAN, e-mail address.')),
                ('hint', models.CharField(blank=True, help_text='What people may see of the details.', max_length=64)),
                ('fingerprint', models.CharField(blank=True, editable=False, help_text='The same for the same account, for finding it twice.', max_length=64)),
                ('usable_from', models.DateTimeField()),
                ('created_at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='destinations', to='affiliates.affiliate')),
                ('entered_by', models.ForeignKey(blank=True, help_text='Empty: the affiliate itself.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.AddField(
            model_name='payout',
            name='destination',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.payoutdestination'),
        ),
        migrations.CreateModel(
            name='PayoutEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('before', models.CharField(blank=True, choices=[('requested', 'Requested'), ('approved', 'Approved'), ('exported', 'Being paid'), ('paid', 'Paid'), ('rejected', 'Rejected'), ('returned', 'Returned')], max_length=20)),
                ('after', models.CharField(choices=[('requested', 'Requested'), ('approved', 'Approved'), ('exported', 'Being paid'), ('paid', 'Paid'), ('rejected', 'Rejected'), ('returned', 'Returned')], max_length=20)),
                ('reason', models.CharField(blank=True, max_length=255)),
                ('at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('actor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('payout', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to='affiliates.payout')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='PayoutTerms',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pays_wallet', models.BooleanField(default=True, help_text='Where the portal keeps one.', verbose_name='account credit')),
                ('pays_paypal', models.BooleanField(default=True, verbose_name='PayPal')),
                ('pays_bank', models.BooleanField(default=True, verbose_name='bank transfer (SEPA, EUR)')),
                ('pays_offline', models.BooleanField(default=False, verbose_name='by agreement')),
                ('minimums', models.JSONField(blank=True, default=dict, help_text='In minor units by currency. Others: 50 units.')),
                ('cool_off_days', models.PositiveSmallIntegerField(default=7, help_text='A changed destination is not paid to before so many days.', validators=[django.core.validators.MaxValueValidator(90)])),
                ('debtor_name', models.CharField(blank=True, help_text='Whose account bank transfers are paid from.', max_length=70, verbose_name='account owner')),
                ('debtor_iban', models.CharField(blank=True, max_length=34, verbose_name='IBAN')),
                ('debtor_bic', models.CharField(blank=True, max_length=11, verbose_name='BIC')),
                ('first_run_on', models.DateField(blank=True, help_text="A payout run is drafted on this day of the brand's time zone and on the same day of each month from then on. Empty: only by hand.", null=True, verbose_name='first run')),
                ('runs_approve_themselves', models.BooleanField(db_default=False, default=False, help_text="On: a scheduled run's files are made at once.", verbose_name='runs approve themselves')),
                ('needs_second_person', models.BooleanField(db_default=False, default=False, help_text='On: a second person approves payouts, who did not start or prepare them and is not paid by them. It takes two persons to switch it off.')),
                ('numbering', models.CharField(choices=[('brand', 'One series for the brand'), ('affiliate', 'A series for each affiliate')], db_default='brand', default='brand', max_length=20, verbose_name='numbers of statements')),
                ('number_prefix', models.CharField(blank=True, db_default='', default='', help_text='Such as SB-2026-. What stands before the number.', max_length=20)),
                ('issuer', models.CharField(blank=True, db_default='', default='', help_text='Your name, address and VAT number, as statements have them.', max_length=500, verbose_name='issued by')),
                ('tax_note', models.CharField(blank=True, db_default='', default='', help_text='Such as: Self-billing. Reverse charge.', max_length=255)),
                ('seal', models.CharField(db_default='', default='', editable=False, max_length=64)),
                ('brand', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='payout_terms', to='affiliates.brand')),
                ('single_person_asked_by', models.ForeignKey(blank=True, editable=False, help_text='Somebody else agrees by switching it off too.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='asked to do without a second person')),
            ],
            options={
                'verbose_name': 'payout terms',
                'verbose_name_plural': 'payout terms',
            },
        ),
        migrations.CreateModel(
            name='PlanRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('product_ref', models.CharField(blank=True, max_length=64, verbose_name='product')),
                ('kind', models.CharField(blank=True, help_text='hosting, domain, addon, setup or upgrade.', max_length=20)),
                ('tld', models.CharField(blank=True, help_text='Of a domain: com, co.uk.', max_length=63, verbose_name='TLD')),
                ('operation', models.CharField(blank=True, help_text='Of a domain: register, transfer or renew.', max_length=20)),
                ('billing_cycle', models.CharField(blank=True, choices=[('one_time', 'One time'), ('monthly', 'Monthly'), ('quarterly', 'Quarterly'), ('semi_annually', 'Every six months'), ('annually', 'Yearly'), ('biennially', 'Every two years'), ('triennially', 'Every three years')], max_length=20)),
                ('applies_to', models.CharField(choices=[('all', 'New orders and renewals'), ('new', 'New orders only'), ('renewal', 'Renewals only')], default='all', max_length=20)),
                ('rate_kind', models.CharField(choices=[('percent', 'Percent of the base'), ('fixed', 'Fixed amount for each unit'), ('none', 'Nothing')], default='percent', max_length=20, verbose_name='rate')),
                ('percent', models.DecimalField(decimal_places=3, default=Decimal('0'), max_digits=6, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(100)])),
                ('fixed_amounts', models.JSONField(blank=True, default=dict, help_text='One for each currency: EUR 5.00, USD 6.00.')),
                ('recurrence', models.CharField(choices=[('once', 'None: the order only'), ('renewals', 'The first renewals'), ('months', 'Renewals within some months'), ('always', 'Every renewal')], default='always', max_length=20)),
                ('recurrence_limit', models.PositiveSmallIntegerField(blank=True, help_text='How many renewals, or months since the order, still earn.', null=True, verbose_name='renewals or months')),
                ('tiers', models.JSONField(blank=True, db_default=[], default=list, help_text='Other rates for who sells more: sales 10 12.5, sales 50 15 is 12.5 % from 10 sales on. By revenue: EUR 1000 12.5, EUR 5000 15.')),
                ('tier_period', models.CharField(choices=[('month', 'In the calendar month'), ('always', 'For all time')], db_default='month', default='month', max_length=20, verbose_name='sales count')),
                ('affiliate', models.ForeignKey(blank=True, help_text='Empty: every affiliate on this plan.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.affiliate')),
                ('plan', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rules', to='affiliates.commissionplan')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='RefundCancellation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('refund_ref', models.CharField(max_length=64, verbose_name='refund')),
                ('cancellation_ref', models.CharField(max_length=64, verbose_name='cancellation')),
                ('gross_currency', djmoney.models.fields.CurrencyField(choices=[('XUA', 'ADB Unit of Account'), ('AFN', 'Afghan Afghani'), ('AFA', 'Afghan Afghani (1927–2002)'), ('ALL', 'Albanian Lek'), ('ALK', 'Albanian Lek (1946–1965)'), ('DZD', 'Algerian Dinar'), ('ADP', 'Andorran Peseta'), ('AOA', 'Angolan Kwanza'), ('AOK', 'Angolan Kwanza (1977–1991)'), ('AON', 'Angolan New Kwanza (1990–2000)'), ('AOR', 'Angolan Readjusted Kwanza (1995–1999)'), ('ARA', 'Argentine Austral'), ('ARS', 'Argentine Peso'), ('ARM', 'Argentine Peso (1881–1970)'), ('ARP', 'Argentine Peso (1983–1985)'), ('ARL', 'Argentine Peso Ley (1970–1983)'), ('AMD', 'Armenian Dram'), ('AWG', 'Aruban Florin'), ('AUD', 'Australian Dollar'), ('ATS', 'Austrian Schilling'), ('AZN', 'Azerbaijani Manat'), ('AZM', 'Azerbaijani Manat (1993–2006)'), ('BSD', 'Bahamian Dollar'), ('BHD', 'Bahraini Dinar'), ('BDT', 'Bangladeshi Taka'), ('BBD', 'Barbadian Dollar'), ('BYN', 'Belarusian Ruble'), ('BYB', 'Belarusian Ruble (1994–1999)'), ('BYR', 'Belarusian Ruble (2000–2016)'), ('BEF', 'Belgian Franc'), ('BEC', 'Belgian Franc (convertible)'), ('BEL', 'Belgian Franc (financial)'), ('BZD', 'Belize Dollar'), ('BMD', 'Bermudan Dollar'), ('BTN', 'Bhutanese Ngultrum'), ('BOB', 'Bolivian Boliviano'), ('BOL', 'Bolivian Boliviano (1863–1963)'), ('BOV', 'Bolivian Mvdol'), ('BOP', 'Bolivian Peso'), ('VED', 'Bolívar Soberano'), ('BAM', 'Bosnia-Herzegovina Convertible Mark'), ('BAD', 'Bosnia-Herzegovina Dinar (1992–1994)'), ('BAN', 'Bosnia-Herzegovina New Dinar (1994–1997)'), ('BWP', 'Botswanan Pula'), ('BRC', 'Brazilian Cruzado (1986–1989)'), ('BRZ', 'Brazilian Cruzeiro (1942–1967)'), ('BRE', 'Brazilian Cruzeiro (1990–1993)'), ('BRR', 'Brazilian Cruzeiro (1993–1994)'), ('BRN', 'Brazilian New Cruzado (1989–1990)'), ('BRB', 'Brazilian New Cruzeiro (1967–1986)'), ('BRL', 'Brazilian Real'), ('GBP', 'British Pound'), ('BND', 'Brunei Dollar'), ('BGL', 'Bulgarian Hard Lev'), ('BGN', 'Bulgarian Lev'), ('BGO', 'Bulgarian Lev (1879–1952)'), ('BGM', 'Bulgarian Socialist Lev'), ('BUK', 'Burmese Kyat'), ('BIF', 'Burundian Franc'), ('XPF', 'CFP Franc'), ('KHR', 'Cambodian Riel'), ('CAD', 'Canadian Dollar'), ('CVE', 'Cape Verdean Escudo'), ('KYD', 'Cayman Islands Dollar'), ('XAF', 'Central African CFA Franc'), ('CLE', 'Chilean Escudo'), ('CLP', 'Chilean Peso'), ('CLF', 'Chilean Unit of Account (UF)'), ('CNX', 'Chinese People’s Bank Dollar'), ('CNY', 'Chinese Yuan'), ('CNH', 'Chinese Yuan (offshore)'), ('COP', 'Colombian Peso'), ('COU', 'Colombian Real Value Unit'), ('KMF', 'Comorian Franc'), ('CDF', 'Congolese Franc'), ('CRC', 'Costa Rican Colón'), ('HRD', 'Croatian Dinar'), ('HRK', 'Croatian Kuna'), ('CUC', 'Cuban Convertible Peso'), ('CUP', 'Cuban Peso'), ('CYP', 'Cypriot Pound'), ('CZK', 'Czech Koruna'), ('CSK', 'Czechoslovak Hard Koruna'), ('DKK', 'Danish Krone'), ('DJF', 'Djiboutian Franc'), ('DOP', 'Dominican Peso'), ('NLG', 'Dutch Guilder'), ('XCD', 'East Caribbean Dollar'), ('DDM', 'East German Mark'), ('ECS', 'Ecuadorian Sucre'), ('ECV', 'Ecuadorian Unit of Constant Value'), ('EGP', 'Egyptian Pound'), ('GQE', 'Equatorial Guinean Ekwele'), ('ERN', 'Eritrean Nakfa'), ('EEK', 'Estonian Kroon'), ('ETB', 'Ethiopian Birr'), ('EUR', 'Euro'), ('XBA', 'European Composite Unit'), ('XEU', 'European Currency Unit'), ('XBB', 'European Monetary Unit'), ('XBC', 'European Unit of Account (XBC)'), ('XBD', 'European Unit of Account (XBD)'), ('FKP', 'Falkland Islands Pound'), ('FJD', 'Fijian Dollar'), ('FIM', 'Finnish Markka'), ('FRF', 'French Franc'), ('XFO', 'French Gold Franc'), ('XFU', 'French UIC-Franc'), ('GMD', 'Gambian Dalasi'), ('GEK', 'Georgian Kupon Larit'), ('GEL', 'Georgian Lari'), ('DEM', 'German Mark'), ('GHS', 'Ghanaian Cedi'), ('GHC', 'Ghanaian Cedi (1979–2007)'), ('GIP', 'Gibraltar Pound'), ('XAU', 'Gold'), ('GRD', 'Greek Drachma'), ('GTQ', 'Guatemalan Quetzal'), ('GWP', 'Guinea-Bissau Peso'), ('GNF', 'Guinean Franc'), ('GNS', 'Guinean Syli'), ('GYD', 'Guyanaese Dollar'), ('HTG', 'Haitian Gourde'), ('HNL', 'Honduran Lempira'), ('HKD', 'Hong Kong Dollar'), ('HUF', 'Hungarian Forint'), ('IMP', 'IMP'), ('ISK', 'Icelandic Króna'), ('ISJ', 'Icelandic Króna (1918–1981)'), ('INR', 'Indian Rupee'), ('IDR', 'Indonesian Rupiah'), ('IRR', 'Iranian Rial'), ('IQD', 'Iraqi Dinar'), ('IEP', 'Irish Pound'), ('ILS', 'Israeli New Shekel'), ('ILP', 'Israeli Pound'), ('ILR', 'Israeli Shekel (1980–1985)'), ('ITL', 'Italian Lira'), ('JMD', 'Jamaican Dollar'), ('JPY', 'Japanese Yen'), ('JOD', 'Jordanian Dinar'), ('KZT', 'Kazakhstani Tenge'), ('KES', 'Kenyan Shilling'), ('KWD', 'Kuwaiti Dinar'), ('KGS', 'Kyrgystani Som'), ('LAK', 'Laotian Kip'), ('LVL', 'Latvian Lats'), ('LVR', 'Latvian Ruble'), ('LBP', 'Lebanese Pound'), ('LSL', 'Lesotho Loti'), ('LRD', 'Liberian Dollar'), ('LYD', 'Libyan Dinar'), ('LTL', 'Lithuanian Litas'), ('LTT', 'Lithuanian Talonas'), ('LUL', 'Luxembourg Financial Franc'), ('LUC', 'Luxembourgian Convertible Franc'), ('LUF', 'Luxembourgian Franc'), ('MOP', 'Macanese Pataca'), ('MKD', 'Macedonian Denar'), ('MKN', 'Macedonian Denar (1992–1993)'), ('MGA', 'Malagasy Ariary'), ('MGF', 'Malagasy Franc'), ('MWK', 'Malawian Kwacha'), ('MYR', 'Malaysian Ringgit'), ('MVR', 'Maldivian Rufiyaa'), ('MVP', 'Maldivian Rupee (1947–1981)'), ('MLF', 'Malian Franc'), ('MTL', 'Maltese Lira'), ('MTP', 'Maltese Pound'), ('MRU', 'Mauritanian Ouguiya'), ('MRO', 'Mauritanian Ouguiya (1973–2017)'), ('MUR', 'Mauritian Rupee'), ('MXV', 'Mexican Investment Unit'), ('MXN', 'Mexican Peso'), ('MXP', 'Mexican Silver Peso (1861–1992)'), ('MDC', 'Moldovan Cupon'), ('MDL', 'Moldovan Leu'), ('MCF', 'Monegasque Franc'), ('MNT', 'Mongolian Tugrik'), ('MAD', 'Moroccan Dirham'), ('MAF', 'Moroccan Franc'), ('MZE', 'Mozambican Escudo'), ('MZN', 'Mozambican Metical'), ('MZM', 'Mozambican Metical (1980–2006)'), ('MMK', 'Myanmar Kyat'), ('NAD', 'Namibian Dollar'), ('NPR', 'Nepalese Rupee'), ('ANG', 'Netherlands Antillean Guilder'), ('TWD', 'New Taiwan Dollar'), ('NZD', 'New Zealand Dollar'), ('NIO', 'Nicaraguan Córdoba'), ('NIC', 'Nicaraguan Córdoba (1988–1991)'), ('NGN', 'Nigerian Naira'), ('KPW', 'North Korean Won'), ('NOK', 'Norwegian Krone'), ('OMR', 'Omani Rial'), ('PKR', 'Pakistani Rupee'), ('XPD', 'Palladium'), ('PAB', 'Panamanian Balboa'), ('PGK', 'Papua New Guinean Kina'), ('PYG', 'Paraguayan Guarani'), ('PEI', 'Peruvian Inti'), ('PEN', 'Peruvian Sol'), ('PES', 'Peruvian Sol (1863–1965)'), ('PHP', 'Philippine Peso'), ('XPT', 'Platinum'), ('PLN', 'Polish Zloty'), ('PLZ', 'Polish Zloty (1950–1995)'), ('PTE', 'Portuguese Escudo'), ('GWE', 'Portuguese Guinea Escudo'), ('QAR', 'Qatari Riyal'), ('XRE', 'RINET Funds'), ('RHD', 'Rhodesian Dollar'), ('RON', 'Romanian Leu'), ('ROL', 'Romanian Leu (1952–2006)'), ('RUB', 'Russian Ruble'), ('RUR', 'Russian Ruble (1991–1998)'), ('RWF', 'Rwandan Franc'), ('SVC', 'Salvadoran Colón'), ('WST', 'Samoan Tala'), ('SAR', 'Saudi Riyal'), ('RSD', 'Serbian Dinar'), ('CSD', 'Serbian Dinar (2002–2006)'), ('SCR', 'Seychellois Rupee'), ('SLE', 'Sierra Leonean Leone'), ('SLL', 'Sierra Leonean Leone (1964—2022)'), ('XAG', 'Silver'), ('SGD', 'Singapore Dollar'), ('SKK', 'Slovak Koruna'), ('SIT', 'Slovenian Tolar'), ('SBD', 'Solomon Islands Dollar'), ('SOS', 'Somali Shilling'), ('ZAR', 'South African Rand'), ('ZAL', 'South African Rand (financial)'), ('KRH', 'South Korean Hwan (1953–1962)'), ('KRW', 'South Korean Won'), ('KRO', 'South Korean Won (1945–1953)'), ('SSP', 'South Sudanese Pound'), ('SUR', 'Soviet Rouble'), ('ESP', 'Spanish Peseta'), ('ESA', 'Spanish Peseta (A account)'), ('ESB', 'Spanish Peseta (convertible account)'), ('XDR', 'Special Drawing Rights'), ('LKR', 'Sri Lankan Rupee'), ('SHP', 'St. Helena Pound'), ('XSU', 'Sucre'), ('SDD', 'Sudanese Dinar (1992–2007)'), ('SDG', 'Sudanese Pound'), ('SDP', 'Sudanese Pound (1957–1998)'), ('SRD', 'Surinamese Dollar'), ('SRG', 'Surinamese Guilder'), ('SZL', 'Swazi Lilangeni'), ('SEK', 'Swedish Krona'), ('CHF', 'Swiss Franc'), ('SYP', 'Syrian Pound'), ('STN', 'São Tomé & Príncipe Dobra'), ('STD', 'São Tomé & Príncipe Dobra (1977–2017)'), ('TVD', 'TVD'), ('TJR', 'Tajikistani Ruble'), ('TJS', 'Tajikistani Somoni'), ('TZS', 'Tanzanian Shilling'), ('XTS', 'Testing Currency Code'), ('THB', 'Thai Baht'), ('TPE', 'Timorese Escudo'), ('TOP', 'Tongan Paʻanga'), ('TTD', 'Trinidad & Tobago Dollar'), ('TND', 'Tunisian Dinar'), ('TRY', 'Turkish Lira'), ('TRL', 'Turkish Lira (1922–2005)'), ('TMT', 'Turkmenistani Manat'), ('TMM', 'Turkmenistani Manat (1993–2009)'), ('USD', 'US Dollar'), ('USN', 'US Dollar (Next day)'), ('USS', 'US Dollar (Same day)'), ('UGX', 'Ugandan Shilling'), ('UGS', 'Ugandan Shilling (1966–1987)'), ('UAH', 'Ukrainian Hryvnia'), ('UAK', 'Ukrainian Karbovanets'), ('AED', 'United Arab Emirates Dirham'), ('UYW', 'Uruguayan Nominal Wage Index Unit'), ('UYU', 'Uruguayan Peso'), ('UYP', 'Uruguayan Peso (1975–1993)'), ('UYI', 'Uruguayan Peso (Indexed Units)'), ('UZS', 'Uzbekistani Som'), ('VUV', 'Vanuatu Vatu'), ('VES', 'Venezuelan Bolívar'), ('VEB', 'Venezuelan Bolívar (1871–2008)'), ('VEF', 'Venezuelan Bolívar (2008–2018)'), ('VND', 'Vietnamese Dong'), ('VNN', 'Vietnamese Dong (1978–1985)'), ('CHE', 'WIR Euro'), ('CHW', 'WIR Franc'), ('XOF', 'West African CFA Franc'), ('YDD', 'Yemeni Dinar'), ('YER', 'Yemeni Rial'), ('YUN', 'Yugoslavian Convertible Dinar (1990–1992)'), ('YUD', 'Yugoslavian Hard Dinar (1966–1990)'), ('YUM', 'Yugoslavian New Dinar (1994–2002)'), ('YUR', 'Yugoslavian Reformed Dinar (1992–1993)'), ('ZWN', 'ZWN'), ('ZRN', 'Zairean New Zaire (1993–1998)'), ('ZRZ', 'Zairean Zaire (1971–1993)'), ('ZMW', 'Zambian Kwacha'), ('ZMK', 'Zambian Kwacha (1968–2012)'), ('ZWD', 'Zimbabwean Dollar (1980–2008)'), ('ZWR', 'Zimbabwean Dollar (2008)'), ('ZWL', 'Zimbabwean Dollar (2009–2024)')], default=None, editable=False, max_length=3, null=True)),
                ('gross', djmoney.models.fields.MoneyField(blank=True, decimal_places=3, help_text='Empty: all that is still refunded.', max_digits=15, null=True)),
                ('cancelled_at', models.DateTimeField()),
                ('received_at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
            ],
            options={
                'verbose_name': 'cancelled refund',
                'ordering': ['-cancelled_at'],
            },
        ),
        migrations.CreateModel(
            name='Sale',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('invoice_ref', models.CharField(max_length=64, verbose_name='invoice')),
                ('renewal_number', models.PositiveIntegerField(default=0, help_text="0: the order's initial invoice.", verbose_name='renewal')),
                ('position', models.PositiveIntegerField(blank=True, help_text='The renewal number less the invoices of nothing known before it. Empty for sales from before positions: the renewal number.', null=True)),
                ('status', models.CharField(choices=[('recorded', 'Recorded'), ('held', 'Held for review')], max_length=20)),
                ('reason', models.CharField(choices=[('credited', "The order's decision credits this affiliate."), ('decision_held', "The order's decision is held for review."), ('affiliate_not_active', 'The affiliate was not active when the invoice was paid.')], max_length=40)),
                ('net_currency', djmoney.models.fields.CurrencyField(choices=[('XUA', 'ADB Unit of Account'), ('AFN', 'Afghan Afghani'), ('AFA', 'Afghan Afghani (1927–2002)'), ('ALL', 'Albanian Lek'), ('ALK', 'Albanian Lek (1946–1965)'), ('DZD', 'Algerian Dinar'), ('ADP', 'Andorran Peseta'), ('AOA', 'Angolan Kwanza'), ('AOK', 'Angolan Kwanza (1977–1991)'), ('AON', 'Angolan New Kwanza (1990–2000)'), ('AOR', 'Angolan Readjusted Kwanza (1995–1999)'), ('ARA', 'Argentine Austral'), ('ARS', 'Argentine Peso'), ('ARM', 'Argentine Peso (1881–1970)'), ('ARP', 'Argentine Peso (1983–1985)'), ('ARL', 'Argentine Peso Ley (1970–1983)'), ('AMD', 'Armenian Dram'), ('AWG', 'Aruban Florin'), ('AUD', 'Australian Dollar'), ('ATS', 'Austrian Schilling'), ('AZN', 'Azerbaijani Manat'), ('AZM', 'Azerbaijani Manat (1993–2006)'), ('BSD', 'Bahamian Dollar'), ('BHD', 'Bahraini Dinar'), ('BDT', 'Bangladeshi Taka'), ('BBD', 'Barbadian Dollar'), ('BYN', 'Belarusian Ruble'), ('BYB', 'Belarusian Ruble (1994–1999)'), ('BYR', 'Belarusian Ruble (2000–2016)'), ('BEF', 'Belgian Franc'), ('BEC', 'Belgian Franc (convertible)'), ('BEL', 'Belgian Franc (financial)'), ('BZD', 'Belize Dollar'), ('BMD', 'Bermudan Dollar'), ('BTN', 'Bhutanese Ngultrum'), ('BOB', 'Bolivian Boliviano'), ('BOL', 'Bolivian Boliviano (1863–1963)'), ('BOV', 'Bolivian Mvdol'), ('BOP', 'Bolivian Peso'), ('VED', 'Bolívar Soberano'), ('BAM', 'Bosnia-Herzegovina Convertible Mark'), ('BAD', 'Bosnia-Herzegovina Dinar (1992–1994)'), ('BAN', 'Bosnia-Herzegovina New Dinar (1994–1997)'), ('BWP', 'Botswanan Pula'), ('BRC', 'Brazilian Cruzado (1986–1989)'), ('BRZ', 'Brazilian Cruzeiro (1942–1967)'), ('BRE', 'Brazilian Cruzeiro (1990–1993)'), ('BRR', 'Brazilian Cruzeiro (1993–1994)'), ('BRN', 'Brazilian New Cruzado (1989–1990)'), ('BRB', 'Brazilian New Cruzeiro (1967–1986)'), ('BRL', 'Brazilian Real'), ('GBP', 'British Pound'), ('BND', 'Brunei Dollar'), ('BGL', 'Bulgarian Hard Lev'), ('BGN', 'Bulgarian Lev'), ('BGO', 'Bulgarian Lev (1879–1952)'), ('BGM', 'Bulgarian Socialist Lev'), ('BUK', 'Burmese Kyat'), ('BIF', 'Burundian Franc'), ('XPF', 'CFP Franc'), ('KHR', 'Cambodian Riel'), ('CAD', 'Canadian Dollar'), ('CVE', 'Cape Verdean Escudo'), ('KYD', 'Cayman Islands Dollar'), ('XAF', 'Central African CFA Franc'), ('CLE', 'Chilean Escudo'), ('CLP', 'Chilean Peso'), ('CLF', 'Chilean Unit of Account (UF)'), ('CNX', 'Chinese People’s Bank Dollar'), ('CNY', 'Chinese Yuan'), ('CNH', 'Chinese Yuan (offshore)'), ('COP', 'Colombian Peso'), ('COU', 'Colombian Real Value Unit'), ('KMF', 'Comorian Franc'), ('CDF', 'Congolese Franc'), ('CRC', 'Costa Rican Colón'), ('HRD', 'Croatian Dinar'), ('HRK', 'Croatian Kuna'), ('CUC', 'Cuban Convertible Peso'), ('CUP', 'Cuban Peso'), ('CYP', 'Cypriot Pound'), ('CZK', 'Czech Koruna'), ('CSK', 'Czechoslovak Hard Koruna'), ('DKK', 'Danish Krone'), ('DJF', 'Djiboutian Franc'), ('DOP', 'Dominican Peso'), ('NLG', 'Dutch Guilder'), ('XCD', 'East Caribbean Dollar'), ('DDM', 'East German Mark'), ('ECS', 'Ecuadorian Sucre'), ('ECV', 'Ecuadorian Unit of Constant Value'), ('EGP', 'Egyptian Pound'), ('GQE', 'Equatorial Guinean Ekwele'), ('ERN', 'Eritrean Nakfa'), ('EEK', 'Estonian Kroon'), ('ETB', 'Ethiopian Birr'), ('EUR', 'Euro'), ('XBA', 'European Composite Unit'), ('XEU', 'European Currency Unit'), ('XBB', 'European Monetary Unit'), ('XBC', 'European Unit of Account (XBC)'), ('XBD', 'European Unit of Account (XBD)'), ('FKP', 'Falkland Islands Pound'), ('FJD', 'Fijian Dollar'), ('FIM', 'Finnish Markka'), ('FRF', 'French Franc'), ('XFO', 'French Gold Franc'), ('XFU', 'French UIC-Franc'), ('GMD', 'Gambian Dalasi'), ('GEK', 'Georgian Kupon Larit'), ('GEL', 'Georgian Lari'), ('DEM', 'German Mark'), ('GHS', 'Ghanaian Cedi'), ('GHC', 'Ghanaian Cedi (1979–2007)'), ('GIP', 'Gibraltar Pound'), ('XAU', 'Gold'), ('GRD', 'Greek Drachma'), ('GTQ', 'Guatemalan Quetzal'), ('GWP', 'Guinea-Bissau Peso'), ('GNF', 'Guinean Franc'), ('GNS', 'Guinean Syli'), ('GYD', 'Guyanaese Dollar'), ('HTG', 'Haitian Gourde'), ('HNL', 'Honduran Lempira'), ('HKD', 'Hong Kong Dollar'), ('HUF', 'Hungarian Forint'), ('IMP', 'IMP'), ('ISK', 'Icelandic Króna'), ('ISJ', 'Icelandic Króna (1918–1981)'), ('INR', 'Indian Rupee'), ('IDR', 'Indonesian Rupiah'), ('IRR', 'Iranian Rial'), ('IQD', 'Iraqi Dinar'), ('IEP', 'Irish Pound'), ('ILS', 'Israeli New Shekel'), ('ILP', 'Israeli Pound'), ('ILR', 'Israeli Shekel (1980–1985)'), ('ITL', 'Italian Lira'), ('JMD', 'Jamaican Dollar'), ('JPY', 'Japanese Yen'), ('JOD', 'Jordanian Dinar'), ('KZT', 'Kazakhstani Tenge'), ('KES', 'Kenyan Shilling'), ('KWD', 'Kuwaiti Dinar'), ('KGS', 'Kyrgystani Som'), ('LAK', 'Laotian Kip'), ('LVL', 'Latvian Lats'), ('LVR', 'Latvian Ruble'), ('LBP', 'Lebanese Pound'), ('LSL', 'Lesotho Loti'), ('LRD', 'Liberian Dollar'), ('LYD', 'Libyan Dinar'), ('LTL', 'Lithuanian Litas'), ('LTT', 'Lithuanian Talonas'), ('LUL', 'Luxembourg Financial Franc'), ('LUC', 'Luxembourgian Convertible Franc'), ('LUF', 'Luxembourgian Franc'), ('MOP', 'Macanese Pataca'), ('MKD', 'Macedonian Denar'), ('MKN', 'Macedonian Denar (1992–1993)'), ('MGA', 'Malagasy Ariary'), ('MGF', 'Malagasy Franc'), ('MWK', 'Malawian Kwacha'), ('MYR', 'Malaysian Ringgit'), ('MVR', 'Maldivian Rufiyaa'), ('MVP', 'Maldivian Rupee (1947–1981)'), ('MLF', 'Malian Franc'), ('MTL', 'Maltese Lira'), ('MTP', 'Maltese Pound'), ('MRU', 'Mauritanian Ouguiya'), ('MRO', 'Mauritanian Ouguiya (1973–2017)'), ('MUR', 'Mauritian Rupee'), ('MXV', 'Mexican Investment Unit'), ('MXN', 'Mexican Peso'), ('MXP', 'Mexican Silver Peso (1861–1992)'), ('MDC', 'Moldovan Cupon'), ('MDL', 'Moldovan Leu'), ('MCF', 'Monegasque Franc'), ('MNT', 'Mongolian Tugrik'), ('MAD', 'Moroccan Dirham'), ('MAF', 'Moroccan Franc'), ('MZE', 'Mozambican Escudo'), ('MZN', 'Mozambican Metical'), ('MZM', 'Mozambican Metical (1980–2006)'), ('MMK', 'Myanmar Kyat'), ('NAD', 'Namibian Dollar'), ('NPR', 'Nepalese Rupee'), ('ANG', 'Netherlands Antillean Guilder'), ('TWD', 'New Taiwan Dollar'), ('NZD', 'New Zealand Dollar'), ('NIO', 'Nicaraguan Córdoba'), ('NIC', 'Nicaraguan Córdoba (1988–1991)'), ('NGN', 'Nigerian Naira'), ('KPW', 'North Korean Won'), ('NOK', 'Norwegian Krone'), ('OMR', 'Omani Rial'), ('PKR', 'Pakistani Rupee'), ('XPD', 'Palladium'), ('PAB', 'Panamanian Balboa'), ('PGK', 'Papua New Guinean Kina'), ('PYG', 'Paraguayan Guarani'), ('PEI', 'Peruvian Inti'), ('PEN', 'Peruvian Sol'), ('PES', 'Peruvian Sol (1863–1965)'), ('PHP', 'Philippine Peso'), ('XPT', 'Platinum'), ('PLN', 'Polish Zloty'), ('PLZ', 'Polish Zloty (1950–1995)'), ('PTE', 'Portuguese Escudo'), ('GWE', 'Portuguese Guinea Escudo'), ('QAR', 'Qatari Riyal'), ('XRE', 'RINET Funds'), ('RHD', 'Rhodesian Dollar'), ('RON', 'Romanian Leu'), ('ROL', 'Romanian Leu (1952–2006)'), ('RUB', 'Russian Ruble'), ('RUR', 'Russian Ruble (1991–1998)'), ('RWF', 'Rwandan Franc'), ('SVC', 'Salvadoran Colón'), ('WST', 'Samoan Tala'), ('SAR', 'Saudi Riyal'), ('RSD', 'Serbian Dinar'), ('CSD', 'Serbian Dinar (2002–2006)'), ('SCR', 'Seychellois Rupee'), ('SLE', 'Sierra Leonean Leone'), ('SLL', 'Sierra Leonean Leone (1964—2022)'), ('XAG', 'Silver'), ('SGD', 'Singapore Dollar'), ('SKK', 'Slovak Koruna'), ('SIT', 'Slovenian Tolar'), ('SBD', 'Solomon Islands Dollar'), ('SOS', 'Somali Shilling'), ('ZAR', 'South African Rand'), ('ZAL', 'South African Rand (financial)'), ('KRH', 'South Korean Hwan (1953–1962)'), ('KRW', 'South Korean Won'), ('KRO', 'South Korean Won (1945–1953)'), ('SSP', 'South Sudanese Pound'), ('SUR', 'Soviet Rouble'), ('ESP', 'Spanish Peseta'), ('ESA', 'Spanish Peseta (A account)'), ('ESB', 'Spanish Peseta (convertible account)'), ('XDR', 'Special Drawing Rights'), ('LKR', 'Sri Lankan Rupee'), ('SHP', 'St. Helena Pound'), ('XSU', 'Sucre'), ('SDD', 'Sudanese Dinar (1992–2007)'), ('SDG', 'Sudanese Pound'), ('SDP', 'Sudanese Pound (1957–1998)'), ('SRD', 'Surinamese Dollar'), ('SRG', 'Surinamese Guilder'), ('SZL', 'Swazi Lilangeni'), ('SEK', 'Swedish Krona'), ('CHF', 'Swiss Franc'), ('SYP', 'Syrian Pound'), ('STN', 'São Tomé & Príncipe Dobra'), ('STD', 'São Tomé & Príncipe Dobra (1977–2017)'), ('TVD', 'TVD'), ('TJR', 'Tajikistani Ruble'), ('TJS', 'Tajikistani Somoni'), ('TZS', 'Tanzanian Shilling'), ('XTS', 'Testing Currency Code'), ('THB', 'Thai Baht'), ('TPE', 'Timorese Escudo'), ('TOP', 'Tongan Paʻanga'), ('TTD', 'Trinidad & Tobago Dollar'), ('TND', 'Tunisian Dinar'), ('TRY', 'Turkish Lira'), ('TRL', 'Turkish Lira (1922–2005)'), ('TMT', 'Turkmenistani Manat'), ('TMM', 'Turkmenistani Manat (1993–2009)'), ('USD', 'US Dollar'), ('USN', 'US Dollar (Next day)'), ('USS', 'US Dollar (Same day)'), ('UGX', 'Ugandan Shilling'), ('UGS', 'Ugandan Shilling (1966–1987)'), ('UAH', 'Ukrainian Hryvnia'), ('UAK', 'Ukrainian Karbovanets'), ('AED', 'United Arab Emirates Dirham'), ('UYW', 'Uruguayan Nominal Wage Index Unit'), ('UYU', 'Uruguayan Peso'), ('UYP', 'Uruguayan Peso (1975–1993)'), ('UYI', 'Uruguayan Peso (Indexed Units)'), ('UZS', 'Uzbekistani Som'), ('VUV', 'Vanuatu Vatu'), ('VES', 'Venezuelan Bolívar'), ('VEB', 'Venezuelan Bolívar (1871–2008)'), ('VEF', 'Venezuelan Bolívar (2008–2018)'), ('VND', 'Vietnamese Dong'), ('VNN', 'Vietnamese Dong (1978–1985)'), ('CHE', 'WIR Euro'), ('CHW', 'WIR Franc'), ('XOF', 'West African CFA Franc'), ('YDD', 'Yemeni Dinar'), ('YER', 'Yemeni Rial'), ('YUN', 'Yugoslavian Convertible Dinar (1990–1992)'), ('YUD', 'Yugoslavian Hard Dinar (1966–1990)'), ('YUM', 'Yugoslavian New Dinar (1994–2002)'), ('YUR', 'Yugoslavian Reformed Dinar (1992–1993)'), ('ZWN', 'ZWN'), ('ZRN', 'Zairean New Zaire (1993–1998)'), ('ZRZ', 'Zairean Zaire (1971–1993)'), ('ZMW', 'Zambian Kwacha'), ('ZMK', 'Zambian Kwacha (1968–2012)'), ('ZWD', 'Zimbabwean Dollar (1980–2008)'), ('ZWR', 'Zimbabwean Dollar (2008)'), ('ZWL', 'Zimbabwean Dollar (2009–2024)')], default=None, editable=False, max_length=3)),
                ('net', djmoney.models.fields.MoneyField(decimal_places=3, help_text='Sum of the lines: after discount, before tax.', max_digits=15)),
                ('paid_at', models.DateTimeField()),
                ('recorded_at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.affiliate')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('order_referral', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='sales', to='affiliates.orderreferral')),
                ('payment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='sale', to='affiliates.invoicepayment')),
            ],
            options={
                'ordering': ['-paid_at'],
            },
        ),
        migrations.CreateModel(
            name='FraudReview',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('action', models.CharField(choices=[('allow', 'Ignore'), ('flag', 'Flag for staff, pay as usual'), ('hold', 'Hold until staff decide'), ('decline', 'Reject the commission')], max_length=20)),
                ('findings', models.JSONField(help_text='Each signal, its action and its evidence.')),
                ('outcome', models.CharField(choices=[('open', 'To be reviewed'), ('released', 'Released'), ('rejected', 'Rejected')], default='open', max_length=20)),
                ('note', models.CharField(blank=True, max_length=255)),
                ('reviewed_at', models.DateTimeField(blank=True, null=True)),
                ('found_at', models.DateTimeField()),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('reviewed_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('sale', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='fraud_review', to='affiliates.sale')),
            ],
            options={
                'ordering': ['-id'],
                'permissions': [('decide_fraudreview', 'Can decide fraud reviews')],
            },
        ),
        migrations.AddField(
            model_name='commission',
            name='sale',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='commissions', to='affiliates.sale'),
        ),
        migrations.CreateModel(
            name='SaleReversal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('net_currency', djmoney.models.fields.CurrencyField(choices=[('XUA', 'ADB Unit of Account'), ('AFN', 'Afghan Afghani'), ('AFA', 'Afghan Afghani (1927–2002)'), ('ALL', 'Albanian Lek'), ('ALK', 'Albanian Lek (1946–1965)'), ('DZD', 'Algerian Dinar'), ('ADP', 'Andorran Peseta'), ('AOA', 'Angolan Kwanza'), ('AOK', 'Angolan Kwanza (1977–1991)'), ('AON', 'Angolan New Kwanza (1990–2000)'), ('AOR', 'Angolan Readjusted Kwanza (1995–1999)'), ('ARA', 'Argentine Austral'), ('ARS', 'Argentine Peso'), ('ARM', 'Argentine Peso (1881–1970)'), ('ARP', 'Argentine Peso (1983–1985)'), ('ARL', 'Argentine Peso Ley (1970–1983)'), ('AMD', 'Armenian Dram'), ('AWG', 'Aruban Florin'), ('AUD', 'Australian Dollar'), ('ATS', 'Austrian Schilling'), ('AZN', 'Azerbaijani Manat'), ('AZM', 'Azerbaijani Manat (1993–2006)'), ('BSD', 'Bahamian Dollar'), ('BHD', 'Bahraini Dinar'), ('BDT', 'Bangladeshi Taka'), ('BBD', 'Barbadian Dollar'), ('BYN', 'Belarusian Ruble'), ('BYB', 'Belarusian Ruble (1994–1999)'), ('BYR', 'Belarusian Ruble (2000–2016)'), ('BEF', 'Belgian Franc'), ('BEC', 'Belgian Franc (convertible)'), ('BEL', 'Belgian Franc (financial)'), ('BZD', 'Belize Dollar'), ('BMD', 'Bermudan Dollar'), ('BTN', 'Bhutanese Ngultrum'), ('BOB', 'Bolivian Boliviano'), ('BOL', 'Bolivian Boliviano (1863–1963)'), ('BOV', 'Bolivian Mvdol'), ('BOP', 'Bolivian Peso'), ('VED', 'Bolívar Soberano'), ('BAM', 'Bosnia-Herzegovina Convertible Mark'), ('BAD', 'Bosnia-Herzegovina Dinar (1992–1994)'), ('BAN', 'Bosnia-Herzegovina New Dinar (1994–1997)'), ('BWP', 'Botswanan Pula'), ('BRC', 'Brazilian Cruzado (1986–1989)'), ('BRZ', 'Brazilian Cruzeiro (1942–1967)'), ('BRE', 'Brazilian Cruzeiro (1990–1993)'), ('BRR', 'Brazilian Cruzeiro (1993–1994)'), ('BRN', 'Brazilian New Cruzado (1989–1990)'), ('BRB', 'Brazilian New Cruzeiro (1967–1986)'), ('BRL', 'Brazilian Real'), ('GBP', 'British Pound'), ('BND', 'Brunei Dollar'), ('BGL', 'Bulgarian Hard Lev'), ('BGN', 'Bulgarian Lev'), ('BGO', 'Bulgarian Lev (1879–1952)'), ('BGM', 'Bulgarian Socialist Lev'), ('BUK', 'Burmese Kyat'), ('BIF', 'Burundian Franc'), ('XPF', 'CFP Franc'), ('KHR', 'Cambodian Riel'), ('CAD', 'Canadian Dollar'), ('CVE', 'Cape Verdean Escudo'), ('KYD', 'Cayman Islands Dollar'), ('XAF', 'Central African CFA Franc'), ('CLE', 'Chilean Escudo'), ('CLP', 'Chilean Peso'), ('CLF', 'Chilean Unit of Account (UF)'), ('CNX', 'Chinese People’s Bank Dollar'), ('CNY', 'Chinese Yuan'), ('CNH', 'Chinese Yuan (offshore)'), ('COP', 'Colombian Peso'), ('COU', 'Colombian Real Value Unit'), ('KMF', 'Comorian Franc'), ('CDF', 'Congolese Franc'), ('CRC', 'Costa Rican Colón'), ('HRD', 'Croatian Dinar'), ('HRK', 'Croatian Kuna'), ('CUC', 'Cuban Convertible Peso'), ('CUP', 'Cuban Peso'), ('CYP', 'Cypriot Pound'), ('CZK', 'Czech Koruna'), ('CSK', 'Czechoslovak Hard Koruna'), ('DKK', 'Danish Krone'), ('DJF', 'Djiboutian Franc'), ('DOP', 'Dominican Peso'), ('NLG', 'Dutch Guilder'), ('XCD', 'East Caribbean Dollar'), ('DDM', 'East German Mark'), ('ECS', 'Ecuadorian Sucre'), ('ECV', 'Ecuadorian Unit of Constant Value'), ('EGP', 'Egyptian Pound'), ('GQE', 'Equatorial Guinean Ekwele'), ('ERN', 'Eritrean Nakfa'), ('EEK', 'Estonian Kroon'), ('ETB', 'Ethiopian Birr'), ('EUR', 'Euro'), ('XBA', 'European Composite Unit'), ('XEU', 'European Currency Unit'), ('XBB', 'European Monetary Unit'), ('XBC', 'European Unit of Account (XBC)'), ('XBD', 'European Unit of Account (XBD)'), ('FKP', 'Falkland Islands Pound'), ('FJD', 'Fijian Dollar'), ('FIM', 'Finnish Markka'), ('FRF', 'French Franc'), ('XFO', 'French Gold Franc'), ('XFU', 'French UIC-Franc'), ('GMD', 'Gambian Dalasi'), ('GEK', 'Georgian Kupon Larit'), ('GEL', 'Georgian Lari'), ('DEM', 'German Mark'), ('GHS', 'Ghanaian Cedi'), ('GHC', 'Ghanaian Cedi (1979–2007)'), ('GIP', 'Gibraltar Pound'), ('XAU', 'Gold'), ('GRD', 'Greek Drachma'), ('GTQ', 'Guatemalan Quetzal'), ('GWP', 'Guinea-Bissau Peso'), ('GNF', 'Guinean Franc'), ('GNS', 'Guinean Syli'), ('GYD', 'Guyanaese Dollar'), ('HTG', 'Haitian Gourde'), ('HNL', 'Honduran Lempira'), ('HKD', 'Hong Kong Dollar'), ('HUF', 'Hungarian Forint'), ('IMP', 'IMP'), ('ISK', 'Icelandic Króna'), ('ISJ', 'Icelandic Króna (1918–1981)'), ('INR', 'Indian Rupee'), ('IDR', 'Indonesian Rupiah'), ('IRR', 'Iranian Rial'), ('IQD', 'Iraqi Dinar'), ('IEP', 'Irish Pound'), ('ILS', 'Israeli New Shekel'), ('ILP', 'Israeli Pound'), ('ILR', 'Israeli Shekel (1980–1985)'), ('ITL', 'Italian Lira'), ('JMD', 'Jamaican Dollar'), ('JPY', 'Japanese Yen'), ('JOD', 'Jordanian Dinar'), ('KZT', 'Kazakhstani Tenge'), ('KES', 'Kenyan Shilling'), ('KWD', 'Kuwaiti Dinar'), ('KGS', 'Kyrgystani Som'), ('LAK', 'Laotian Kip'), ('LVL', 'Latvian Lats'), ('LVR', 'Latvian Ruble'), ('LBP', 'Lebanese Pound'), ('LSL', 'Lesotho Loti'), ('LRD', 'Liberian Dollar'), ('LYD', 'Libyan Dinar'), ('LTL', 'Lithuanian Litas'), ('LTT', 'Lithuanian Talonas'), ('LUL', 'Luxembourg Financial Franc'), ('LUC', 'Luxembourgian Convertible Franc'), ('LUF', 'Luxembourgian Franc'), ('MOP', 'Macanese Pataca'), ('MKD', 'Macedonian Denar'), ('MKN', 'Macedonian Denar (1992–1993)'), ('MGA', 'Malagasy Ariary'), ('MGF', 'Malagasy Franc'), ('MWK', 'Malawian Kwacha'), ('MYR', 'Malaysian Ringgit'), ('MVR', 'Maldivian Rufiyaa'), ('MVP', 'Maldivian Rupee (1947–1981)'), ('MLF', 'Malian Franc'), ('MTL', 'Maltese Lira'), ('MTP', 'Maltese Pound'), ('MRU', 'Mauritanian Ouguiya'), ('MRO', 'Mauritanian Ouguiya (1973–2017)'), ('MUR', 'Mauritian Rupee'), ('MXV', 'Mexican Investment Unit'), ('MXN', 'Mexican Peso'), ('MXP', 'Mexican Silver Peso (1861–1992)'), ('MDC', 'Moldovan Cupon'), ('MDL', 'Moldovan Leu'), ('MCF', 'Monegasque Franc'), ('MNT', 'Mongolian Tugrik'), ('MAD', 'Moroccan Dirham'), ('MAF', 'Moroccan Franc'), ('MZE', 'Mozambican Escudo'), ('MZN', 'Mozambican Metical'), ('MZM', 'Mozambican Metical (1980–2006)'), ('MMK', 'Myanmar Kyat'), ('NAD', 'Namibian Dollar'), ('NPR', 'Nepalese Rupee'), ('ANG', 'Netherlands Antillean Guilder'), ('TWD', 'New Taiwan Dollar'), ('NZD', 'New Zealand Dollar'), ('NIO', 'Nicaraguan Córdoba'), ('NIC', 'Nicaraguan Córdoba (1988–1991)'), ('NGN', 'Nigerian Naira'), ('KPW', 'North Korean Won'), ('NOK', 'Norwegian Krone'), ('OMR', 'Omani Rial'), ('PKR', 'Pakistani Rupee'), ('XPD', 'Palladium'), ('PAB', 'Panamanian Balboa'), ('PGK', 'Papua New Guinean Kina'), ('PYG', 'Paraguayan Guarani'), ('PEI', 'Peruvian Inti'), ('PEN', 'Peruvian Sol'), ('PES', 'Peruvian Sol (1863–1965)'), ('PHP', 'Philippine Peso'), ('XPT', 'Platinum'), ('PLN', 'Polish Zloty'), ('PLZ', 'Polish Zloty (1950–1995)'), ('PTE', 'Portuguese Escudo'), ('GWE', 'Portuguese Guinea Escudo'), ('QAR', 'Qatari Riyal'), ('XRE', 'RINET Funds'), ('RHD', 'Rhodesian Dollar'), ('RON', 'Romanian Leu'), ('ROL', 'Romanian Leu (1952–2006)'), ('RUB', 'Russian Ruble'), ('RUR', 'Russian Ruble (1991–1998)'), ('RWF', 'Rwandan Franc'), ('SVC', 'Salvadoran Colón'), ('WST', 'Samoan Tala'), ('SAR', 'Saudi Riyal'), ('RSD', 'Serbian Dinar'), ('CSD', 'Serbian Dinar (2002–2006)'), ('SCR', 'Seychellois Rupee'), ('SLE', 'Sierra Leonean Leone'), ('SLL', 'Sierra Leonean Leone (1964—2022)'), ('XAG', 'Silver'), ('SGD', 'Singapore Dollar'), ('SKK', 'Slovak Koruna'), ('SIT', 'Slovenian Tolar'), ('SBD', 'Solomon Islands Dollar'), ('SOS', 'Somali Shilling'), ('ZAR', 'South African Rand'), ('ZAL', 'South African Rand (financial)'), ('KRH', 'South Korean Hwan (1953–1962)'), ('KRW', 'South Korean Won'), ('KRO', 'South Korean Won (1945–1953)'), ('SSP', 'South Sudanese Pound'), ('SUR', 'Soviet Rouble'), ('ESP', 'Spanish Peseta'), ('ESA', 'Spanish Peseta (A account)'), ('ESB', 'Spanish Peseta (convertible account)'), ('XDR', 'Special Drawing Rights'), ('LKR', 'Sri Lankan Rupee'), ('SHP', 'St. Helena Pound'), ('XSU', 'Sucre'), ('SDD', 'Sudanese Dinar (1992–2007)'), ('SDG', 'Sudanese Pound'), ('SDP', 'Sudanese Pound (1957–1998)'), ('SRD', 'Surinamese Dollar'), ('SRG', 'Surinamese Guilder'), ('SZL', 'Swazi Lilangeni'), ('SEK', 'Swedish Krona'), ('CHF', 'Swiss Franc'), ('SYP', 'Syrian Pound'), ('STN', 'São Tomé & Príncipe Dobra'), ('STD', 'São Tomé & Príncipe Dobra (1977–2017)'), ('TVD', 'TVD'), ('TJR', 'Tajikistani Ruble'), ('TJS', 'Tajikistani Somoni'), ('TZS', 'Tanzanian Shilling'), ('XTS', 'Testing Currency Code'), ('THB', 'Thai Baht'), ('TPE', 'Timorese Escudo'), ('TOP', 'Tongan Paʻanga'), ('TTD', 'Trinidad & Tobago Dollar'), ('TND', 'Tunisian Dinar'), ('TRY', 'Turkish Lira'), ('TRL', 'Turkish Lira (1922–2005)'), ('TMT', 'Turkmenistani Manat'), ('TMM', 'Turkmenistani Manat (1993–2009)'), ('USD', 'US Dollar'), ('USN', 'US Dollar (Next day)'), ('USS', 'US Dollar (Same day)'), ('UGX', 'Ugandan Shilling'), ('UGS', 'Ugandan Shilling (1966–1987)'), ('UAH', 'Ukrainian Hryvnia'), ('UAK', 'Ukrainian Karbovanets'), ('AED', 'United Arab Emirates Dirham'), ('UYW', 'Uruguayan Nominal Wage Index Unit'), ('UYU', 'Uruguayan Peso'), ('UYP', 'Uruguayan Peso (1975–1993)'), ('UYI', 'Uruguayan Peso (Indexed Units)'), ('UZS', 'Uzbekistani Som'), ('VUV', 'Vanuatu Vatu'), ('VES', 'Venezuelan Bolívar'), ('VEB', 'Venezuelan Bolívar (1871–2008)'), ('VEF', 'Venezuelan Bolívar (2008–2018)'), ('VND', 'Vietnamese Dong'), ('VNN', 'Vietnamese Dong (1978–1985)'), ('CHE', 'WIR Euro'), ('CHW', 'WIR Franc'), ('XOF', 'West African CFA Franc'), ('YDD', 'Yemeni Dinar'), ('YER', 'Yemeni Rial'), ('YUN', 'Yugoslavian Convertible Dinar (1990–1992)'), ('YUD', 'Yugoslavian Hard Dinar (1966–1990)'), ('YUM', 'Yugoslavian New Dinar (1994–2002)'), ('YUR', 'Yugoslavian Reformed Dinar (1992–1993)'), ('ZWN', 'ZWN'), ('ZRN', 'Zairean New Zaire (1993–1998)'), ('ZRZ', 'Zairean Zaire (1971–1993)'), ('ZMW', 'Zambian Kwacha'), ('ZMK', 'Zambian Kwacha (1968–2012)'), ('ZWD', 'Zimbabwean Dollar (1980–2008)'), ('ZWR', 'Zimbabwean Dollar (2008)'), ('ZWL', 'Zimbabwean Dollar (2009–2024)')], default=None, editable=False, max_length=3)),
                ('net', djmoney.models.fields.MoneyField(decimal_places=3, help_text='Zero or below; of a cancellation zero or above.', max_digits=15)),
                ('recorded_at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('cancellation', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reversal', to='affiliates.refundcancellation')),
                ('refund', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='reversal', to='affiliates.invoicerefund')),
                ('sale', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reversals', to='affiliates.sale')),
            ],
            options={
                'ordering': ['recorded_at', 'id'],
            },
        ),
        migrations.CreateModel(
            name='CommissionReversal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('amount', models.BigIntegerField()),
                ('recorded_at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('commission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='reversals', to='affiliates.commission')),
                ('sale_reversal', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='commission_reversals', to='affiliates.salereversal')),
            ],
            options={
                'ordering': ['id'],
            },
        ),
        migrations.CreateModel(
            name='StatementSeries',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('last_number', models.BigIntegerField(default=0)),
                ('affiliate', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.affiliate')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
            ],
            options={
                'verbose_name_plural': 'statement series',
            },
        ),
        migrations.CreateModel(
            name='PayoutStatement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('paid', 'Statement'), ('returned', 'Credit note')], max_length=20)),
                ('number', models.BigIntegerField()),
                ('name', models.CharField(max_length=80, verbose_name='number in full')),
                ('currency', models.CharField(max_length=3)),
                ('amount', models.BigIntegerField()),
                ('document', models.JSONField()),
                ('issued_at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('payout', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='statements', to='affiliates.payout')),
                ('series', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='statements', to='affiliates.statementseries')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='VisitorAlias',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('visitor_ref', models.CharField(max_length=128)),
                ('remote_id', models.CharField(max_length=128)),
                ('created_at', models.DateTimeField()),
                ('integration', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='affiliates.trackingintegration')),
            ],
        ),
        migrations.CreateModel(
            name='AccountBalance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('account', models.CharField(choices=[('expense', 'Program expense'), ('pending', 'Pending'), ('held', 'Held'), ('payable', 'Payable'), ('clearing', 'Being paid out'), ('paid_out', 'Paid out')], max_length=20)),
                ('currency', models.CharField(max_length=3)),
                ('amount', models.BigIntegerField()),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='balances', to='affiliates.affiliate')),
            ],
            options={
                'ordering': ['affiliate', 'currency', 'account'],
                'constraints': [models.UniqueConstraint(fields=('affiliate', 'account', 'currency'), name='account_has_one_balance')],
            },
        ),
        migrations.AddIndex(
            model_name='affiliatelink',
            index=models.Index(condition=models.Q(('old_code', ''), _negated=True), fields=['old_code'], name='link_by_old_code'),
        ),
        migrations.AddConstraint(
            model_name='affiliatetransfer',
            constraint=models.CheckConstraint(condition=models.Q(('source', models.F('target')), _negated=True), name='transfer_is_to_another_affiliate'),
        ),
        migrations.AddConstraint(
            model_name='commissionline',
            constraint=models.UniqueConstraint(fields=('commission', 'position'), name='commission_line_position_is_unique'),
        ),
        migrations.AddConstraint(
            model_name='commissionline',
            constraint=models.CheckConstraint(condition=models.Q(('amount__gte', 0)), name='commission_line_is_never_negative'),
        ),
        migrations.AddConstraint(
            model_name='commissionplan',
            constraint=models.UniqueConstraint(fields=('brand', 'name'), name='plan_name_is_unique_in_brand', violation_error_message='Another plan of this brand has this name.'),
        ),
        migrations.AddConstraint(
            model_name='commissionplan',
            constraint=models.UniqueConstraint(condition=models.Q(('is_default', True)), fields=('brand',), name='brand_has_one_default_plan', violation_error_message='This brand has a default plan already: untick it there first.'),
        ),
        migrations.AddConstraint(
            model_name='commissionplan',
            constraint=models.CheckConstraint(condition=models.Q(('hold_days__lte', 400)), name='plan_holds_400_days_at_most'),
        ),
        migrations.AddConstraint(
            model_name='commissionplan',
            constraint=models.CheckConstraint(condition=models.Q(('rounding__in', ['half_up', 'half_even', 'down'])), name='plan_rounding_is_known'),
        ),
        migrations.AddConstraint(
            model_name='commissionplan',
            constraint=models.CheckConstraint(condition=models.Q(('cap_period__in', ['none', 'month', 'year', 'lifetime'])), name='plan_cap_period_is_known'),
        ),
        migrations.AddConstraint(
            model_name='commissionplan',
            constraint=models.CheckConstraint(condition=models.Q(('recruiter_percent__gte', 0), ('recruiter_percent__lte', 100)), name='share_of_recruiters_is_from_0_to_100_percent'),
        ),
        migrations.AddConstraint(
            model_name='affiliategroup',
            constraint=models.UniqueConstraint(fields=('brand', 'name'), name='group_name_is_unique_in_brand', violation_error_message='Another group of this brand has this name.'),
        ),
        migrations.AddIndex(
            model_name='affiliate',
            index=models.Index(condition=models.Q(('status', 'pending')), fields=['brand'], name='affiliate_pending'),
        ),
        migrations.AddConstraint(
            model_name='affiliate',
            constraint=models.UniqueConstraint(fields=('brand', 'code'), name='affiliate_code_is_unique_in_brand', violation_error_message='Another affiliate of this brand has this code.'),
        ),
        migrations.AddConstraint(
            model_name='affiliate',
            constraint=models.UniqueConstraint(fields=('brand', 'user'), name='client_is_affiliate_once_per_brand', violation_error_message='This client is an affiliate of this brand already.'),
        ),
        migrations.AddConstraint(
            model_name='affiliate',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['pending', 'active', 'suspended'])), name='affiliate_status_is_known'),
        ),
        migrations.AddConstraint(
            model_name='affiliate',
            constraint=models.CheckConstraint(condition=models.Q(('merged_into__isnull', True), ('status', 'suspended'), _connector='OR'), name='merged_affiliate_is_suspended'),
        ),
        migrations.AddConstraint(
            model_name='affiliate',
            constraint=models.CheckConstraint(condition=models.Q(('recruiter', models.F('pk')), _negated=True), name='nobody_recruits_themselves', violation_error_message='Nobody recruits themselves.'),
        ),
        migrations.AddConstraint(
            model_name='commissionplanversion',
            constraint=models.UniqueConstraint(fields=('plan', 'number'), name='plan_version_number_is_unique'),
        ),
        migrations.AddConstraint(
            model_name='couponcode',
            constraint=models.UniqueConstraint(fields=('brand', 'code'), name='coupon_code_is_unique_in_brand', violation_error_message='Another coupon of this brand has this code.'),
        ),
        migrations.AddConstraint(
            model_name='couponcode',
            constraint=models.CheckConstraint(condition=models.Q(('code', django.db.models.functions.text.Upper('code'))), name='coupon_code_is_upper_case'),
        ),
        migrations.AddConstraint(
            model_name='couponcode',
            constraint=models.CheckConstraint(condition=models.Q(('percent__isnull', True), models.Q(('percent__gte', 0), ('percent__lte', 100)), _connector='OR'), name='coupon_rate_is_0_to_100_percent'),
        ),
        migrations.AddConstraint(
            model_name='couponcode',
            constraint=models.CheckConstraint(condition=models.Q(('affiliate_funds_percent__gte', 0), ('affiliate_funds_percent__lte', 100)), name='coupon_funding_is_0_to_100_percent'),
        ),
        migrations.AddConstraint(
            model_name='couponcodeversion',
            constraint=models.UniqueConstraint(fields=('coupon', 'number'), name='coupon_version_number_is_unique'),
        ),
        migrations.AddConstraint(
            model_name='creative',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('height__isnull', True), ('image', ''), ('width__isnull', True)), models.Q(models.Q(('image', ''), _negated=True), ('height__gte', 1), ('width__gte', 1)), _connector='OR'), name='image_of_a_creative_has_a_size'),
        ),
        migrations.AddConstraint(
            model_name='deliveryattempt',
            constraint=models.UniqueConstraint(fields=('delivery', 'number'), name='attempt_number_is_unique'),
        ),
        migrations.AddIndex(
            model_name='email',
            index=models.Index(condition=models.Q(('next_at__isnull', False)), fields=['next_at'], name='email_due'),
        ),
        migrations.AddIndex(
            model_name='email',
            index=models.Index(condition=models.Q(('recipient', ''), _negated=True), fields=['finished_at'], name='email_to_be_emptied'),
        ),
        migrations.AddIndex(
            model_name='email',
            index=models.Index(condition=models.Q(('state__in', ('unclear', 'failed', 'given_up'))), fields=['brand'], name='email_not_arrived'),
        ),
        migrations.AddIndex(
            model_name='email',
            index=models.Index(fields=['created_at'], name='email_by_time'),
        ),
        migrations.AddIndex(
            model_name='email',
            index=models.Index(condition=models.Q(('affiliate__isnull', False)), fields=['affiliate', 'created_at'], name='email_to_affiliate'),
        ),
        migrations.AddIndex(
            model_name='email',
            index=models.Index(condition=models.Q(('recipient', ''), _negated=True), fields=['recipient'], name='email_to'),
        ),
        migrations.AddConstraint(
            model_name='email',
            constraint=models.UniqueConstraint(fields=('key',), name='email_is_queued_once'),
        ),
        migrations.AddConstraint(
            model_name='email',
            constraint=models.CheckConstraint(condition=models.Q(('state', 'unclear'), models.Q(('next_at__isnull', False), ('state__in', ('waiting', 'sending', 'retry'))), models.Q(('next_at__isnull', True), ('state__in', ('sent', 'failed', 'given_up', 'not_sent'))), _connector='OR'), name='only_open_email_has_next_attempt'),
        ),
        migrations.AddConstraint(
            model_name='email',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('state', 'unclear'), _negated=True), ('next_at__isnull', True), _connector='OR'), name='unclear_email_has_no_next_attempt'),
        ),
        migrations.AddConstraint(
            model_name='email',
            constraint=models.CheckConstraint(condition=models.Q(('brand__isnull', False), ('kind', ''), _connector='OR'), name='email_of_a_kind_is_of_a_brand'),
        ),
        migrations.AddConstraint(
            model_name='emailchoice',
            constraint=models.UniqueConstraint(fields=('affiliate', 'kind'), name='affiliate_chooses_a_kind_once'),
        ),
        migrations.AddConstraint(
            model_name='fraudpolicy',
            constraint=models.UniqueConstraint(fields=('brand', 'signal'), name='brand_has_one_policy_per_signal'),
        ),
        migrations.AddConstraint(
            model_name='trackingintegration',
            constraint=models.UniqueConstraint(condition=models.Q(('is_active', True), models.Q(('provider', 'webhook'), _negated=True)), fields=('brand',), name='one_active_tracker_per_brand'),
        ),
        migrations.AddConstraint(
            model_name='trackingintegration',
            constraint=models.CheckConstraint(condition=models.Q(('affiliate__isnull', True), ('provider', 'webhook'), _connector='OR'), name='affiliates_have_no_trackers'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('next_at__isnull', False)), fields=['integration', 'next_at'], name='delivery_due'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('next_at__isnull', False)), fields=['integration', 'visitor_ref', 'id'], name='delivery_open_of_visitor'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('order_ref', ''), _negated=True), fields=['integration', 'order_ref'], name='delivery_of_order'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(condition=models.Q(('state__in', ('unclear', 'failed', 'given_up'))), fields=['integration', 'created_at'], name='delivery_needs_attention'),
        ),
        migrations.AddIndex(
            model_name='delivery',
            index=models.Index(fields=['created_at'], name='delivery_by_time'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.UniqueConstraint(fields=('integration', 'key'), name='delivery_is_queued_once'),
        ),
        migrations.AddConstraint(
            model_name='delivery',
            constraint=models.CheckConstraint(condition=models.Q(('state', 'unclear'), models.Q(('next_at__isnull', False), ('state__in', ('waiting', 'sending', 'retry'))), models.Q(('next_at__isnull', True), ('state__in', ('sent', 'failed', 'given_up', 'not_sent'))), _connector='OR'), name='only_open_delivery_has_next_attempt'),
        ),
        migrations.AddIndex(
            model_name='clientreferral',
            index=models.Index(fields=['brand', 'bound_at'], name='client_of_brand_by_day'),
        ),
        migrations.AddIndex(
            model_name='clientreferral',
            index=models.Index(fields=['bound_at', 'id'], name='client_referral_by_time'),
        ),
        migrations.AddIndex(
            model_name='clientreferral',
            index=models.Index(condition=models.Q(('click_id__isnull', False)), fields=['click_id'], name='client_referral_of_click'),
        ),
        migrations.AddIndex(
            model_name='clientreferral',
            index=models.Index(condition=models.Q(('external_affiliate', ''), _negated=True), fields=['external_affiliate'], name='client_referral_of_external'),
        ),
        migrations.AddConstraint(
            model_name='clientreferral',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('affiliate__isnull', False), ('click_id__isnull', False), ('touched_at__isnull', False)), models.Q(('affiliate__isnull', True), ('integration__isnull', False)), _connector='OR'), name='client_referral_names_somebody'),
        ),
        migrations.AddConstraint(
            model_name='clientreferral',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('external_click_id__isnull', True), ('external_touched_at__isnull', True), ('external_visitor_id', ''), ('integration__isnull', True)), models.Q(('external_touched_at__isnull', False), ('integration__isnull', False), models.Q(('external_visitor_id', ''), _negated=True)), _connector='OR'), name='client_referral_external_is_whole'),
        ),
        migrations.AddIndex(
            model_name='click',
            index=models.Index(fields=['affiliate', 'created_at'], name='click_by_affiliate'),
        ),
        migrations.AddIndex(
            model_name='click',
            index=models.Index(fields=['visitor_id'], name='click_by_visitor'),
        ),
        migrations.AddIndex(
            model_name='click',
            index=models.Index(fields=['brand', 'created_at'], name='click_of_brand_by_day'),
        ),
        migrations.AddIndex(
            model_name='click',
            index=models.Index(condition=models.Q(('affiliate_status__in', ['pending', 'suspended'])), fields=['affiliate_status', 'id'], name='click_not_of_active'),
        ),
        migrations.AddConstraint(
            model_name='click',
            constraint=models.CheckConstraint(condition=models.Q(('affiliate__isnull', False), ('integration__isnull', False), _connector='OR'), name='click_names_an_affiliate_or_integration'),
        ),
        migrations.CreateModel(
            name='AffiliateWebhook',
            fields=[
            ],
            options={
                'verbose_name': "affiliate's webhook",
                'verbose_name_plural': "affiliates' webhooks",
                'ordering': ['-pk'],
                'proxy': True,
                'indexes': [],
                'constraints': [],
            },
            bases=('affiliates.webhook',),
        ),
        migrations.AddIndex(
            model_name='invoicepayment',
            index=models.Index(fields=['brand', 'order_ref'], name='payments_of_order'),
        ),
        migrations.AddIndex(
            model_name='invoicepayment',
            index=models.Index(fields=['payment_ref'], name='payment_by_reference'),
        ),
        migrations.AddIndex(
            model_name='invoicepayment',
            index=models.Index(fields=['paid_at', 'id'], name='payment_by_time'),
        ),
        migrations.AddConstraint(
            model_name='invoicepayment',
            constraint=models.UniqueConstraint(fields=('brand', 'invoice_ref'), name='invoice_is_paid_once'),
        ),
        migrations.AddIndex(
            model_name='invoicerefund',
            index=models.Index(fields=['brand', 'invoice_ref'], name='refunds_of_invoice'),
        ),
        migrations.AddIndex(
            model_name='invoicerefund',
            index=models.Index(fields=['refund_ref'], name='refund_by_reference'),
        ),
        migrations.AddIndex(
            model_name='invoicerefund',
            index=models.Index(fields=['refunded_at', 'id'], name='refund_by_time'),
        ),
        migrations.AddConstraint(
            model_name='invoicerefund',
            constraint=models.UniqueConstraint(fields=('brand', 'refund_ref'), name='refund_is_recorded_once'),
        ),
        migrations.AddConstraint(
            model_name='invoicerefund',
            constraint=models.CheckConstraint(condition=models.Q(('gross__gt', 0)), name='refund_is_positive'),
        ),
        migrations.AddIndex(
            model_name='ledgerentry',
            index=models.Index(fields=['affiliate', 'currency', 'account', 'amount'], name='ledger_entry_balance'),
        ),
        migrations.AddConstraint(
            model_name='ledgerentry',
            constraint=models.CheckConstraint(condition=models.Q(('amount', 0), _negated=True), name='ledger_entry_is_never_zero'),
        ),
        migrations.AddConstraint(
            model_name='adjustment',
            constraint=models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='adjustment_is_above_zero'),
        ),
        migrations.AddConstraint(
            model_name='adjustment',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('ends__isnull', False), ('kind__in', ['bonus_released', 'bonus_withdrawn'])), models.Q(('ends__isnull', True), ('kind__in', ['bonus', 'bonus_held', 'deduction'])), _connector='OR'), name='only_the_end_of_a_held_bonus_names_it'),
        ),
        migrations.AddIndex(
            model_name='orderreferral',
            index=models.Index(fields=['brand', 'converted_at'], name='order_referral_of_brand_by_day'),
        ),
        migrations.AddIndex(
            model_name='orderreferral',
            index=models.Index(fields=['converted_at', 'id'], name='order_referral_by_time'),
        ),
        migrations.AddIndex(
            model_name='orderreferral',
            index=models.Index(fields=['affiliate', 'converted_at', 'id'], name='order_of_affiliate_by_time'),
        ),
        migrations.AddIndex(
            model_name='orderreferral',
            index=models.Index(fields=['client', 'affiliate', 'converted_at', 'id'], name='order_of_client_by_affiliate'),
        ),
        migrations.AddIndex(
            model_name='orderreferral',
            index=models.Index(fields=['reason', 'id'], name='order_referral_by_reason'),
        ),
        migrations.AddIndex(
            model_name='orderreferral',
            index=models.Index(fields=['outcome', 'converted_at'], name='order_referral_by_outcome'),
        ),
        migrations.AddIndex(
            model_name='orderreferral',
            index=models.Index(condition=models.Q(('click_id__isnull', False)), fields=['click_id'], name='order_referral_of_click'),
        ),
        migrations.AddIndex(
            model_name='orderreferral',
            index=models.Index(condition=models.Q(('external_affiliate', ''), _negated=True), fields=['external_affiliate'], name='order_referral_of_external'),
        ),
        migrations.AddConstraint(
            model_name='orderreferral',
            constraint=models.UniqueConstraint(fields=('brand', 'order_ref'), name='order_has_one_referral'),
        ),
        migrations.AddConstraint(
            model_name='orderreferral',
            constraint=models.UniqueConstraint(fields=('brand', 'invoice_ref'), name='invoice_has_one_referral'),
        ),
        migrations.AddConstraint(
            model_name='orderreferral',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('affiliate__isnull', True), ('outcome__in', ['nobody', 'third_party'])), models.Q(('affiliate__isnull', False), ('outcome__in', ['credited', 'held'])), _connector='OR'), name='order_referral_names_affiliate_if_credited'),
        ),
        migrations.AddConstraint(
            model_name='orderreferral',
            constraint=models.CheckConstraint(condition=models.Q(('integration__isnull', True), models.Q(('outcome', 'nobody'), _negated=True), _connector='OR'), name='order_referral_of_nobody_is_told_to_nobody'),
        ),
        migrations.AddConstraint(
            model_name='orderreferral',
            constraint=models.CheckConstraint(condition=models.Q(('integration__isnull', False), models.Q(('outcome', 'third_party'), _negated=True), _connector='OR'), name='third_party_order_names_integration'),
        ),
        migrations.AddConstraint(
            model_name='orderreferral',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('external_click_id__isnull', True), ('external_touched_at__isnull', True), ('external_visitor_id', ''), ('integration__isnull', True)), models.Q(('external_touched_at__isnull', False), ('integration__isnull', False), models.Q(('external_visitor_id', ''), _negated=True)), _connector='OR'), name='order_referral_external_is_whole'),
        ),
        migrations.AddConstraint(
            model_name='ordercandidate',
            constraint=models.UniqueConstraint(fields=('affiliate', 'referral'), name='affiliate_is_one_candidate'),
        ),
        migrations.AddIndex(
            model_name='ledgerposting',
            index=models.Index(fields=['posted_at', 'id'], name='posting_by_time'),
        ),
        migrations.AddIndex(
            model_name='payout',
            index=models.Index(condition=models.Q(('remote_ref', ''), _negated=True), fields=['remote_ref'], name='payout_by_reference'),
        ),
        migrations.AddConstraint(
            model_name='payout',
            constraint=models.CheckConstraint(condition=models.Q(('amount__gt', 0)), name='payout_is_above_zero'),
        ),
        migrations.AddConstraint(
            model_name='payout',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('finished_at__isnull', True), ('status__in', ('requested', 'approved', 'exported'))), models.Q(models.Q(('status__in', ('requested', 'approved', 'exported')), _negated=True), ('finished_at__isnull', False)), _connector='OR'), name='payout_is_open_until_finished'),
        ),
        migrations.AddConstraint(
            model_name='payout',
            constraint=models.CheckConstraint(condition=models.Q(('is_for_two', False), ('status__in', ('requested', 'rejected')), models.Q(('approved_by__isnull', False), ('prepared_by__isnull', False), models.Q(('approved_by', models.F('prepared_by')), _negated=True)), _connector='OR'), name='payout_for_two_is_approved_by_the_second'),
        ),
        migrations.AddConstraint(
            model_name='payout',
            constraint=models.UniqueConstraint(condition=models.Q(('status__in', ('requested', 'approved', 'exported'))), fields=('affiliate', 'currency'), name='affiliate_has_one_open_payout_per_currency'),
        ),
        migrations.AddConstraint(
            model_name='payoutterms',
            constraint=models.CheckConstraint(condition=models.Q(('runs_approve_themselves', False), ('needs_second_person', False), _connector='OR'), name='payout_run_approves_itself_or_needs_a_second_person', violation_error_message='A run that a second person has to approve cannot approve itself.'),
        ),
        migrations.AddConstraint(
            model_name='planrule',
            constraint=models.CheckConstraint(condition=models.Q(('percent__gte', 0), ('percent__lte', 100)), name='plan_rule_percent_is_0_to_100'),
        ),
        migrations.AddConstraint(
            model_name='planrule',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('recurrence__in', ['renewals', 'months']), ('recurrence_limit__gte', 1), ('recurrence_limit__isnull', False)), models.Q(('recurrence__in', ['once', 'always']), ('recurrence_limit__isnull', True)), _connector='OR'), name='plan_rule_has_a_limit_where_it_needs_one', violation_error_message='Write how many renewals or months, and only where they are limited.'),
        ),
        migrations.AddConstraint(
            model_name='planrule',
            constraint=models.CheckConstraint(condition=models.Q(('rate_kind__in', ['percent', 'fixed', 'none'])), name='plan_rule_rate_is_known'),
        ),
        migrations.AddConstraint(
            model_name='planrule',
            constraint=models.CheckConstraint(condition=models.Q(('tier_period__in', ['month', 'always'])), name='plan_rule_tier_period_is_known'),
        ),
        migrations.AddConstraint(
            model_name='planrule',
            constraint=models.CheckConstraint(condition=models.Q(('applies_to__in', ['all', 'new', 'renewal'])), name='plan_rule_applies_to_what_is_known'),
        ),
        migrations.AddIndex(
            model_name='refundcancellation',
            index=models.Index(fields=['brand', 'refund_ref'], name='cancellations_of_refund'),
        ),
        migrations.AddIndex(
            model_name='refundcancellation',
            index=models.Index(fields=['cancellation_ref'], name='cancellation_by_reference'),
        ),
        migrations.AddIndex(
            model_name='refundcancellation',
            index=models.Index(fields=['brand', 'cancelled_at'], name='cancellation_of_brand_by_day'),
        ),
        migrations.AddConstraint(
            model_name='refundcancellation',
            constraint=models.UniqueConstraint(fields=('brand', 'cancellation_ref'), name='cancellation_is_recorded_once'),
        ),
        migrations.AddConstraint(
            model_name='refundcancellation',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('gross__isnull', True), ('gross_currency__isnull', True)), models.Q(('gross__gt', 0), ('gross_currency__isnull', False)), _connector='OR'), name='cancellation_is_of_all_or_of_an_amount'),
        ),
        migrations.AddIndex(
            model_name='sale',
            index=models.Index(fields=['paid_at', 'id'], name='sale_by_time'),
        ),
        migrations.AddIndex(
            model_name='sale',
            index=models.Index(fields=['brand', 'paid_at'], name='sale_of_brand_by_day'),
        ),
        migrations.AddConstraint(
            model_name='sale',
            constraint=models.UniqueConstraint(fields=('brand', 'invoice_ref'), name='invoice_makes_one_sale'),
        ),
        migrations.AddConstraint(
            model_name='sale',
            constraint=models.UniqueConstraint(fields=('order_referral', 'renewal_number'), name='order_makes_one_sale_per_renewal'),
        ),
        migrations.AddIndex(
            model_name='fraudreview',
            index=models.Index(condition=models.Q(('outcome', 'open')), fields=['brand'], name='fraud_review_open'),
        ),
        migrations.AddConstraint(
            model_name='fraudreview',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('outcome', 'open'), ('reviewed_at__isnull', True), ('reviewed_by__isnull', True)), models.Q(models.Q(('outcome', 'open'), _negated=True), ('reviewed_at__isnull', False), ('reviewed_by__isnull', False)), _connector='OR'), name='fraud_review_names_who_judged_it_and_when'),
        ),
        migrations.AddIndex(
            model_name='commission',
            index=models.Index(fields=['brand', 'earned_at'], name='commission_of_brand_by_day'),
        ),
        migrations.AddIndex(
            model_name='commission',
            index=models.Index(fields=['status', 'earned_at'], name='commission_by_status'),
        ),
        migrations.AddIndex(
            model_name='commission',
            index=models.Index(condition=models.Q(('status', 'pending')), fields=['matures_at'], name='commission_due'),
        ),
        migrations.AddIndex(
            model_name='commission',
            index=models.Index(fields=['affiliate', 'currency', 'status'], name='commission_of_affiliate'),
        ),
        migrations.AddIndex(
            model_name='commission',
            index=models.Index(condition=models.Q(('status', 'held')), fields=['brand'], name='commission_held'),
        ),
        migrations.AddIndex(
            model_name='commission',
            index=models.Index(condition=models.Q(('status', 'matured')), fields=['brand'], name='commission_to_approve'),
        ),
        migrations.AddIndex(
            model_name='commission',
            index=models.Index(fields=['earned_at', 'id'], name='commission_by_time'),
        ),
        migrations.AddIndex(
            model_name='commission',
            index=models.Index(fields=['affiliate', 'earned_at'], name='commission_of_affiliate_time'),
        ),
        migrations.AddConstraint(
            model_name='commission',
            constraint=models.UniqueConstraint(condition=models.Q(models.Q(('status', 'rejected'), _negated=True), ('share_of__isnull', True)), fields=('sale',), name='sale_has_one_live_commission'),
        ),
        migrations.AddConstraint(
            model_name='commission',
            constraint=models.CheckConstraint(condition=models.Q(('amount__gte', 0)), name='commission_is_never_negative'),
        ),
        migrations.AddConstraint(
            model_name='commission',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('status', 'paid'), _negated=True), ('payout__isnull', False), _connector='OR'), name='paid_commission_names_its_payout'),
        ),
        migrations.AddConstraint(
            model_name='commission',
            constraint=models.CheckConstraint(condition=models.Q(('share_of', models.F('pk')), _negated=True), name='commission_is_no_share_of_itself'),
        ),
        migrations.AddConstraint(
            model_name='salereversal',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('cancellation__isnull', True), ('net__lte', 0), ('refund__isnull', False)), models.Q(('cancellation__isnull', False), ('net__gte', 0), ('refund__isnull', True)), _connector='OR'), name='reversal_is_of_a_refund_or_its_cancellation'),
        ),
        migrations.AddConstraint(
            model_name='commissionreversal',
            constraint=models.UniqueConstraint(fields=('commission', 'sale_reversal'), name='sale_reversal_reverses_a_commission_once'),
        ),
        migrations.AddConstraint(
            model_name='statementseries',
            constraint=models.UniqueConstraint(condition=models.Q(('affiliate__isnull', True)), fields=('brand',), name='brand_has_one_series_of_its_own'),
        ),
        migrations.AddConstraint(
            model_name='statementseries',
            constraint=models.UniqueConstraint(fields=('affiliate',), name='affiliate_has_one_series_of_its_own'),
        ),
        migrations.AddConstraint(
            model_name='payoutstatement',
            constraint=models.UniqueConstraint(fields=('series', 'number'), name='statement_number_is_given_once'),
        ),
        migrations.AddConstraint(
            model_name='payoutstatement',
            constraint=models.UniqueConstraint(fields=('payout', 'kind'), name='payout_is_stated_once_and_returned_once'),
        ),
        migrations.AddConstraint(
            model_name='visitoralias',
            constraint=models.UniqueConstraint(fields=('integration', 'visitor_ref'), name='visitor_has_one_alias'),
        ),
    ]
