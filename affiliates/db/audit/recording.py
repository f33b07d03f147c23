"""Who changed which row of the configuration, from what to what.

django-auditlog records it where a host has installed it; nothing here does anything
without. It notices what is saved and deleted one by one; ``records`` hands the rest over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from django.apps import apps
from django.db.models import Model
from django.db.models.signals import pre_save
from django.http import HttpRequest

# Each model, to which apps add their own, and the field that names the row on whose page its changes are shown too.
RECORDED_MODELS = {
    "affiliates.Affiliate": "",
    "affiliates.AffiliateGroup": "brand",
    "affiliates.AffiliateLink": "affiliate",
    "affiliates.Brand": "",
    "affiliates.BrandDomain": "brand",
    "affiliates.CommissionPlan": "brand",
    "affiliates.CouponCode": "affiliate",
    "affiliates.Creative": "brand",
    "affiliates.FraudPolicy": "brand",
    "affiliates.PayoutDestination": "affiliate",
    "affiliates.PayoutTerms": "brand",
    "affiliates.PlanRule": "plan",
    "affiliates.StaffBrand": "brand",
    "affiliates.TrackingIntegration": "brand",
    "affiliates.PayoutAccount": "brand",
    "affiliates.Webhook": "brand",
}
LEFT_OUT = (
    "created_at",
    "credited",
    "credited_on",
    "digest",
    "fingerprint",
    "id",
    "last_used_at",
    "salt",
    "seal",
)
SECRET = ("details", "secrets")
MASK = "•••"

request_of_now: ContextVar[HttpRequest | None] = ContextVar(
    "affiliates_audited_request", default=None
)
_is_off = ContextVar("affiliates_is_unrecorded", default=False)
_recorded: set[type[Model]] = set()


def is_available() -> bool:
    return apps.is_installed("auditlog")


def watch_rows() -> None:
    """To be called once all apps are loaded."""
    if not is_available():
        return
    from auditlog import get_logentry_model
    from auditlog.registry import auditlog

    for name in RECORDED_MODELS:
        model = apps.get_model(name)
        auditlog.register(
            model,
            # Named one by one: a relation that leads here is no column of the row.
            include_fields=[
                field.name
                for field in model._meta.concrete_fields
                if field.name not in LEFT_OUT
            ],
            mask_fields=list(SECRET),
            mask_callable=f"{__name__}.mask",
        )
        _recorded.add(model)
    uid = "affiliates_name_actor"
    pre_save.connect(name_actor, sender=get_logentry_model(), dispatch_uid=uid)


def is_recorded(model: type[Model]) -> bool:
    return model in _recorded


def place_of(row: Any) -> dict[str, Any]:
    """Kept with a change of the row: its brand, and on whose page it is shown too."""
    if row._meta.label == "affiliates.Brand":
        return {"brand": row.pk}
    field = RECORDED_MODELS.get(row._meta.label, "")
    above = {field: getattr(row, f"{field}_id")} if field else {}
    owner = row if hasattr(row, "brand_id") else getattr(row, field, None)
    return {**above, "brand": getattr(owner, "brand_id", None)}


def mask(value: str) -> str:
    """That there is something, and not what."""
    return value if value in {"", "None"} else MASK


def name_actor(instance: Any, **_: Any) -> None:
    """Sets the logged-in user, looked up only when something is recorded."""
    user = getattr(request_of_now.get(), "user", None)
    if instance.actor_id is None and user is not None and user.is_authenticated:
        instance.actor_id = user.pk


def record_created(rows: Iterable[Model]) -> None:
    """Rows that were added without signals."""
    _record((None, row) for row in rows if row.pk is not None)


def record_updated(before: Iterable[Model], after: Mapping[Any, Model]) -> None:
    """Rows that were changed without signals, as they were and as they are, by key."""
    _record((old, after[old.pk]) for old in before if old.pk in after)


@contextmanager
def unrecorded() -> Iterator[None]:
    """Changes in this block are recorded nowhere: an entry would quote what they erase."""
    if not is_available():
        yield
        return
    from auditlog.context import disable_auditlog

    token = _is_off.set(True)
    try:
        with disable_auditlog():
            yield
    finally:
        _is_off.reset(token)


def _record(changed: Iterable[tuple[Model | None, Model]]) -> None:
    if _is_off.get():
        return
    from auditlog import get_logentry_model
    from auditlog.diff import model_instance_diff
    from django.contrib.contenttypes.models import ContentType

    entry_model = get_logentry_model()
    actions, entries = entry_model.Action, []
    for old, new in changed:
        if changes := model_instance_diff(old, new):
            entry = entry_model(
                content_type=ContentType.objects.get_for_model(new),
                object_pk=str(new.pk),
                object_id=new.pk,
                object_repr=str(new),
                action=actions.CREATE if old is None else actions.UPDATE,
                changes=changes,
                additional_data=place_of(new),
            )
            name_actor(entry)
            entries.append(entry)
    entry_model.objects.bulk_create(entries)
