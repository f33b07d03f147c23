"""Writes the results of a change: versions, and notices to processes."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from functools import partial
from typing import Any

from django.apps import apps
from django.db import transaction
from django.db.models import Model
from django.db.models.signals import post_delete, post_save
from django.utils import timezone

from affiliates.brands.config_cache import config_database
from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import ConfigChange
from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.brands.rules import ChangeKind
from affiliates.core.versions import publish
from affiliates.uploads.drawing import Picture
from affiliates.uploads.images import remove_picture, save_picture

# What a saved or deleted row of the model changes, and the field a link names it by.
WATCHED_MODELS = {
    "Brand": (ChangeKind.BRAND, ""),
    "BrandDomain": (ChangeKind.BRAND, ""),
    "FraudPolicy": (ChangeKind.BRAND, ""),
    "TrackingIntegration": (ChangeKind.INTEGRATION, ""),
    "Webhook": (ChangeKind.INTEGRATION, ""),
    "Affiliate": (ChangeKind.AFFILIATE, "code"),
    "AffiliateLink": (ChangeKind.LINK, "hash"),
}
# On average, the rows are cleared once in this many changes.
CLEAR_EVERY = 256


def record_changes(changes: Collection[ConfigChange], *, using: str = "") -> None:
    """Notify every process, on commit, what it has to ask for again.

    For what is written without signals: an update or a bulk of rows.
    """
    using = using or config_database()
    if len(changes) > CLEAR_EVERY:
        changes = [ConfigChange(kind=ChangeKind.EVERYTHING)]
    ConfigChange.objects.using(using).bulk_create(changes)
    if any(change.id.bytes[-1] % CLEAR_EVERY == 0 for change in changes):
        clear = partial(clear_changes, using=using)
        transaction.on_commit(clear, using=using, robust=True)


def clear_changes(*, using: str) -> None:
    """Instead of many rows one for all of them, and for any that a process
    may not have seen yet."""
    with transaction.atomic(using=using):
        ConfigChange.objects.using(using).delete()
        ConfigChange.objects.using(using).create(kind=ChangeKind.EVERYTHING)


def set_logo(brand: Brand, picture: Picture | None) -> None:
    """Sets the logo of a brand that the caller then saves. None removes it."""
    before, brand.logo = brand.logo, save_picture(picture) if picture else ""
    if before:
        transaction.on_commit(partial(remove_picture, before), robust=True)


@transaction.atomic
def publish_policy(brand_id: int, *, now: datetime) -> AttributionPolicyVersion:
    """Make the brand's terms of now a version, unless its latest says the same.

    To be called in the transaction that saved the brand.
    """
    brand = Brand.objects.select_for_update(no_key=True).get(pk=brand_id)
    version: AttributionPolicyVersion = publish(
        brand.policy_versions, brand.terms(), now=now
    )
    return version


def watch_configuration() -> None:
    """Record every saved or deleted row that a visit depends on.

    Signals, because such rows are written from many places: admin, seeds, imports.
    """
    for name in WATCHED_MODELS:
        model = apps.get_model("affiliates", name)
        uid = f"affiliates_record_{name}"
        post_save.connect(_on_change, sender=model, dispatch_uid=f"{uid}_save")
        post_delete.connect(_on_change, sender=model, dispatch_uid=f"{uid}_delete")
    post_save.connect(
        _on_brand_saved, sender=Brand, dispatch_uid="affiliates_publish_policy"
    )


def _on_change(sender: type[Model], instance: Model, using: str, **_: Any) -> None:
    kind, token_field = WATCHED_MODELS[sender.__name__]
    token = getattr(instance, token_field) if token_field else ""
    change = ConfigChange(kind=kind, subject_id=instance.pk, token=token)
    record_changes([change], using=using)


def _on_brand_saved(instance: Brand, raw: bool = False, **_: Any) -> None:
    if not raw:
        publish_policy(instance.pk, now=timezone.now())
