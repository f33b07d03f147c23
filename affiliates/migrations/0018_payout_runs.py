"""Payout runs, what banks answer, numbered statements; a paid payout may come back."""

import affiliates.payouts.rules
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

# As in 0003: table, what is refused, and what to do instead.
BOTH = ("update", "delete")
GUARDS = (
    ("affiliates_payoutstatement", BOTH, "issue a credit note."),
    ("affiliates_payoutrunline", BOTH, "discard the run, or reject the payout."),
    ("affiliates_payoutanswerline", BOTH, "apply a further answer."),
)


def guard(apps, schema_editor):
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    for table, operation, message in _guards():
        act = f"BEGIN SELECT RAISE(ABORT, '{message}'); END"
        if is_postgresql:
            act = (
                "FOR EACH ROW EXECUTE FUNCTION "
                f"affiliates_refuse_change('{message}')"
            )
        schema_editor.execute(
            f"CREATE TRIGGER {table}_refuses_{operation} BEFORE {operation} "
            f"ON {table} {act}"
        )


def unguard(apps, schema_editor):
    is_postgresql = schema_editor.connection.vendor == "postgresql"
    for table, operation, _ in _guards():
        on_table = f" ON {table}" if is_postgresql else ""
        schema_editor.execute(f"DROP TRIGGER {table}_refuses_{operation}{on_table}")


def _guards():
    for table, operations, instead in GUARDS:
        for operation in operations:
            yield table, operation, f"Rows of {table} are only ever added: {instead}"


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0017_statistics_indexes'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='StatementSeries',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('affiliate', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.affiliate')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('last_number', models.BigIntegerField(default=0)),
            ],
            options={
                'verbose_name_plural': 'statement series',
                'constraints': [models.UniqueConstraint(condition=models.Q(('affiliate__isnull', True)), fields=('brand',), name='brand_has_one_series_of_its_own'), models.UniqueConstraint(fields=('affiliate',), name='affiliate_has_one_series_of_its_own')],
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
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('payout', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='statements', to='affiliates.payout')),
                ('series', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='statements', to='affiliates.statementseries')),
                ('seal', models.CharField(editable=False, max_length=64)),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(fields=('series', 'number'), name='statement_number_is_given_once'), models.UniqueConstraint(fields=('payout', 'kind'), name='payout_is_stated_once_and_returned_once')],
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
                ('approved_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('prepared_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('seal', models.CharField(editable=False, max_length=64)),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(fields=('brand', 'period'), name='brand_has_one_run_per_period'), models.CheckConstraint(condition=models.Q(('approved_by__isnull', True), ('prepared_by__isnull', True), models.Q(('approved_by', models.F('prepared_by')), _negated=True), ('is_for_two', False), _connector='OR'), name='run_for_two_is_approved_by_the_second')],
            },
        ),
        migrations.CreateModel(
            name='PayoutRunLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('currency', models.CharField(max_length=3)),
                ('amount', models.BigIntegerField(help_text='In minor units; what is left out too.')),
                ('outcome', models.CharField(choices=[('set_aside', 'Paid by schedule'), ('asked', 'Asked for by the affiliate'), ('affiliate_inactive', 'Not active'), ('payout_open', 'A payout is under way'), ('no_destination', 'No destination'), ('kind_not_offered', 'The brand does not pay that way'), ('currency_not_paid_there', 'The destination takes another currency'), ('destination_cooling_off', 'Destination changed recently'), ('below_minimum', 'Below the minimum'), ('held', 'Held'), ('negative_balance', 'Negative balance')], max_length=30)),
                ('detail', models.CharField(blank=True, max_length=255)),
                ('drafted_at', models.DateTimeField()),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.affiliate')),
                ('destination', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.payoutdestination')),
                ('payout', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='run_lines', to='affiliates.payout')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='affiliates.payoutrun')),
                ('seal', models.CharField(editable=False, max_length=64)),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('run', 'affiliate', 'currency'), name='run_looks_at_a_balance_once')],
            },
        ),
        migrations.CreateModel(
            name='PayoutAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('wallet', 'Account credit'), ('paypal', 'PayPal'), ('bank', 'Bank transfer (SEPA)'), ('offline', 'By agreement')], max_length=20, verbose_name='of')),
                ('name', models.CharField(max_length=100, verbose_name='file')),
                ('content', models.TextField(editable=False, help_text='The file, encrypted: it names accounts.')),
                ('digest', models.CharField(max_length=64, verbose_name='SHA-256')),
                ('entry_count', models.PositiveIntegerField(verbose_name='lines')),
                ('uploaded_at', models.DateTimeField()),
                ('applied_at', models.DateTimeField(blank=True, null=True)),
                ('applied_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('uploaded_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('seal', models.CharField(editable=False, max_length=64)),
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
                ('reason', models.CharField(blank=True, max_length=255)),
                ('at', models.DateTimeField()),
                ('answer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='lines', to='affiliates.payoutanswer')),
                ('payout', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='answer_lines', to='affiliates.payout')),
                ('seal', models.CharField(editable=False, max_length=64)),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(fields=('answer', 'position'), name='answer_line_is_applied_once')],
            },
        ),
        migrations.AddField(
            model_name='payoutbatch',
            name='digest',
            field=models.CharField(blank=True, db_default='', default='', help_text='Of the file as it is downloaded.', max_length=64, verbose_name='SHA-256'),
        ),
        migrations.AddField(
            model_name='payoutterms',
            name='first_run_on',
            field=models.DateField(blank=True, help_text="A payout run is drafted on this day of the brand's time zone and on the same day of each month from then on. Empty: only by hand.", null=True, verbose_name='first run'),
        ),
        migrations.AddField(
            model_name='payoutterms',
            name='issuer',
            field=models.CharField(blank=True, db_default='', default='', help_text='Your name, address and VAT number, as statements have them.', max_length=500, verbose_name='issued by'),
        ),
        migrations.AddField(
            model_name='payoutterms',
            name='needs_second_person',
            field=models.BooleanField(db_default=False, default=False, help_text='On: payouts are approved in a run only, by somebody who did not make it and is not paid by it.'),
        ),
        migrations.AddField(
            model_name='payoutterms',
            name='number_prefix',
            field=models.CharField(blank=True, db_default='', default='', help_text='Such as SB-2026-. What stands before the number.', max_length=20),
        ),
        migrations.AddField(
            model_name='payoutterms',
            name='numbering',
            field=models.CharField(choices=[('brand', 'One series for the brand'), ('affiliate', 'A series for each affiliate')], db_default=affiliates.payouts.rules.Numbering['BRAND'], default=affiliates.payouts.rules.Numbering['BRAND'], max_length=20, verbose_name='numbers of statements'),
        ),
        migrations.AddField(
            model_name='payoutterms',
            name='runs_approve_themselves',
            field=models.BooleanField(db_default=False, default=False, help_text="On: a scheduled run's files are made at once.", verbose_name='runs approve themselves'),
        ),
        migrations.AddField(
            model_name='payoutterms',
            name='tax_note',
            field=models.CharField(blank=True, db_default='', default='', help_text='Such as: Self-billing. Reverse charge.', max_length=255),
        ),
        migrations.AlterField(
            model_name='ledgerposting',
            name='kind',
            field=models.CharField(choices=[('earned', 'Commission earned'), ('held', 'Commission held'), ('released', 'Commission released'), ('approved', 'Commission approved'), ('rejected', 'Commission rejected'), ('reversed', 'Commission reversed'), ('payout_requested', 'Payout requested'), ('payout_paid', 'Payout paid'), ('payout_rejected', 'Payout rejected'), ('bonus', 'Bonus'), ('bonus_held', 'Bonus, held'), ('bonus_released', 'Held bonus released'), ('bonus_withdrawn', 'Held bonus withdrawn'), ('deduction', 'Deduction'), ('payout_returned', 'Payout returned')], max_length=30),
        ),
        migrations.AlterField(
            model_name='payout',
            name='status',
            field=models.CharField(choices=[('requested', 'Requested'), ('approved', 'Approved'), ('exported', 'Being paid'), ('paid', 'Paid'), ('rejected', 'Rejected'), ('returned', 'Returned')], max_length=20),
        ),
        migrations.AlterField(
            model_name='payoutevent',
            name='after',
            field=models.CharField(choices=[('requested', 'Requested'), ('approved', 'Approved'), ('exported', 'Being paid'), ('paid', 'Paid'), ('rejected', 'Rejected'), ('returned', 'Returned')], max_length=20),
        ),
        migrations.AlterField(
            model_name='payoutevent',
            name='before',
            field=models.CharField(blank=True, choices=[('requested', 'Requested'), ('approved', 'Approved'), ('exported', 'Being paid'), ('paid', 'Paid'), ('rejected', 'Rejected'), ('returned', 'Returned')], max_length=20),
        ),
        migrations.AddConstraint(
            model_name='payoutterms',
            constraint=models.CheckConstraint(condition=models.Q(('runs_approve_themselves', False), ('needs_second_person', False), _connector='OR'), name='payout_run_approves_itself_or_needs_a_second_person', violation_error_message='A run that a second person has to approve cannot approve itself.'),
        ),
        migrations.AddField(
            model_name='payoutbatch',
            name='run',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='files', to='affiliates.payoutrun'),
        ),
        migrations.RunPython(guard, unguard, elidable=False),
    ]
