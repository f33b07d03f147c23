"""The page of orders that earned nothing: counted by cause, and the orders of one."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from affiliates.admin_tools.columns import client_link
from affiliates.admin_tools.lists.invoice_numbers import number_invoices
from affiliates.admin_tools.visible import visible_to
from affiliates.brands.models.brand import Brand
from affiliates.contrib.desk.unearned import cause_of, count_by_cause, unearned
from affiliates.contrib.statistics.spans import choose

PAGE = "affiliates/admin/desk/unearned.html"
ORDERS_ON_A_PAGE = 50


def show(request: HttpRequest, site: admin.AdminSite) -> HttpResponse:
    context = {**site.each_context(request), "title": "Orders that earned nothing"}
    brands = visible_to(request.user, Brand.objects.all())
    chosen = choose(request.GET, brands, now=timezone.now())
    if chosen is not None:
        orders = unearned(chosen.brand.pk, chosen.moments)
        causes = count_by_cause(orders)
        context |= {
            "chosen": chosen,
            "causes": [(one, _path(one.cause.page)) for one in causes],
            "total": sum(one.count for one in causes),
        }
        if name := request.GET.get("cause"):
            counts = {one.name: one.count for one in causes}
            context |= _of_cause(request, orders, name, count=counts.get(name, 0))
    return TemplateResponse(request, PAGE, context)


def _of_cause(
    request: HttpRequest, orders: Any, name: str, *, count: int
) -> dict[str, Any]:
    of_cause = orders.filter(cause=name).order_by("-pk")
    rows = of_cause.select_related("client", "affiliate")
    paginator = Paginator(rows, ORDERS_ON_A_PAGE)
    paginator.count = count
    page = paginator.get_page(request.GET.get("p"))
    orders = list(page)
    number_invoices(orders, "invoice_ref")
    return {
        "cause_name": name,
        "cause": cause_of(name),
        "page": page,
        "rows": [(order, client_link(order.client)) for order in orders],
    }


def _path(page: str) -> str:
    return reverse(f"admin:{page}") if page else ""
