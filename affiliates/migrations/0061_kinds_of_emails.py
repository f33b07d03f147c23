"""The kinds of e-mails, those of credentials and cancelled refunds among them."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0060_credentials'),
    ]

    operations = [
        migrations.AlterField(
            model_name='email',
            name='kind',
            field=models.CharField(blank=True, choices=[('applied', 'Applied'), ('approved', 'Approved'), ('declined', 'Declined'), ('first_referral', 'First referral'), ('sale', 'Sale'), ('commission_approved', 'Commission approved'), ('reversal', 'Reversal'), ('restoration', 'Restoration'), ('payout_requested', 'Payout requested'), ('paid', 'Payout paid'), ('payout_rejected', 'Payout rejected'), ('destination_changed', 'Destination changed'), ('credentials_changed', 'Credentials changed'), ('transferred', 'Transferred'), ('claim_answered', 'Claim answered'), ('monthly_summary', 'Monthly summary'), ('staff_application', 'To staff: application'), ('staff_payout', 'To staff: payout request'), ('staff_claim', 'To staff: missing sale'), ('staff_integration', 'To staff: integration down')], db_default='', max_length=40),
        ),
        migrations.AlterField(
            model_name='emailchoice',
            name='kind',
            field=models.CharField(choices=[('applied', 'Applied'), ('approved', 'Approved'), ('declined', 'Declined'), ('first_referral', 'First referral'), ('sale', 'Sale'), ('commission_approved', 'Commission approved'), ('reversal', 'Reversal'), ('restoration', 'Restoration'), ('payout_requested', 'Payout requested'), ('paid', 'Payout paid'), ('payout_rejected', 'Payout rejected'), ('destination_changed', 'Destination changed'), ('credentials_changed', 'Credentials changed'), ('transferred', 'Transferred'), ('claim_answered', 'Claim answered'), ('monthly_summary', 'Monthly summary'), ('staff_application', 'To staff: application'), ('staff_payout', 'To staff: payout request'), ('staff_claim', 'To staff: missing sale'), ('staff_integration', 'To staff: integration down')], max_length=40),
        ),
    ]
