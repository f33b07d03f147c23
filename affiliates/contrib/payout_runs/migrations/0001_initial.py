import affiliates.payouts.providers.registry
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
            name='PayoutAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=affiliates.payouts.providers.registry.choices, max_length=20, verbose_name='of')),
                ('name', models.CharField(max_length=100, verbose_name='file')),
                ('content', models.TextField(editable=False, help_text='The file, encrypted: it names accounts.')),
                ('entries', models.TextField(db_default='', editable=False, help_text='What was read of the file, encrypted.')),
                ('digest', models.CharField(max_length=64, verbose_name='SHA-256')),
                ('entry_count', models.PositiveIntegerField(verbose_name='lines')),
                ('uploaded_at', models.DateTimeField()),
                ('applied_at', models.DateTimeField(blank=True, null=True)),
                ('salt', models.CharField(editable=False, max_length=90)),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('applied_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('uploaded_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(fields=('brand', 'digest'), name='answer_is_kept_once')],
            },
        ),
        migrations.CreateModel(
            name='PayoutAnswerLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('said', models.CharField(choices=[('paid', 'Paid'), ('failed', 'Failed'), ('returned', 'Returned'), ('waiting', 'Waiting'), ('unclear', 'Not understood')], max_length=20)),
                ('reference', models.CharField(blank=True, max_length=255)),
                ('amount', models.CharField(blank=True, max_length=40)),
                ('currency', models.CharField(blank=True, max_length=10)),
                ('remote_ref', models.CharField(blank=True, max_length=255)),
                ('step', models.CharField(choices=[('confirm', 'Paid'), ('reject', 'Failed: payable again'), ('return', 'Returned: payable again'), ('nothing', 'Known already'), ('wait', 'Not decided yet'), ('unmatched', 'Unmatched')], max_length=20)),
                ('reason', models.CharField(blank=True, max_length=1000)),
                ('at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('answer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='affiliates_payout_runs.payoutanswer')),
                ('payout', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='answer_lines', to='affiliates.payout')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('answer', 'position'), name='answer_line_is_applied_once')],
            },
        ),
        migrations.CreateModel(
            name='PayoutRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('period', models.DateField(blank=True, help_text='Empty: made by hand.', null=True, verbose_name='due on')),
                ('status', models.CharField(choices=[('drafting', 'Being drafted'), ('draft', 'Draft'), ('approved', 'Approved'), ('closed', 'Closed'), ('discarded', 'Discarded')], max_length=20)),
                ('reason', models.CharField(blank=True, max_length=255)),
                ('is_for_two', models.BooleanField(default=False, help_text="As the brand's payout terms were when it was drafted.", verbose_name='second person needed')),
                ('line_count', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField()),
                ('approved_at', models.DateTimeField(blank=True, null=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('approved_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('prepared_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(fields=('brand', 'period'), name='brand_has_one_run_per_period'), models.CheckConstraint(condition=models.Q(('approved_by__isnull', True), ('prepared_by__isnull', True), models.Q(('approved_by', models.F('prepared_by')), _negated=True), ('is_for_two', False), _connector='OR'), name='run_for_two_is_approved_by_the_second')],
            },
        ),
        migrations.CreateModel(
            name='PayoutRunFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('batch', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='in_run', to='affiliates.payoutbatch')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates_payout_runs.payoutrun')),
            ],
            options={
                'abstract': False,
                'base_manager_name': 'objects',
            },
        ),
        migrations.CreateModel(
            name='PayoutRunLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('currency', models.CharField(max_length=3)),
                ('amount', models.BigIntegerField(help_text='In minor units; what is left out too.')),
                ('outcome', models.CharField(choices=[('set_aside', 'Paid by schedule'), ('asked', 'Asked for by the affiliate'), ('started', 'Started by staff'), ('affiliate_inactive', 'Not active'), ('payout_open', 'A payout is under way'), ('no_destination', 'No destination'), ('kind_not_offered', 'The brand does not pay that way'), ('currency_not_paid_there', 'The destination takes another currency'), ('destination_cooling_off', 'Destination changed recently'), ('below_minimum', 'Below the minimum'), ('balance_forfeited', 'Given up or forfeited'), ('requirement', 'A requirement is not met'), ('held', 'Held'), ('negative_balance', 'Negative balance')], max_length=30)),
                ('detail', models.CharField(blank=True, max_length=255)),
                ('drafted_at', models.DateTimeField()),
                ('seal', models.CharField(editable=False, max_length=64)),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.affiliate')),
                ('destination', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.payoutdestination')),
                ('payout', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='run_lines', to='affiliates.payout')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='affiliates_payout_runs.payoutrun')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('run', 'affiliate', 'currency'), name='run_looks_at_a_balance_once')],
            },
        ),
        migrations.AddField(
            model_name='payoutrun',
            name='files',
            field=models.ManyToManyField(related_name='runs', through='affiliates_payout_runs.PayoutRunFile', to='affiliates.payoutbatch'),
        ),
    ]
