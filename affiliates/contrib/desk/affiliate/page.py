"""The page of an affiliate: all there is to know, notes, transfers and suspension."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import OnlyWhatIsPossible, action, requires
from affiliates.admin_tools.confirmation import Question, answer_of, list_rows
from affiliates.contrib.area.looks.services import PERMISSION
from affiliates.contrib.desk.affiliate import sections
from affiliates.contrib.desk.affiliate.suspension import (
    SuspendWithPendingForm,
    what_suspending_means,
)
from affiliates.contrib.desk.affiliate.timeline import timeline
from affiliates.contrib.desk.figures.numbers import numbers
from affiliates.contrib.desk.figures.screens import OF_AFFILIATE
from affiliates.contrib.statistics.spans import (SpanForm, choose_days,)
from affiliates.membership.suspensions import (
    WhatIsPending,
    suspend,
)
from affiliates.program.admin import SHOWN_OF_AFFILIATE, AffiliateAdmin
from affiliates.program.history_models import MAX_NOTE
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import add_note

TEMPLATE = "affiliates/admin/affiliate.html"
STATISTICS, TIMELINE = "statistics", "timeline"
SUSPEND, ACTIVATE = "suspend", "activate"


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


class NoteForm(forms.Form):
    text = forms.CharField(
        label="Note",
        max_length=MAX_NOTE,
        widget=widgets.Textarea,
        help_text="For staff: the affiliate never sees it.",
    )


def _statistics(request: HttpRequest, affiliate: Affiliate) -> dict[str, Any]:
    """By what the first page shows of a brand."""
    now = timezone.now()
    place = {"section": STATISTICS}
    brand = affiliate.brand
    chosen = choose_days(SpanForm(request.GET), brand, [brand], place, now=now)
    screen = replace(OF_AFFILIATE, affiliate_id=affiliate.pk)
    return {"chosen": chosen, "numbers": numbers(request, chosen, screen, now=now)}


class AffiliateDesk(OnlyWhatIsPossible, AffiliateAdmin):
    actions_detail: ClassVar = (
        "overview",
        *AffiliateAdmin.actions_detail,
        "suspend_this",
        "activate_this",
        "note",
    )

    def is_possible(self, row: Affiliate, path: str) -> bool:
        """Who waits for approval is approved or declined; who was merged, in the list."""
        shown = {
            SUSPEND: AffiliateStatus.ACTIVE,
            ACTIVATE: AffiliateStatus.SUSPENDED,
        }
        is_merged = path == ACTIVATE and row.merged_into_id is not None
        return shown.get(path, row.status) == row.status and not is_merged

    has_note_permission = requires("affiliates.add_affiliatenote")

    @action(description="Everything about it", url_path="all", permissions=["view"])
    def overview(self, request: HttpRequest, object_id: str) -> HttpResponse:
        affiliate = self.row_of(request, object_id)
        seen = {
            name: one
            for name, one in SECTIONS.items()
            if request.user.has_perms(f"affiliates.view_{of}" for of in one.models)
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

    @action(description="Add a note…", url_path="note", permissions=["note"])
    def note(self, request: HttpRequest, object_id: str) -> HttpResponse:
        affiliate = self.row_of(request, object_id)
        form = NoteForm(answer_of(request))
        question = Question(
            title=f"Add a note on {affiliate}",
            button="Keep it",
            form=form,
            row=affiliate,
        )

        def write() -> HttpResponse:
            add_note(
                affiliate_id=affiliate.pk,
                text=form.cleaned_data["text"],
                author_id=request.user.pk,
                now=timezone.now(),
            )
            return HttpResponseRedirect(self._section(affiliate, "notes"))

        return self.ask_or_do(request, question, write)

    def _section(self, affiliate: Affiliate, name: str) -> str:
        page = f"{self.admin_site.name}:affiliates_affiliate_overview"
        return f"{reverse(page, args=[affiliate.pk])}?section={name}"

    has_status_permission = requires("affiliates.change_affiliate")

    @action(description="Suspend…", url_path=SUSPEND, permissions=["status"])
    def suspend_this(self, request: HttpRequest, object_id: str) -> HttpResponse:
        affiliate = self.row_of(request, object_id)
        chosen = self.get_queryset(request).filter(
            pk=affiliate.pk, status=AffiliateStatus.ACTIVE
        )
        return self.ask_to_suspend(request, chosen, row=affiliate)

    @action(description="Make active", url_path=ACTIVATE, permissions=["status"])
    def activate_this(self, request: HttpRequest, object_id: str) -> HttpResponse:
        affiliate = self.row_of(request, object_id)
        chosen = self.get_queryset(request).filter(
            pk=affiliate.pk, status=AffiliateStatus.SUSPENDED, merged_into=None
        )
        question = Question(
            title=f"Make {affiliate} active?",
            button="Make active",
            paragraphs=[
                "Its clicks and orders earn again from then on. Its keys have ended for "
                "good; its webhook it switches on by itself."
            ],
            listing=lambda: list_rows(chosen, SHOWN_OF_AFFILIATE),
            nothing="It is not suspended, or it was merged into another.",
            row=affiliate,
        )
        return self.ask_or_do(
            request,
            question,
            lambda: self.change_status_of(request, chosen, AffiliateStatus.ACTIVE),
        )

    has_judge_permission = requires("affiliates.judge_commission")

    def suspend_form(self, request: HttpRequest) -> forms.Form:
        if not self.has_judge_permission(request):
            return super().suspend_form(request)
        return SuspendWithPendingForm(answer_of(request))

    def follows_of_suspension(
        self, request: HttpRequest, ids: Sequence[int]
    ) -> list[str]:
        return what_suspending_means(ids, may_choose=self.has_judge_permission(request))

    def suspend_all(
        self, request: HttpRequest, chosen: QuerySet[Affiliate], answers: Any
    ) -> None:
        """The reason is kept with each affiliate, and with each commission."""
        rows = list(chosen)
        others = [one for one in rows if one.status != AffiliateStatus.SUSPENDED]
        pending = answers.get("pending", WhatIsPending.STAYS)
        done = suspend(
            [one.pk for one in rows],
            pending=pending,
            reason=answers["reason"],
            actor_id=request.user.pk,
            now=timezone.now(),
        )
        self.report(request, rows, others, AffiliateStatus.SUSPENDED, answers["reason"])
        if done.commissions:
            said = f"{done.commissions} commissions are {pending}."
            self.message_user(request, said, messages.SUCCESS)
