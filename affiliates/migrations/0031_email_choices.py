"""Which kinds of e-mail an affiliate does not want."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0030_email_kinds'),
    ]

    operations = [
        migrations.CreateModel(
            name='EmailChoice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('applied', 'Applied'), ('approved', 'Approved'), ('declined', 'Declined'), ('first_referral', 'First referral'), ('sale', 'Sale'), ('commission_approved', 'Commission approved'), ('reversal', 'Reversal'), ('payout_requested', 'Payout requested'), ('paid', 'Payout paid'), ('payout_rejected', 'Payout rejected'), ('destination_changed', 'Destination changed'), ('claim_answered', 'Claim answered')], max_length=40)),
                ('is_wanted', models.BooleanField()),
                ('changed_at', models.DateTimeField()),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='email_choices', to='affiliates.affiliate')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('affiliate', 'kind'), name='affiliate_chooses_a_kind_once')],
            },
        ),
    ]
