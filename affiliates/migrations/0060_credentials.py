"""What follows when the credentials of an affiliate's client change."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0059_email_link'),
    ]

    operations = [
        migrations.AddField(
            model_name='affiliate',
            name='cools_off_until',
            field=models.DateTimeField(blank=True, editable=False, help_text="Nothing is paid out before: the client's password or e-mail address was changed.", null=True),
        ),
        migrations.AlterField(
            model_name='affiliatekey',
            name='end',
            field=models.CharField(blank=True, choices=[('revoked', 'Revoked'), ('suspended', "Ended by the affiliate's suspension"), ('credentials', "Ended with the client's password, address or logins")], max_length=20),
        ),
        migrations.AlterField(
            model_name='email',
            name='kind',
            field=models.CharField(blank=True, choices=[('applied', 'Applied'), ('approved', 'Approved'), ('declined', 'Declined'), ('first_referral', 'First referral'), ('sale', 'Sale'), ('commission_approved', 'Commission approved'), ('reversal', 'Reversal'), ('payout_requested', 'Payout requested'), ('paid', 'Payout paid'), ('payout_rejected', 'Payout rejected'), ('destination_changed', 'Destination changed'), ('credentials_changed', 'Credentials changed'), ('transferred', 'Transferred'), ('claim_answered', 'Claim answered'), ('monthly_summary', 'Monthly summary'), ('staff_application', 'To staff: application'), ('staff_payout', 'To staff: payout request'), ('staff_claim', 'To staff: missing sale'), ('staff_integration', 'To staff: integration down')], db_default='', max_length=40),
        ),
        migrations.AlterField(
            model_name='emailchoice',
            name='kind',
            field=models.CharField(choices=[('applied', 'Applied'), ('approved', 'Approved'), ('declined', 'Declined'), ('first_referral', 'First referral'), ('sale', 'Sale'), ('commission_approved', 'Commission approved'), ('reversal', 'Reversal'), ('payout_requested', 'Payout requested'), ('paid', 'Payout paid'), ('payout_rejected', 'Payout rejected'), ('destination_changed', 'Destination changed'), ('credentials_changed', 'Credentials changed'), ('transferred', 'Transferred'), ('claim_answered', 'Claim answered'), ('monthly_summary', 'Monthly summary'), ('staff_application', 'To staff: application'), ('staff_payout', 'To staff: payout request'), ('staff_claim', 'To staff: missing sale'), ('staff_integration', 'To staff: integration down')], max_length=40),
        ),
    ]
