from __future__ import annotations

from django.apps import AppConfig


class TapfiliateConfig(AppConfig):
    name = "tapfiliate"
