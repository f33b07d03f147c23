"""The page of one client: who sent them, what they ordered, and what it earned."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse

from affiliates.admin_tools.columns import (
    client_link,
    moment,
    page_link,
    row_link,
)
from affiliates.admin_tools.heads import Head
from affiliates.admin_tools.naming import page_name, permission_to
from affiliates.admin_tools.visible import visible_to
from affiliates.commissions.admin_actions import left_text
from affiliates.commissions.models import Commission
from affiliates.commissions.selectors import with_taken_back
from affiliates.contrib.desk.affiliate.tables import Table, table_of
from affiliates.db.accounts import email_of, key_of
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import Sale

PAGE = "affiliates/admin/desk/client.html"


def _referrals(client: Any) -> Table:
    bound = ClientReferral.objects.filter(client=client)
    return table_of(
        "Referral",
        bound.select_related("affiliate").order_by("-pk"),
        {
            "Affiliate": _affiliate,
            "Bound": lambda row: row_link(
                "clientreferral", row.pk, moment(row.bound_at)
            ),
            "By": lambda row: row.get_step_display(),
        },
        nothing="No affiliate has sent this client.",
    )


def _orders(client: Any) -> Table:
    orders = OrderReferral.objects.filter(client=client)
    return table_of(
        "Orders",
        orders.select_related("affiliate").order_by("-pk"),
        {
            "Order": page_link,
            "Decision": lambda row: row.get_outcome_display(),
            "Affiliate": _affiliate,
            "Converted": lambda row: moment(row.converted_at),
        },
        nothing="No order.",
        all_of_them=_list("orderreferral", client),
        invoice_path="invoice_ref",
    )


def _sales(client: Any) -> Table:
    sales = Sale.objects.filter(order_referral__client=client)
    return table_of(
        "Sales",
        sales.order_by("-pk"),
        {
            "Invoice": page_link,
            "Net": lambda row: row.net,
            "Renewal": lambda row: row.renewal_number or "-",
            "Paid": lambda row: moment(row.paid_at),
        },
        nothing="No invoice was paid for which an affiliate is credited.",
        all_of_them=_list("sale", client),
        invoice_path="invoice_ref",
    )


def _commissions(client: Any) -> Table:
    earned = Commission.objects.filter(sale__order_referral__client=client)
    return table_of(
        "Commissions",
        with_taken_back(earned).select_related("affiliate", "sale").order_by("-pk"),
        {
            "Commission": page_link,
            "Invoice": lambda row: row_link("sale", row.sale_id, row.sale),
            "Affiliate": _affiliate,
            "After refunds": left_text,
            "Status": lambda row: row.get_status_display(),
            "Earned": lambda row: moment(row.earned_at),
        },
        nothing="Nothing was earned.",
        all_of_them=_list("commission", client),
        invoice_path="sale.invoice_ref",
    )


# By the model whose rows one must be allowed to see.
TABLES: Mapping[str, Callable[[Any], Table]] = {
    "clientreferral": _referrals,
    "orderreferral": _orders,
    "sale": _sales,
    "commission": _commissions,
}


def _affiliate(row: Any) -> str:
    return page_link(row.affiliate) if row.affiliate else "-"


def _list(model: str, client: Any) -> str:
    email = email_of(client)
    page = reverse(page_name(model, "changelist"))
    return f"{page}?{urlencode({'q': email})}" if email else ""


def client_path(client_id: str) -> str:
    return f"{reverse(page_name('brand', 'client'))}?{urlencode({'id': client_id})}"


def show(request: HttpRequest, site: admin.AdminSite) -> HttpResponse:
    key = key_of(request.GET.get("id", ""))
    clients = get_user_model()._default_manager.filter(pk=key)
    client = visible_to(request.user, clients).first()
    if client is None:
        raise Http404
    tables = [
        read(client)
        for model, read in TABLES.items()
        if request.user.has_perm(permission_to("view", model))
    ]
    context = {
        **site.each_context(request),
        "title": "Client",
        "head": Head(
            name=email_of(client) or str(client),
            facts=[
                ("Account", client_link(client)),
                *((table.title, table.count_text) for table in tables),
            ],
        ),
        "tables": tables,
    }
    return TemplateResponse(request, PAGE, context)
