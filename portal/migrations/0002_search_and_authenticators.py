"""What the first migration cannot make: an index built by itself, and a proxy of a model
that points at users.
"""

from django.db import migrations

from portal.migrations._operations import AddPartsIndex


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ('portal', '0001_initial'),
        ('otp_totp', '0003_add_timestamps'),
    ]

    operations = [
        migrations.CreateModel(
            name='Authenticator',
            fields=[
            ],
            options={
                'proxy': True,
                'default_permissions': (),
                'indexes': [],
                'constraints': [],
            },
            bases=('otp_totp.totpdevice',),
        ),
        AddPartsIndex(
            "portal_user", ("email", "firstname", "lastname"), name="user_by_parts"
        ),
    ]
