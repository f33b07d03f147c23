"""Where a brand's staff are told of what waits for them."""

import affiliates.brands.models.fields
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0035_invitations'),
    ]

    operations = [
        migrations.AddField(
            model_name='brand',
            name='staff_emails',
            field=models.CharField(blank=True, db_default='', default='', help_text='Who reads of applications, payout requests, missing sales and integrations that are down. Several are divided by commas; empty: nobody.', max_length=1000, validators=[affiliates.brands.models.fields.require_addresses], verbose_name='e-mail addresses of staff'),
        ),
        migrations.AlterField(
            model_name='email',
            name='kind',
            field=models.CharField(blank=True, choices=[('applied', 'Applied'), ('approved', 'Approved'), ('declined', 'Declined'), ('first_referral', 'First referral'), ('sale', 'Sale'), ('commission_approved', 'Commission approved'), ('reversal', 'Reversal'), ('payout_requested', 'Payout requested'), ('paid', 'Payout paid'), ('payout_rejected', 'Payout rejected'), ('destination_changed', 'Destination changed'), ('claim_answered', 'Claim answered'), ('monthly_summary', 'Monthly summary'), ('staff_application', 'To staff: application'), ('staff_payout', 'To staff: payout request'), ('staff_claim', 'To staff: missing sale'), ('staff_integration', 'To staff: integration down')], db_default='', max_length=40),
        ),
        migrations.AlterField(
            model_name='emailchoice',
            name='kind',
            field=models.CharField(choices=[('applied', 'Applied'), ('approved', 'Approved'), ('declined', 'Declined'), ('first_referral', 'First referral'), ('sale', 'Sale'), ('commission_approved', 'Commission approved'), ('reversal', 'Reversal'), ('payout_requested', 'Payout requested'), ('paid', 'Payout paid'), ('payout_rejected', 'Payout rejected'), ('destination_changed', 'Destination changed'), ('claim_answered', 'Claim answered'), ('monthly_summary', 'Monthly summary'), ('staff_application', 'To staff: application'), ('staff_payout', 'To staff: payout request'), ('staff_claim', 'To staff: missing sale'), ('staff_integration', 'To staff: integration down')], max_length=40),
        ),
    ]
