"""Who of staff may change how an affiliate is let in."""

from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ('portal', '0005_user_language'),
        ('otp_totp', '0003_add_timestamps'),
    ]

    operations = [
        migrations.AlterModelOptions(
            name='user',
            options={'base_manager_name': 'objects', 'ordering': ['-created_at', '-id'], 'permissions': [('change_affiliate_credentials', 'Can change e-mail and password of clients who are affiliates')]},
        ),
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
    ]
