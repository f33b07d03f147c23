"""The few pages of every day's work, with what waits beside them, and the page "System".

For the theme's sidebar and for the first page in Django's own admin. Both show what the
person may look at. The System page lists everything else: no page of ours or of the
host's is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import capfirst

from affiliates.admin_tools.naming import labels
from affiliates.admin_tools.theme import host_site
from affiliates.admin_tools.visible import brands_of
from affiliates.contrib.desk.queues import waiting

MORE_ICON = "chevron_right"


RANKING_NEEDS = (
    "affiliates.view_click",
    "affiliates.view_orderreferral",
    "affiliates.view_sale",
    "affiliates.view_commission",
)
OWED_NEEDS = (
    "affiliates.view_accountbalance",
    "affiliates.view_commission",
    "affiliates.view_payout",
)
# The desk's own pages: what each is called, and what looking at it takes.
PAGES = {
    "brand_overview": ("Overview", "affiliates.view_brand"),
    "brand_ranking": ("Ranking", *RANKING_NEEDS),
    "brand_cohorts": ("Cohorts", *RANKING_NEEDS),
    "brand_owed": ("What we owe", *OWED_NEEDS),
    "brand_guide": ("First steps", "affiliates.view_brand"),
    "brand_unearned": (
        "Orders that earned nothing",
        *("affiliates.view_orderreferral", "affiliates.view_commission"),
    ),
    "brand_jobs": ("Background jobs", "affiliates.view_workerjob"),
    "brand_personal_data": ("Personal data", "affiliates.view_brand"),
    "click_try_url": ("Try a URL", "affiliates.view_click"),
    "email_texts": ("What e-mails say", "affiliates.view_email"),
    "brand_system": ("System", "affiliates.view_brand"),
}
# Pages and models of the sidebar, in the order of the work, and their icons.
SIDEBAR: Mapping[str, Mapping[str, str]] = {
    "Every day": {
        "brand_overview": "monitoring",
        "brand_ranking": "leaderboard",
        "brand_cohorts": "calendar_view_month",
        "brand_owed": "request_quote",
    },
    "To do": {},
    "Program": {
        "affiliate": "group",
        "couponcode": "sell",
        "creative": "image",
        "commissionplan": "percent",
        "brand": "storefront",
        "brand_guide": "checklist",
    },
    "Orders and money": {
        "orderreferral": "shopping_cart",
        "clientreferral": "person",
        "brand_unearned": "money_off",
        "commission": "savings",
        "payoutrun": "event_repeat",
        "payout": "payments",
        "payoutanswer": "mark_email_read",
    },
}
SYSTEM_ICON = "settings"
# Of rows that the search finds, besides those of the sidebar.
ICONS = {name: icon for icons in SIDEBAR.values() for name, icon in icons.items()} | {
    "affiliatelink": "link",
    "invoicepayment": "paid",
    "invoicerefund": "undo",
    "refundcancellation": "redo",
    "sale": "receipt_long",
    "click": "ads_click",
    "delivery": "send",
    "missingsaleclaim": "contact_support",
    "email": "mail",
}
# Their rows are for technicians: the first page and the System page count them.
TECHNICAL_QUEUES = ("deliveries", "emails")
# The sidebar's, for a person who may see everything, while every queue has rows.
MOST_ITEMS = 28


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """``count`` is of a queue: in words, and empty where nothing waits."""

    title: str
    path: str
    icon: str = MORE_ICON
    count: str = ""


@dataclass(frozen=True, slots=True)
class Area:
    title: str
    items: Sequence[Item]


def areas(request: HttpRequest, site: admin.AdminSite | None = None) -> list[Area]:
    """Returns this person's areas: ours, then the host's apps and the System page."""
    listed = (site or host_site()).get_app_list(request)
    ours = models_of_ours(listed)
    groups = [
        Area(title, list(_items(request, icons, ours)))
        for title, icons in SIDEBAR.items()
    ]
    groups[1] = Area("To do", list(_queues(request)))
    room = MOST_ITEMS - 1 - sum(len(area.items) for area in groups)
    hosts = [_app(app) for app in _of_the_host(listed)][:room]
    system = page_item(request, "brand_system", SYSTEM_ICON)
    groups.append(Area("Host", [*hosts, *filter(None, [system])]))
    return [area for area in groups if area.items]


def models_of_ours(listed: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The rows of the admin's list of apps that are lists of ours, by their model."""
    labels_of_ours = set(labels().values())
    return {
        row["model"]._meta.model_name: row
        for app in listed
        if app["app_label"] in labels_of_ours
        for row in app["models"]
        if row["admin_url"]
    }


def _of_the_host(listed: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The apps of the host's project and that of its users; others are technical."""
    project = str(settings.ROOT_URLCONF).partition(".")[0]
    users = get_user_model()._meta.app_label
    return [
        app
        for app in listed
        if app["app_label"] not in labels().values()
        and (
            app["app_label"] == users
            or apps.get_app_config(app["app_label"]).name.partition(".")[0] == project
        )
    ]


def _app(app: Mapping[str, Any]) -> Item:
    return Item(title=str(app["name"]), path=app["app_url"], icon="storefront")


def _items(
    request: HttpRequest, icons: Mapping[str, str], ours: Mapping[str, Any]
) -> Iterator[Item]:
    for name, icon in icons.items():
        if name in ours:
            yield item_of(ours[name], icon)
        elif page := page_item(request, name, icon):
            yield page


def page_item(request: HttpRequest, name: str, icon: str = MORE_ICON) -> Item | None:
    """One of the desk's own pages, if this person may look at it."""
    # Superusers have every permission, also for lists of apps that are not installed.
    if name not in PAGES:
        return None
    title, *permissions = PAGES[name]
    if not request.user.has_perms(permissions):
        return None
    if name == "brand_jobs" and brands_of(request.user) is not None:
        return None
    return Item(title=title, path=reverse(f"admin:affiliates_{name}"), icon=icon)


def _queues(request: HttpRequest) -> Iterator[Item]:
    """The queues in which something waits."""
    for queue in waiting(request):
        if queue.count and queue.queue.name not in TECHNICAL_QUEUES:
            yield Item(
                title=queue.queue.title,
                path=queue.path,
                icon=queue.queue.icon,
                count=queue.text,
            )


def item_of(row: Mapping[str, Any], icon: str = MORE_ICON) -> Item:
    return Item(title=str(capfirst(row["name"])), path=row["admin_url"], icon=icon)


def active_item(request: HttpRequest, items: Sequence[Item]) -> Item | None:
    """The item of this very address, with its filter; else the one whose page it is of."""
    first_page = reverse("admin:affiliates_brand_overview")
    here = request.get_full_path()
    path = first_page if request.path == reverse("admin:index") else request.path
    above = [item for item in items if path.startswith(item.path)]
    exact = [item for item in items if item.path == here]
    return max(exact or above, key=lambda row: len(row.path), default=None)
