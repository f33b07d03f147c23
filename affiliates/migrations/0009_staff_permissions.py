"""What staff other than superusers may be allowed, apart from editing rows."""

from django.db import migrations

class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0008_queue_indexes'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='affiliate',
            options={'ordering': ['code'], 'permissions': [('transfer_affiliate', 'Can transfer what an affiliate has, and merge two')]},
        ),
        migrations.AlterModelOptions(
            name='commission',
            options={'ordering': ['-id'], 'permissions': [('judge_commission', 'Can approve, hold, release and reject commissions')]},
        ),
        migrations.AlterModelOptions(
            name='fraudreview',
            options={'ordering': ['-id'], 'permissions': [('decide_fraudreview', 'Can decide fraud reviews')]},
        ),
        migrations.AlterModelOptions(
            name='missingsaleclaim',
            options={'ordering': ['-created_at'], 'permissions': [('decide_missingsaleclaim', 'Can decide missing sale claims')], 'verbose_name': 'missing sale claim'},
        ),
        migrations.AlterModelOptions(
            name='orderreferral',
            options={'ordering': ['-converted_at'], 'permissions': [('assign_orderreferral', 'Can assign orders to affiliates')]},
        ),
        migrations.AlterModelOptions(
            name='payout',
            options={'ordering': ['-id'], 'permissions': [('approve_payout', 'Can approve and reject payouts'), ('confirm_payout', 'Can export payouts and confirm money')]},
        ),
    ]
