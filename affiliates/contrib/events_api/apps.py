from __future__ import annotations

from django.apps import AppConfig


class EventsApiConfig(AppConfig):
    name = "affiliates.contrib.events_api"
    label = "affiliates_events_api"
    default_auto_field = "django.db.models.BigAutoField"
    verbose_name = "Affiliates: events API"
