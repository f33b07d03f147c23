"""The writer of what follows from a change of configuration: its versions."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.apps import apps
from django.db import transaction
from django.db.models.signals import post_delete, post_migrate, post_save
from django.utils import timezone

from affiliates.brands.models import AttributionPolicyVersion, Brand, ConfigVersion
from affiliates.core.versions import next_version

WATCHED_MODELS = (
    "Brand",
    "BrandDomain",
    "Affiliate",
    "AffiliateLink",
    "TrackingIntegration",
    "Webhook",
)


def touch_configuration() -> None:
    """Tell every process, on commit, that what visits are decided by has changed."""
    ConfigVersion.objects.update_or_create(
        id=ConfigVersion.SINGLETON, defaults={"token": uuid.uuid4()}
    )


@transaction.atomic
def publish_policy(brand_id: int, *, now: datetime) -> AttributionPolicyVersion:
    """Make the brand's terms of now a version, unless its latest says the same.

    To be called in the transaction that saved the brand.
    """
    brand = Brand.objects.select_for_update().get(pk=brand_id)
    terms = brand.terms()
    latest = brand.policy_versions.order_by("-number").first()
    if latest is not None and latest.digest == terms.digest:
        return latest
    number, effective_from = next_version(latest, now=now)
    return AttributionPolicyVersion.objects.create(
        brand=brand,
        number=number,
        terms=terms.to_json(),
        digest=terms.digest,
        effective_from=effective_from,
    )


@transaction.atomic
def publish_missing_policies(*, now: datetime) -> None:
    """Give brands from before there were versions their first one."""
    unversioned = Brand.objects.filter(policy_versions__isnull=True)
    ids = list(unversioned.values_list("pk", flat=True))
    for brand_id in ids:
        publish_policy(brand_id, now=now)
    if ids:
        touch_configuration()


def watch_configuration() -> None:
    """Touch the version with every saved or deleted row that a visit depends on.

    Signals, because such rows are written from many places: admin, seeds, imports.
    """
    for name in WATCHED_MODELS:
        model = apps.get_model("affiliates", name)
        uid = f"affiliates_touch_{name}"
        post_save.connect(_on_change, sender=model, dispatch_uid=f"{uid}_save")
        post_delete.connect(_on_change, sender=model, dispatch_uid=f"{uid}_delete")
    post_save.connect(
        _on_brand_saved, sender=Brand, dispatch_uid="affiliates_publish_policy"
    )
    post_migrate.connect(
        _on_migrated,
        sender=apps.get_app_config("affiliates"),
        dispatch_uid="affiliates_publish_missing_policies",
    )


def _on_change(raw: bool = False, **_: Any) -> None:
    if not raw:
        touch_configuration()


def _on_brand_saved(instance: Brand, raw: bool = False, **_: Any) -> None:
    if not raw:
        publish_policy(instance.pk, now=timezone.now())


def _on_migrated(apps: Any = apps, **_: Any) -> None:
    try:
        apps.get_model("affiliates", AttributionPolicyVersion.__name__)
    except LookupError:
        # Migrated to where there are no versions yet.
        return
    publish_missing_policies(now=timezone.now())
