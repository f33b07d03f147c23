from __future__ import annotations

from django.apps import AppConfig


class AnnouncementsConfig(AppConfig):
    name = "affiliates.contrib.announcements"
    label = "affiliates_announcements"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Affiliates: announcements"
