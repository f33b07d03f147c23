"""The page of an affiliate: the summary and its other sections; the form is an act of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from django.contrib.admin.options import IS_POPUP_VAR
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from affiliates.admin_tools.base import action
from affiliates.admin_tools.editing.returning import BACK
from affiliates.admin_tools.heads import Act, Head
from affiliates.admin_tools.naming import permission_to
from affiliates.admin_tools.theme import register_page
from affiliates.contrib.area.looks.admin import LookPage
from affiliates.contrib.desk.affiliate import sections
from affiliates.contrib.desk.affiliate.listing import AffiliateList
from affiliates.contrib.desk.affiliate.tables import Table
from affiliates.contrib.desk.affiliate.timeline import timeline
from affiliates.contrib.desk.figures.numbers import numbers
from affiliates.contrib.desk.figures.screens import OF_AFFILIATE, Screen
from affiliates.contrib.desk.ranking.rows import person
from affiliates.contrib.statistics.spans import SpanForm, choose_days
from affiliates.program.models import Affiliate

TEMPLATE = "affiliates/admin/affiliate.html"
SUMMARY, STATISTICS, TIMELINE = "summary", "statistics", "timeline"


class Section(NamedTuple):
    """Asks for what it shows alone, of those who may look at rows of these models."""

    title: str
    models: tuple[str, ...]
    tables: Callable[[Affiliate], list[Table]] = lambda affiliate: []


SECTIONS: Mapping[str, Section] = {
    SUMMARY: Section("Summary", ()),
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


def _summary(request: HttpRequest, affiliate: Affiliate) -> dict[str, Any]:
    """The facts for all staff, money and figures for those who may look at them."""

    def may(models: tuple[str, ...]) -> bool:
        return request.user.has_perms(permission_to("view", model) for model in models)

    context: dict[str, Any] = {"facts": sections.facts(affiliate)}
    if may(("accountbalance", "commission")):
        context["tables"] = sections.money(affiliate)
    if may(SECTIONS[STATISTICS].models):
        screen = replace(OF_AFFILIATE, states=(), rankings=())
        context |= _statistics(request, affiliate, SUMMARY, screen)
    return context


def _statistics(
    request: HttpRequest,
    affiliate: Affiliate,
    section: str,
    screen: Screen = OF_AFFILIATE,
) -> dict[str, Any]:
    """By what the first page shows of a brand."""
    now = timezone.now()
    place = {"section": section}
    brand = affiliate.brand
    chosen = choose_days(SpanForm(request.GET, [brand]), brand, [brand], place, now=now)
    screen = replace(screen, affiliate_id=affiliate.pk)
    return {"chosen": chosen, "numbers": numbers(request, chosen, screen, now=now)}


@register_page(Affiliate)
class AffiliateDesk(AffiliateList, LookPage):  # type: ignore[misc] # other columns
    """Every link to an affiliate leads to its sections, the summary first."""

    actions_detail: ClassVar = ("edit", *LookPage.actions_detail)

    @action(description="Edit", url_path="edit", permissions=["change"])
    def edit(self, request: HttpRequest, object_id: str) -> HttpResponse:
        form: HttpResponse = super().change_view(request, object_id)
        return form

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: Any = None,
    ) -> HttpResponse:
        affiliate = self.get_object(request, object_id)
        is_page = request.method == "GET" and IS_POPUP_VAR not in request.GET
        if affiliate and is_page and self.has_view_permission(request, affiliate):
            return self._sections(request, affiliate)
        form: HttpResponse = super().change_view(
            request, object_id, form_url, extra_context
        )
        return form

    def response_post_save_change(self, request: HttpRequest, obj: Any) -> HttpResponse:
        page: HttpResponse = super().response_post_save_change(request, obj)
        return page if BACK in request.GET else HttpResponseRedirect(self.page_of(obj))

    def _sections(self, request: HttpRequest, affiliate: Affiliate) -> HttpResponse:
        seen = {
            name: section
            for name, section in SECTIONS.items()
            if request.user.has_perms(
                permission_to("view", of) for of in section.models
            )
        }
        here = request.GET.get("section", "")
        if here and here not in seen:
            raise PermissionDenied
        here = here or SUMMARY
        context = {
            **self.admin_site.each_context(request),
            "title": f"{seen[here].title} of {affiliate}",
            "opts": self.opts,
            "affiliate": affiliate,
            "here": here,
            "sections": [(name, value.title) for name, value in seen.items()],
            "tables": seen[here].tables(affiliate),
            "steps": timeline(affiliate) if here == TIMELINE else [],
            "original": affiliate,
            "is_summary": here == SUMMARY,
            "may_note": self.has_note_permission(request),
            "head": self.whole_head(request, affiliate),
        }
        if here == STATISTICS:
            context |= _statistics(request, affiliate, here)
        if here == SUMMARY:
            context |= _summary(request, affiliate)
        return TemplateResponse(request, TEMPLATE, context)

    def head_of(self, request: HttpRequest, row: Affiliate) -> Head:
        head = super().head_of(request, row)
        facts = [("Code", row.code), *head.facts, ("Plan", sections.plan_of(row))]
        if request.user.has_perm(permission_to("view", "accountbalance")):
            facts.append(("Payable", sections.payable(row)))
        return replace(head, name=person(row) or row.code, facts=facts)

    def acts_of(self, request: HttpRequest, row: Affiliate) -> list[Act]:
        """Adds the history, which unfold has a button for on forms alone."""
        page = f"{self.admin_site.name}:affiliates_affiliate_history"
        history = ("History", reverse(page, args=[row.pk]))
        return [*super().acts_of(request, row), history]

    def after_note(self, affiliate: Affiliate) -> HttpResponse | None:
        return HttpResponseRedirect(self._section(affiliate, "notes"))

    def _section(self, affiliate: Affiliate, name: str) -> str:
        return f"{self.page_of(affiliate)}?section={name}"
