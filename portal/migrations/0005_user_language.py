from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('portal', '0004_log_out_everywhere'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='language',
            field=models.CharField(blank=True, db_default='', default='', choices=[('en', 'English'), ('de', 'Deutsch')], help_text='In which e-mails are written: for a client that of the pages read last.', max_length=10),
        ),
    ]
