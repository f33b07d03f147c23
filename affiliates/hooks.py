"""Finds our apps, and the ``affiliates_hooks.py`` of every installed app."""

from __future__ import annotations

from django.apps import AppConfig, apps
from django.utils.module_loading import autodiscover_modules

CORE = "affiliates"
# Begins the labels of the apps beside the core.
BESIDE = f"{CORE}_"


def own_apps() -> list[AppConfig]:
    """The core and the apps beside it that this host has installed."""
    return [
        config
        for config in apps.get_app_configs()
        if config.name == CORE or config.name.startswith(f"{CORE}.")
    ]


def discover() -> None:
    """Imports each app's hooks, in which it registers what it adds to ours."""
    autodiscover_modules("affiliates_hooks")
