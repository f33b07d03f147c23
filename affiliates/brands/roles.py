"""Four groups for staff with the permissions of their work, updated after migrations.

Their permissions on this app's tables are reset after every ``migrate``. A host's
permissions for other apps stay; for another mixture of ours, a host makes its own
group, since groups add up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from django.apps import AppConfig
from django.apps import apps as global_apps
from django.contrib.auth import get_user_model
from django.core.exceptions import FieldError
from django.db import DEFAULT_DB_ALIAS, router
from django.db.models import Q
from django.db.models.signals import post_migrate

from affiliates.conf import conf

OPERATOR = "operator"
FINANCE = "finance"
SUPPORT = "support"
READ_ONLY = "read-only"
ROLES = (OPERATOR, FINANCE, SUPPORT, READ_ONLY)

OWN_APP = "affiliates"
AUTH_MODELS = ("Group", "Permission")


class Work(NamedTuple):
    """A role's permissions in one of our apps.

    ``configures`` are the models whose rows it adds, changes and deletes; ``does`` are
    its other permissions.
    """

    configures: tuple[str, ...] = ()
    does: tuple[str, ...] = ()


# By the app's label, then by the role. Apps beside the core add theirs.
WORK: dict[str, Mapping[str, Work]] = {
    OWN_APP: {
        OPERATOR: Work(
            configures=(
                "affiliate",
                "affiliategroup",
                "affiliatelink",
                "brand",
                "branddomain",
                "commissionplan",
                "couponcode",
                "creative",
                "fraudpolicy",
                "planrule",
                "trackingintegration",
                "webhook",
            ),
            does=(
                "add_affiliatenote",
                "assign_orderreferral",
                "change_delivery",
                "change_email",
                "decide_fraudreview",
                "erase_person",
                "export_person",
                "judge_commission",
                "transfer_affiliate",
            ),
        ),
        FINANCE: Work(
            configures=("payoutaccount", "payoutterms"),
            does=(
                "add_adjustment",
                "add_affiliatenote",
                "add_payout",
                "add_payoutdestination",
                "approve_payout",
                "change_adjustment",
                "confirm_payout",
                "judge_commission",
            ),
        ),
        SUPPORT: Work(does=("add_affiliatenote", "change_delivery", "change_email")),
    }
}
# Each role's permissions in apps beside ours.
OF_OTHER_APPS = {
    OPERATOR: ("auditlog.view_logentry",),
    FINANCE: ("auditlog.view_logentry",),
    SUPPORT: (),
    READ_ONLY: ("auditlog.view_logentry",),
}


def group_name(role: str) -> str:
    return f"Affiliates: {role}"


def has_two_who_may(permission: str, *, brand_id: int) -> bool:
    """Whether two active members of staff who see the brand have the permission.

    False for a host whose users have no permissions of Django's.
    """
    app, _, codename = permission.partition(".")
    permissions = global_apps.get_model("auth", "Permission").objects.filter(
        content_type__app_label=app, codename=codename
    )
    limits = global_apps.get_model(OWN_APP, "StaffBrand").objects.values("person_id")
    in_all = ~Q(pk__in=limits) | Q(pk__in=limits.filter(brand_id=brand_id))
    may = Q(user_permissions__in=permissions) | Q(groups__permissions__in=permissions)
    try:
        people = get_user_model()._base_manager.filter(
            Q(is_superuser=True) | may & in_all, is_active=True, is_staff=True
        )
    except FieldError:
        return False
    return people.values("pk").distinct()[1:2].exists()


def register(label: str, work: Mapping[str, Work]) -> None:
    """Registers what each role does in the app of this label."""
    WORK[label] = work


def own_codenames(label: str, role: str) -> set[str]:
    """Every role can view all of our tables: none holds a readable secret."""
    work = WORK[label].get(role, Work())
    models = global_apps.get_app_config(label).get_models()
    views = {
        f"view_{model._meta.model_name}"
        for model in models
        if "view" in model._meta.default_permissions
    }
    configures = {
        f"{verb}_{model}"
        for model in work.configures
        for verb in ("add", "change", "delete")
    }
    return views | configures | set(work.does)


def watch_migrations() -> None:
    post_migrate.connect(_on_migrated, dispatch_uid="affiliates_roles")


def _on_migrated(
    sender: AppConfig,
    using: str = DEFAULT_DB_ALIAS,
    apps: Any = global_apps,
    **_: Any,
) -> None:
    wanted = {role: _codenames_in(sender.label, role) for role in ROLES}
    try:
        # A removed app is not in the migrated state: it gets no groups again.
        for label in {OWN_APP, sender.label}:
            apps.get_app_config(label)
        group, permission = (
            apps.get_model("auth", auth_model) for auth_model in AUTH_MODELS
        )
    except LookupError:
        return
    if any(wanted.values()) and router.allow_migrate_model(using, permission):
        from django.contrib.auth.management import create_permissions

        # Our handler may run before auth's, which creates the permissions.
        create_permissions(sender, verbosity=0, using=using, apps=apps)
        ids = dict(
            permission.objects.using(using)
            .filter(content_type__app_label=sender.label)
            .values_list("codename", "pk")
        )
        _grant(group, sender.label, wanted, ids, using=using)


def _codenames_in(app: str, role: str) -> set[str]:
    """The role's permissions in the app."""
    if app in WORK:
        return own_codenames(app, role)
    names = (*OF_OTHER_APPS[role], *conf.role_permissions.get(role, ()))
    return {name.partition(".")[2] for name in names if name.startswith(f"{app}.")}


def _grant(
    group: Any,
    app: str,
    wanted: dict[str, set[str]],
    ids: dict[str, int],
    *,
    using: str,
) -> None:
    """Needs few queries if nothing is to do: tests empty their tables often."""
    names = {group_name(role): role for role in ROLES}
    ours = group.objects.using(using).filter(name__in=names)
    if ours.count() < len(names):
        groups = group.objects.using(using)
        groups.bulk_create([group(name=name) for name in names], ignore_conflicts=True)
    held = group.permissions.through
    of_app = held.objects.using(using).filter(permission_id__in=ids.values())
    has = set(of_app.filter(group__in=ours).values_list("group_id", "permission_id"))
    right = {
        (pk, ids[permission_id])
        for pk, name in ours.values_list("pk", "name")
        for permission_id in wanted[names[name]] & ids.keys()
    }
    for pk, permission_id in has - right if app in WORK else ():
        of_app.filter(group_id=pk, permission_id=permission_id).delete()
    held.objects.using(using).bulk_create(
        [
            held(group_id=pk, permission_id=permission_id)
            for pk, permission_id in right - has
        ],
        ignore_conflicts=True,
    )
