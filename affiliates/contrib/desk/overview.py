"""The operator's first page: how a brand does, what waits for a person, what is broken."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from affiliates.admin_tools.theme import HAS_UNFOLD, host_site
from affiliates.admin_tools.visible import visible_to
from affiliates.brands.models.brand import Brand
from affiliates.contrib.desk.figures.numbers import numbers
from affiliates.contrib.desk.health import parts
from affiliates.contrib.desk.navigation import areas
from affiliates.contrib.desk.queues import waiting
from affiliates.contrib.statistics.spans import choose

PAGE = "affiliates/admin/desk/overview.html"


def first_page(request: HttpRequest) -> HttpResponse:
    """In place of the admin's index, for those who may look at brands."""
    if not request.user.has_perm("affiliates.view_brand"):
        return host_site().index(request)
    return show(request, host_site())


def show(request: HttpRequest, site: admin.AdminSite) -> HttpResponse:
    now = timezone.now()
    context: dict[str, Any] = {
        **site.each_context(request),
        "title": "Overview",
        # unfold's sidebar has them already.
        "areas": [] if HAS_UNFOLD else areas(request, site),
        "health": parts(request, now),
    }
    brands = visible_to(request.user, Brand.objects.all())
    chosen = choose(request.GET, brands, now=now)
    if chosen is not None:
        rows = waiting(request, chosen.brand.pk)
        context |= {
            "chosen": chosen,
            "numbers": numbers(request, chosen, now=now),
            "waiting": [one for one in rows if one.count],
            "idle": [one for one in rows if not one.count],
        }
    return TemplateResponse(request, PAGE, context)
