import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Payment',
            fields=[
                ('invoice_id', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('subscription_id', models.CharField(db_index=True, max_length=64)),
                ('charge_id', models.CharField(db_index=True, max_length=64)),
                ('number', models.PositiveIntegerField()),
            ],
            options={
                'unique_together': {('subscription_id', 'number')},
            },
        ),
        migrations.CreateModel(
            name='Subscription',
            fields=[
                ('stripe_id', models.CharField(max_length=64, primary_key=True, serialize=False)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to=settings.AUTH_USER_MODEL)),
            ],
        ),
    ]
