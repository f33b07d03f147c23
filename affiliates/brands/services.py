"""The writer of the configuration version: every process follows it."""

from __future__ import annotations

import uuid
from typing import Any

from django.apps import apps
from django.db.models.signals import post_delete, post_save

from affiliates.brands.models import ConfigVersion

WATCHED_MODELS = ("Brand", "BrandDomain", "Affiliate", "AffiliateLink")


def touch_configuration() -> None:
    """Tell every process, on commit, that what visits are decided by has changed."""
    ConfigVersion.objects.update_or_create(
        id=ConfigVersion.SINGLETON, defaults={"token": uuid.uuid4()}
    )


def watch_configuration() -> None:
    """Touch the version with every saved or deleted row that a visit depends on.

    Signals, because such rows are written from many places: admin, seeds, imports.
    """
    for name in WATCHED_MODELS:
        model = apps.get_model("affiliates", name)
        uid = f"affiliates_touch_{name}"
        post_save.connect(_on_change, sender=model, dispatch_uid=f"{uid}_save")
        post_delete.connect(_on_change, sender=model, dispatch_uid=f"{uid}_delete")


def _on_change(raw: bool = False, **_: Any) -> None:
    if not raw:
        touch_configuration()
