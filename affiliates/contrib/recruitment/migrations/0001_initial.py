import affiliates.contrib.recruitment.models
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
            name='Application',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('answers', models.JSONField(blank=True, default=list)),
                ('applied_at', models.DateTimeField()),
                ('affiliate', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='application', to='affiliates.affiliate')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='ProgramTermsVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('text', models.TextField()),
                ('translations', models.JSONField(default=dict)),
                ('effective_from', models.DateTimeField()),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='program_terms', to='affiliates.brand')),
            ],
            options={
                'verbose_name': "version of the program's terms",
                'verbose_name_plural': "versions of the program's terms",
                'ordering': ['brand', '-number'],
                'constraints': [models.UniqueConstraint(fields=('brand', 'number'), name='program_terms_number_is_unique')],
            },
        ),
        migrations.CreateModel(
            name='RecruitmentPolicy',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('approval', models.CharField(choices=[('never', 'Nobody: staff decide each application'), ('paid', 'Clients who have paid an invoice and verified their e-mail address'), ('everybody', 'Everybody')], default='never', help_text='Whose application needs nobody of staff.', max_length=20, verbose_name='approved by itself')),
                ('terms', models.TextField(blank=True, help_text='Applicants accept them. Saving another text makes a new version: affiliates are asked again, and go on earning meanwhile.', max_length=50000, verbose_name='terms of the program')),
                ('translations', models.JSONField(blank=True, default=dict)),
                ('brand', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='recruitment_policy', to='affiliates.brand')),
                ('group', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.affiliategroup')),
                ('plan', models.ForeignKey(blank=True, help_text="Empty: the group's plan, or the brand's default plan.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.commissionplan')),
            ],
            options={
                'verbose_name': 'recruitment',
                'verbose_name_plural': 'recruitment',
                'constraints': [models.CheckConstraint(condition=models.Q(('approval__in', ['never', 'paid', 'everybody'])), name='recruitment_approval_is_known')],
            },
        ),
        migrations.CreateModel(
            name='TermsAcceptance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('accepted_at', models.DateTimeField()),
                ('affiliate', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='accepted_terms', to='affiliates.affiliate')),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='acceptances', to='affiliates_recruitment.programtermsversion')),
            ],
            options={
                'verbose_name': 'accepted version of the terms',
                'verbose_name_plural': 'accepted versions of the terms',
                'ordering': ['-id'],
                'constraints': [models.UniqueConstraint(fields=('affiliate', 'version'), name='terms_are_accepted_once')],
            },
        ),
        migrations.CreateModel(
            name='UnverifiedApplication',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254)),
                ('firstname', models.CharField(max_length=100)),
                ('lastname', models.CharField(max_length=100)),
                ('answers', models.JSONField(blank=True, default=list)),
                ('applied_at', models.DateTimeField(db_index=True)),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='affiliates.brand')),
                ('recruiter', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='affiliates.affiliate')),
                ('terms', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='affiliates_recruitment.programtermsversion')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.CreateModel(
            name='ApplicationQuestion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.CharField(max_length=255, verbose_name='question')),
                ('translations', models.JSONField(blank=True, default=dict)),
                ('is_required', models.BooleanField(default=False, verbose_name='required')),
                ('position', models.PositiveSmallIntegerField(default=0, help_text='Small numbers first.')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='application_questions', to='affiliates.brand')),
            ],
            options={
                'ordering': ['brand', 'position', 'id'],
                'constraints': [models.UniqueConstraint(fields=('brand', 'text'), name='application_asks_a_question_once', violation_error_message='This brand asks that already.')],
            },
        ),
        migrations.CreateModel(
            name='Invitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('email', models.EmailField(max_length=254, verbose_name='e-mail address')),
                ('language', models.CharField(choices=[('en', 'English'), ('de', 'Deutsch')], db_default='', default=affiliates.contrib.recruitment.models.site_language, help_text='Of the e-mail that is sent.', max_length=10)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('affiliate', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='invitation', to='affiliates.affiliate')),
                ('brand', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='invitations', to='affiliates.brand')),
                ('group', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.affiliategroup')),
                ('invited_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('plan', models.ForeignKey(blank=True, help_text="Empty: the group's plan, or the brand's default plan.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='affiliates.commissionplan')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(('revoked_at__isnull', True), ('affiliate__isnull', True), _connector='OR'), name='revoked_invitation_is_not_used')],
            },
        ),
    ]
