"""The pages of the admin by the work they are for, with what waits beside them.

For unfold's sidebar (``SIDEBAR = {"navigation": "affiliates.desk.navigation.sidebar"}``)
and for the first page in Django's own admin. Both show what the person may look at, and no
page of the host's is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import capfirst

from affiliates.desk.queues import waiting

MORE_ICON = "chevron_right"


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the desk's own, with the permissions that it asks for."""

    name: str
    title: str
    icon: str
    permissions: Sequence[str]


@dataclass(frozen=True, slots=True)
class Work:
    """Its pages, and then the models in the order in which they are worked with."""

    title: str
    pages: Sequence[Page] = ()
    models: Mapping[str, str] = field(default_factory=dict)


EVERY_DAY = Work(
    "Every day",
    pages=(
        Page(
            "affiliates_brand_overview",
            "Overview",
            "monitoring",
            ["affiliates.view_brand"],
        ),
    ),
)
WORK = (
    Work(
        "Set up",
        pages=(
            Page(
                "affiliates_brand_guide",
                "First steps",
                "rocket_launch",
                ["affiliates.view_brand"],
            ),
        ),
        models={
            "brand": "storefront",
            "affiliate": "group",
            "affiliategroup": "groups",
            "invitation": "forward_to_inbox",
            "affiliatelink": "link",
            "affiliatekey": "key",
            "couponcode": "sell",
            "creative": "image",
            "commissionplan": "percent",
            "payoutterms": "rule",
            "trackingintegration": "hub",
            "webhook": "webhook",
            "importfile": "upload_file",
        },
    ),
    Work(
        "Money",
        models={
            "commission": "savings",
            "adjustment": "exposure",
            "payoutrun": "event_repeat",
            "payout": "payments",
            "payoutbatch": "description",
            "payoutanswer": "mark_email_read",
            "payoutstatement": "receipt_long",
            "payoutdestination": "account_balance_wallet",
            "accountbalance": "balance",
            "ledgerposting": "menu_book",
        },
    ),
    Work(
        "Look up",
        pages=(
            Page(
                "affiliates_brand_unearned",
                "Orders that earned nothing",
                "money_off",
                ["affiliates.view_orderreferral", "affiliates.view_commission"],
            ),
            Page(
                "affiliates_click_try_url",
                "Try a URL",
                "travel_explore",
                ["affiliates.view_click"],
            ),
        ),
        models={
            "orderreferral": "shopping_cart",
            "sale": "receipt_long",
            "invoicepayment": "paid",
            "invoicerefund": "undo",
            "click": "ads_click",
            "clientreferral": "person",
            "decisionoverride": "gavel",
            "missingsaleclaim": "contact_support",
            "fraudreview": "gpp_maybe",
            "payoutrunline": "playlist_add_check",
            "payoutanswerline": "rule_folder",
            "importedrow": "input",
        },
    ),
    Work(
        "Health",
        models={"delivery": "send", "email": "mail", "savedlist": "download"},
    ),
)


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


def areas(request: HttpRequest, site: admin.AdminSite = admin.site) -> list[Area]:
    """What this person may see: ours by work, then the host's apps as they are."""
    label = apps.get_app_config("affiliates").label
    listed = site.get_app_list(request)
    ours = {
        row["model"]._meta.model_name: row
        for app in listed
        if app["app_label"] == label
        for row in app["models"]
        if row["admin_url"]
    }
    found = [
        Area(str(EVERY_DAY.title), [*_pages(request, EVERY_DAY), *_queues(request)])
    ]
    for work in WORK:
        rows = [
            _item(ours.pop(name), icon)
            for name, icon in work.models.items()
            if name in ours
        ]
        found.append(Area(str(work.title), [*_pages(request, work), *rows]))
    found.append(Area("More", [_item(row) for row in ours.values()]))
    for app in listed:
        if app["app_label"] != label:
            rows = [_item(row) for row in app["models"] if row["admin_url"]]
            found.append(Area(str(app["name"]), rows))
    return [area for area in found if area.items]


def sidebar(request: HttpRequest) -> list[dict[str, Any]]:
    """As unfold draws it: the longest path that begins this page's is the active one."""
    groups = areas(request)
    here = _active(request, [item for area in groups for item in area.items])
    return [
        {
            "title": area.title,
            "separator": place > 0,
            "items": [
                {
                    "title": item.title,
                    "icon": item.icon,
                    "link": item.path,
                    "active": item is here,
                    **(
                        {"badge": item.count, "badge_variant": "info"}
                        if item.count
                        else {}
                    ),
                }
                for item in area.items
            ],
        }
        for place, area in enumerate(groups)
    ]


def _pages(request: HttpRequest, work: Work) -> Iterator[Item]:
    for page in work.pages:
        if request.user.has_perms(page.permissions):
            path = reverse(f"admin:{page.name}")
            yield Item(title=str(page.title), path=path, icon=page.icon)


def _queues(request: HttpRequest) -> Iterator[Item]:
    for one in waiting(request):
        yield Item(
            title=str(one.queue.title),
            path=one.path,
            icon=one.queue.icon,
            count=one.text if one.count else "",
        )


def _item(row: Mapping[str, Any], icon: str = MORE_ICON) -> Item:
    return Item(
        title=str(capfirst(row["name"])),
        path=row["admin_url"],
        icon=icon,
    )


def _active(request: HttpRequest, items: Sequence[Item]) -> Item | None:
    """The item of this very address, with its filter; else the one whose page it is of."""
    first_page = reverse("admin:affiliates_brand_overview")
    here = request.get_full_path()
    path = first_page if request.path == reverse("admin:index") else request.path
    above = [one for one in items if path.startswith(one.path)]
    exact = [one for one in items if one.path == here]
    return max(exact or above, key=lambda one: len(one.path), default=None)
