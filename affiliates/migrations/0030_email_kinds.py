"""What an e-mail is about, whom it tells, and that it may be left unsent."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0029_recruitment'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='email',
            name='only_open_email_has_next_attempt',
        ),
        migrations.AddField(
            model_name='email',
            name='affiliate',
            field=models.ForeignKey(db_constraint=False, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='emails', to='affiliates.affiliate'),
        ),
        migrations.AddField(
            model_name='email',
            name='kind',
            field=models.CharField(blank=True, choices=[('applied', 'Applied'), ('approved', 'Approved'), ('declined', 'Declined'), ('first_referral', 'First referral'), ('sale', 'Sale'), ('commission_approved', 'Commission approved'), ('reversal', 'Reversal'), ('payout_requested', 'Payout requested'), ('paid', 'Payout paid'), ('payout_rejected', 'Payout rejected'), ('destination_changed', 'Destination changed'), ('claim_answered', 'Claim answered')], db_default='', max_length=40),
        ),
        migrations.AddField(
            model_name='email',
            name='values',
            field=models.JSONField(null=True),
        ),
        migrations.AlterField(
            model_name='email',
            name='state',
            field=models.CharField(choices=[('waiting', 'Waiting'), ('sending', 'Being sent'), ('sent', 'Sent'), ('unclear', 'Unclear'), ('failed', 'Failed'), ('not_sent', 'Not sent')], default='waiting', max_length=20),
        ),
        migrations.AddConstraint(
            model_name='email',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('next_at__isnull', False), ('state__in', ['waiting', 'sending'])), models.Q(('next_at__isnull', True), ('state__in', ['sent', 'unclear', 'failed', 'not_sent'])), _connector='OR'), name='only_open_email_has_next_attempt'),
        ),
    ]
