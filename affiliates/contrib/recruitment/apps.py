from __future__ import annotations

from django.apps import AppConfig


class RecruitmentConfig(AppConfig):
    name = "affiliates.contrib.recruitment"
    label = "affiliates_recruitment"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Affiliates: recruitment"
