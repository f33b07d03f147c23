"""What a browser's Global Privacy Control means to a brand."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('affiliates', '0005_worker_jobs'),
    ]

    operations = [
        migrations.AddField(
            model_name='brand',
            name='privacy_control',
            field=models.CharField(choices=[('not_considered', 'Not considered'), ('refusal', 'Counts as a refusal')], db_default='not_considered', default='not_considered', help_text="What it means that a visitor's browser sends Sec-GPC: 1 (Firefox, Brave and DuckDuckGo can). Not considered: such visitors are tracked like all others. Counts as a refusal: their visits leave no click and no cookie, a cookie they hold is taken back, and nobody is told. Affiliates then earn from them only by a coupon, or where they had registered before.", max_length=20, verbose_name='Global Privacy Control'),
        ),
    ]
