"""The page "System": everything that is not in the sidebar, each with a line about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from affiliates.admin_tools.naming import labels
from affiliates.contrib.desk.navigation import (
    SIDEBAR,
    TECHNICAL_QUEUES,
    Item,
    item_of,
    models_of_ours,
    page_item,
)
from affiliates.contrib.desk.queues import waiting

PAGE = "affiliates/admin/desk/system.html"
LISTED: Mapping[str, Mapping[str, str]] = {
    "Set up": {
        "staffbrand": "Staff who see and do nothing of the other brands.",
        "affiliategroup": "Affiliates with a plan of their own.",
        "invitation": "People who were invited to the program, and who of them came.",
        "announcement": "E-mails that staff wrote to affiliates, and what came of them.",
        "affiliatelink": "The addresses that affiliates share.",
        "payoutterms": "The smallest payout, the ways to be paid, and when runs are made.",
        "payoutaccount": "Accounts at PayPal and others that payouts are sent from.",
        "offer": "What the friends of affiliates get.",
        "offercode": "Codes that affiliates made within offers.",
        "invoiceterms": "From which sum a payout waits for the affiliate's invoice.",
        "identityterms": "From which sum a payout needs to know who is paid.",
        "trackingintegration": "The affiliate network that a brand uses beside its own program.",
        "webhook": "Addresses of yours that are notified of events.",
        "importfile": "Data of another system, checked and imported from a file.",
        "email_texts": "The texts of all e-mails, with examples.",
    },
    "Records of orders": {
        "click_try_url": "What would happen to a visit to this address.",
        "click": "Every visit through an affiliate's link.",
        "sale": "Paid invoices that an affiliate is credited for.",
        "invoicepayment": "Payments as the host reported them.",
        "invoicerefund": "Refunds and chargebacks as the host reported them.",
        "refundcancellation": "Refunds and chargebacks that were withdrawn.",
        "stripeevent": "Events of Stripe, and why one waits or was refused.",
        "decisionoverride": "Orders that staff gave to another affiliate, or to nobody.",
        "fraudreview": "Sales with signals of fraud, also those already decided.",
        "missingsaleclaim": "Claims of missing sales, also those already answered.",
    },
    "Records of money": {
        "adjustment": "Bonuses and deductions.",
        "payoutdestination": "Where affiliates are paid to.",
        "taxidentity": "Who is paid: names, addresses and numbers of affiliates.",
        "payoutinvoice": "Invoices that affiliates sent for payouts.",
        "payoutbatch": "Files for PayPal and the bank.",
        "payoutanswerline": "Each line of these answers, and its effect.",
        "payoutrunline": "What each run pays an affiliate, or why it pays nothing.",
        "payoutstatement": "The statement of each payout.",
        "accountbalance": "The balance of each account in the books.",
        "ledgerposting": "Every movement between these accounts.",
    },
    "Operation": {
        "brand_jobs": "What runs in the background, when it last ran, and its outcome.",
        "brand_personal_data": "Whose data is stored, why and how long: the record of "
        "processing.",
        "erasure": "Whose data was asked to be erased, by whom, and when it was done.",
        "delivery": "Messages to networks and webhooks, and their answers.",
        "email": "Every e-mail to affiliates and staff, and whether it was sent.",
        "savedlist": "Files of large lists that you have asked for.",
        "importedrow": "What imports have created.",
        "brandkey": "Keys of your billing system and other programs.",
        "affiliatekey": "API keys of affiliates.",
        "affiliatewebhook": "Webhooks of affiliates.",
        "arealook": "Who of staff looked at an affiliate's area.",
    },
}
# Lists of other packages that hosts usually install.
LINES_OF_OTHERS = {
    "auth.group": "Roles of staff, with their permissions.",
    "auth.user": "Clients and staff.",
    "auditlog.logentry": "Who changed which setting, and when.",
}


@dataclass(frozen=True, slots=True)
class Line:
    item: Item
    about: str
    count: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    lines: list[Line]


def show(request: HttpRequest, site: admin.AdminSite) -> HttpResponse:
    context = {
        **site.each_context(request),
        "title": "System",
        "groups": groups(request, site),
    }
    return TemplateResponse(request, PAGE, context)


def groups(request: HttpRequest, site: admin.AdminSite) -> list[Group]:
    """Everything that this person may see and the sidebar does not name."""
    listed = site.get_app_list(request)
    ours = models_of_ours(listed)
    for names in SIDEBAR.values():
        for name in names:
            ours.pop(name, None)
    counts = {
        str(one.queue.model._meta.model_name): one.text
        for one in waiting(request)
        if one.count and one.queue.name in TECHNICAL_QUEUES
    }
    found = [
        Group(title, list(_lines(request, names, ours, counts)))
        for title, names in LISTED.items()
    ]
    found.append(Group("More", [Line(item_of(row), "") for row in ours.values()]))
    own = set(labels().values())
    for app in listed:
        if app["app_label"] not in own:
            rows = [row for row in app["models"] if row["admin_url"]]
            lines = [Line(item_of(row), _line_of_other(row)) for row in rows]
            found.append(Group(str(app["name"]), lines))
    return [one for one in found if one.lines]


def _lines(
    request: HttpRequest,
    names: Mapping[str, str],
    ours: dict[str, Any],
    counts: Mapping[str, str],
) -> Iterator[Line]:
    """Takes the models' rows from ``ours``."""
    for name, about in names.items():
        row = ours.pop(name, None)
        item = page_item(request, name) if row is None else item_of(row)
        if item is not None:
            yield Line(item, about, counts.get(name, ""))


def _line_of_other(row: Mapping[str, Any]) -> str:
    return LINES_OF_OTHERS.get(row["model"]._meta.label_lower, "")
