"""The page of an affiliate: all there is to know, notes, transfers and suspension."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from affiliates.admin_tools.base import action
from affiliates.admin_tools.naming import permission_to
from affiliates.admin_tools.theme import register_page
from affiliates.contrib.area.looks.admin import LookPage
from affiliates.contrib.area.looks.services import PERMISSION
from affiliates.contrib.desk.affiliate import sections
from affiliates.contrib.desk.affiliate.timeline import timeline
from affiliates.contrib.desk.figures.numbers import numbers
from affiliates.contrib.desk.figures.screens import OF_AFFILIATE
from affiliates.contrib.statistics.spans import SpanForm, choose_days
from affiliates.program.models import Affiliate

TEMPLATE = "affiliates/admin/affiliate.html"
STATISTICS, TIMELINE = "statistics", "timeline"


class Section(NamedTuple):
    """Asks for what it shows alone, of those who may look at rows of these models."""

    title: str
    models: tuple[str, ...]
    tables: Callable[[Affiliate], list[sections.Table]] = lambda affiliate: []


SECTIONS: Mapping[str, Section] = {
    "summary": Section("Summary", ("accountbalance", "commission"), sections.summary),
    STATISTICS: Section("Statistics", ("click", "orderreferral")),
    "links": Section("Links and clicks", ("affiliatelink", "click"), sections.links),
    "clients": Section("Clients", ("clientreferral",), sections.clients),
    "orders": Section("Orders", ("orderreferral",), sections.orders),
    "commissions": Section("Commissions", ("commission",), sections.commissions),
    "payouts": Section("Payouts", ("payout", "payoutdestination"), sections.payouts),
    "emails": Section("E-mails", ("email",), sections.emails),
    "notes": Section("Notes", ("affiliatenote",), sections.notes),
    TIMELINE: Section("Timeline", ("affiliatenote", "payout")),
}


def _statistics(request: HttpRequest, affiliate: Affiliate) -> dict[str, Any]:
    """By what the first page shows of a brand."""
    now = timezone.now()
    place = {"section": STATISTICS}
    brand = affiliate.brand
    chosen = choose_days(SpanForm(request.GET), brand, [brand], place, now=now)
    screen = replace(OF_AFFILIATE, affiliate_id=affiliate.pk)
    return {"chosen": chosen, "numbers": numbers(request, chosen, screen, now=now)}


@register_page(Affiliate)
class AffiliateDesk(LookPage):
    """Everything about an affiliate, in sections."""

    actions_detail: ClassVar = (*LookPage.actions_detail, "overview")

    @action(description="Everything about it", url_path="all", permissions=["view"])
    def overview(self, request: HttpRequest, object_id: str) -> HttpResponse:
        affiliate = self.row_of(request, object_id)
        seen = {
            name: one
            for name, one in SECTIONS.items()
            if request.user.has_perms(permission_to("view", of) for of in one.models)
        }
        here = request.GET.get("section", "")
        if not seen or (here and here not in seen):
            raise PermissionDenied
        here = here or next(iter(seen))
        context = {
            **self.admin_site.each_context(request),
            "title": f"{affiliate}: {seen[here].title}",
            "opts": self.opts,
            "affiliate": affiliate,
            "here": here,
            "sections": [(name, one.title) for name, one in seen.items()],
            "tables": seen[here].tables(affiliate),
            "steps": timeline(affiliate) if here == TIMELINE else [],
            "back": self.page_of(affiliate),
            "may_note": self.has_note_permission(request),
            "may_look": request.user.has_perm(PERMISSION),
        }
        if here == STATISTICS:
            context |= _statistics(request, affiliate)
        return TemplateResponse(request, TEMPLATE, context)

    def after_note(self, affiliate: Affiliate) -> HttpResponse | None:
        return HttpResponseRedirect(self._section(affiliate, "notes"))

    def _section(self, affiliate: Affiliate, name: str) -> str:
        page = f"{self.admin_site.name}:affiliates_affiliate_overview"
        return f"{reverse(page, args=[affiliate.pk])}?section={name}"
