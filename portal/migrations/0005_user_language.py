from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('portal', '0004_log_out_everywhere'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='language',
            field=models.CharField(blank=True, db_default='', default='', editable=False, help_text='Of the pages that the client read last. E-mails are written in it.', max_length=10),
        ),
    ]
