"""The pages of the admin by the work they are for, with what waits beside them.

For unfold's sidebar (``SIDEBAR = {"navigation": "affiliates.contrib.desk.navigation.sidebar"}``)
and for the first page in Django's own admin. Both show what the person may look at, and no
page of the host's is lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.text import capfirst

from affiliates.admin_tools.naming import labels
from affiliates.admin_tools.theme import host_site
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
    "click_try_url": ("Try a URL", "affiliates.view_click"),
    "email_texts": ("What e-mails say", "affiliates.view_email"),
}
# Pages and then models, in the order in which they are worked with, and their icons.
EVERY_DAY = {
    "brand_overview": "monitoring",
    "brand_ranking": "leaderboard",
    "brand_cohorts": "calendar_view_month",
}
WORK = {
    "Set up": {
        "brand_guide": "rocket_launch",
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
        "affiliatewebhook": "webhook",
        "importfile": "upload_file",
        "email_texts": "stylus_note",
    },
    "Money": {
        "brand_owed": "request_quote",
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
    "Look up": {
        "brand_unearned": "money_off",
        "click_try_url": "travel_explore",
        "orderreferral": "shopping_cart",
        "sale": "receipt_long",
        "invoicepayment": "paid",
        "invoicerefund": "undo",
        "refundcancellation": "redo",
        "click": "ads_click",
        "clientreferral": "person",
        "decisionoverride": "gavel",
        "missingsaleclaim": "contact_support",
        "fraudreview": "gpp_maybe",
        "payoutrunline": "playlist_add_check",
        "payoutanswerline": "rule_folder",
        "importedrow": "input",
        "arealook": "visibility",
    },
    "Health": {
        "brand_jobs": "schedule",
        "delivery": "send",
        "email": "mail",
        "savedlist": "download",
    },
}
ICONS = {name: icon for icons in WORK.values() for name, icon in icons.items()}


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
    """What this person may see: ours by work, then the host's apps as they are."""
    labels_of_ours = set(labels().values())
    listed = (site or host_site()).get_app_list(request)
    ours = {
        row["model"]._meta.model_name: row
        for app in listed
        if app["app_label"] in labels_of_ours
        for row in app["models"]
        if row["admin_url"]
    }
    every_day = [*_items(request, EVERY_DAY, ours), *_queues(request)]
    found = [Area("Every day", every_day)]
    for title, icons in WORK.items():
        found.append(Area(title, list(_items(request, icons, ours))))
    found.append(Area("More", [_item(row) for row in ours.values()]))
    for app in listed:
        if app["app_label"] not in labels_of_ours:
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
                    "badge": item.count,
                    "badge_variant": "info",
                }
                for item in area.items
            ],
        }
        for place, area in enumerate(groups)
    ]


def _items(
    request: HttpRequest, icons: Mapping[str, str], ours: dict[str, Any]
) -> Iterator[Item]:
    """Takes the models' from ours."""
    for name, icon in icons.items():
        if name in ours:
            yield _item(ours.pop(name), icon)
        elif name in PAGES:
            title, *permissions = PAGES[name]
            if request.user.has_perms(permissions):
                path = reverse(f"admin:affiliates_{name}")
                yield Item(title=title, path=path, icon=icon)


def _queues(request: HttpRequest) -> Iterator[Item]:
    for one in waiting(request):
        yield Item(
            title=one.queue.title,
            path=one.path,
            icon=one.queue.icon,
            count=one.text if one.count else "",
        )


def _item(row: Mapping[str, Any], icon: str = MORE_ICON) -> Item:
    return Item(title=str(capfirst(row["name"])), path=row["admin_url"], icon=icon)


def _active(request: HttpRequest, items: Sequence[Item]) -> Item | None:
    """The item of this very address, with its filter; else the one whose page it is of."""
    first_page = reverse("admin:affiliates_brand_overview")
    here = request.get_full_path()
    path = first_page if request.path == reverse("admin:index") else request.path
    above = [one for one in items if path.startswith(one.path)]
    exact = [one for one in items if one.path == here]
    return max(exact or above, key=lambda one: len(one.path), default=None)
