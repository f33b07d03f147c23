"""The operator's first page: how a brand does, what waits for a person, what is broken."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from affiliates.admin_tools.theme import HAS_UNFOLD, host_site
from affiliates.contrib.desk.brand_choice.choosing import choose
from affiliates.contrib.desk.figures.by_brand import by_brand
from affiliates.contrib.desk.figures.numbers import numbers
from affiliates.contrib.desk.navigation import areas
from affiliates.contrib.desk.queues import count_queues, waiting
from affiliates.contrib.desk.system.health import parts
from affiliates.contrib.statistics.spans import Chosen
from affiliates.program.models import Affiliate

PAGE = "affiliates/admin/desk/overview.html"


def first_page(request: HttpRequest) -> HttpResponse:
    """In place of the admin's index, for those who may look at brands."""
    if not request.user.has_perm("affiliates.view_brand"):
        return host_site().index(request)
    return show(request, host_site())


def show(request: HttpRequest, site: admin.AdminSite) -> HttpResponse:
    now = timezone.now()
    chosen = choose(request, now=now, offers_all=True)
    shown = {} if chosen is None else _shown(request, chosen, now)
    context: dict[str, Any] = {
        **site.each_context(request),
        "title": "Overview",
        # unfold's sidebar has them already.
        "areas": [] if HAS_UNFOLD else areas(request, site),
        "health": parts(request, now),
        **shown,
    }
    return TemplateResponse(request, PAGE, context)


def _shown(request: HttpRequest, chosen: Chosen, now: datetime) -> dict[str, Any]:
    brand_id = None if chosen.is_all else chosen.brand.pk
    # The sidebar shows those of all brands.
    count_queues(request, None, brand_id)
    rows = waiting(request, brand_id)
    figures = (
        {"by_brand": by_brand(request, chosen, now=now)}
        if chosen.is_all
        else _of_brand(request, chosen, numbers(request, chosen, now=now))
    )
    return {
        **figures,
        "chosen": chosen,
        "waiting": [row for row in rows if row.count],
        "idle": [row for row in rows if not row.count],
    }


def _of_brand(
    request: HttpRequest, chosen: Chosen, shown: dict[str, Any]
) -> dict[str, Any]:
    """One chart at a time; a brand without affiliates gets its first steps instead."""
    charts = shown["charts"]
    number = request.GET.get("chart", "")
    place = int(number) if number in map(str, range(len(charts))) else 0
    has_any = charts or Affiliate.objects.filter(brand=chosen.brand).exists()
    return {
        "numbers": shown,
        "is_new": not has_any,
        "place": place,
        "charts": charts[place : place + 1],
    }
