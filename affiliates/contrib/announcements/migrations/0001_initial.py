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
            name='Announcement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject', models.CharField(max_length=150)),
                ('subject_translations', models.JSONField(blank=True, default=dict)),
                ('text', models.TextField(max_length=10000)),
                ('text_translations', models.JSONField(blank=True, default=dict)),
                ('links', models.JSONField(default=list, editable=False)),
                ('audience', models.TextField(editable=False, verbose_name='to')),
                ('query', models.TextField(editable=False, verbose_name='filters')),
                ('state', models.CharField(choices=[('draft', 'Draft'), ('sending', 'Being sent'), ('sent', 'Sent')], default='draft', editable=False, max_length=10)),
                ('sent_at', models.DateTimeField(editable=False, null=True, verbose_name='sent')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('sent_by', models.ForeignKey(blank=True, editable=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-id'],
                'permissions': [('send_announcement', 'Can send announcements to affiliates')],
                'default_permissions': ('change', 'view'),
                'constraints': [models.CheckConstraint(condition=models.Q(('state', 'draft'), models.Q(('sent_at__isnull', False), ('sent_by__isnull', False)), _connector='OR'), name='sent_announcement_has_a_sender')],
            },
        ),
        migrations.CreateModel(
            name='AnnouncementRecipient',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField(null=True)),
                ('left_out', models.CharField(blank=True, choices=[('not_active', 'Not active: applied, suspended or left'), ('switched_off', 'Has switched announcements off'), ('no_address', 'Has no e-mail address'), ('one_today', 'Has an announcement of today already')], max_length=20)),
                ('opened', models.JSONField(default=dict)),
                ('affiliate', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='announcements', to='affiliates.affiliate')),
                ('announcement', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='recipients', to='affiliates_announcements.announcement')),
                ('email', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='affiliates.email')),
            ],
            options={
                'verbose_name': 'recipient',
                'ordering': ['id'],
                'default_permissions': ('view',),
                'constraints': [models.UniqueConstraint(fields=('announcement', 'affiliate'), name='affiliate_is_announced_to_once'), models.UniqueConstraint(fields=('affiliate', 'day'), name='affiliate_gets_one_announcement_a_day'), models.CheckConstraint(condition=models.Q(models.Q(('day__isnull', True), ('email__isnull', True)), models.Q(('day__isnull', False), ('email__isnull', False), ('left_out', '')), _connector='OR'), name='recipient_has_an_email_or_is_left_out')],
            },
        ),
    ]
