import affiliates.core.ids
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
            name='MissingSaleClaim',
            fields=[
                ('id', models.UUIDField(default=affiliates.core.ids.new_id, editable=False, primary_key=True, serialize=False)),
                ('key', models.CharField(editable=False, help_text='Digest of what is claimed: the same again is the same claim.', max_length=64)),
                ('order_hint', models.CharField(blank=True, max_length=64, verbose_name='order or invoice')),
                ('client_hint', models.CharField(blank=True, max_length=254, verbose_name='client')),
                ('ordered_on', models.DateField(blank=True, null=True)),
                ('note', models.CharField(blank=True, max_length=1000)),
                ('status', models.CharField(choices=[('open', 'To be reviewed'), ('answered', 'Answered at once'), ('granted', 'Granted'), ('declined', 'Declined')], max_length=20)),
                ('answer', models.TextField(blank=True, help_text='As the affiliate reads it.')),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField()),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='claims', to='affiliates.affiliate')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.brand')),
                ('decided_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('referral', models.ForeignKey(blank=True, help_text='The order it is about, as far as known to staff.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='claims', to='affiliates.orderreferral')),
            ],
            options={
                'verbose_name': 'missing sale claim',
                'ordering': ['-created_at'],
                'permissions': [('decide_missingsaleclaim', 'Can decide missing sale claims')],
                'indexes': [models.Index(fields=['affiliate', 'created_at'], name='claim_of_affiliate')],
                'constraints': [models.UniqueConstraint(fields=('affiliate', 'key'), name='affiliate_claims_a_sale_once'), models.CheckConstraint(condition=models.Q(models.Q(('status', 'granted'), _negated=True), ('referral__isnull', False), _connector='OR'), name='granted_claim_names_its_order'), models.CheckConstraint(condition=models.Q(models.Q(('decided_at__isnull', False), ('decided_by__isnull', False), ('status__in', ['granted', 'declined'])), models.Q(models.Q(('status__in', ['granted', 'declined']), _negated=True), ('decided_at__isnull', True), ('decided_by__isnull', True)), _connector='OR'), name='decided_claim_names_who_and_when')],
            },
        ),
    ]
