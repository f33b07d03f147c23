"""What was read of a bank's or PayPal's answer, kept beside the file."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("affiliates", "0053_emails_of_no_brand"),
    ]

    operations = [
        migrations.AddField(
            model_name="payoutanswer",
            name="entries",
            field=models.TextField(
                db_default="",
                editable=False,
                help_text="What was read of the file, encrypted.",
            ),
        ),
    ]
