"""The page of an affiliate with notes, suspension and transfers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import ReadOnlyInline, action, requires
from affiliates.admin_tools.columns import column, moment
from affiliates.admin_tools.confirmation import Question, answer_of, list_rows
from affiliates.admin_tools.theme import register_page
from affiliates.commissions.adjustment_admin import AdjustsBalance
from affiliates.ledger.admin import AccountBalanceInline
from affiliates.membership.application_admin import DecidesApplications
from affiliates.membership.suspension_admin import (
    SuspendWithPendingForm,
    what_suspending_means,
)
from affiliates.membership.suspensions import WhatIsPending, suspend
from affiliates.membership.transfer_admin import TransfersAll
from affiliates.payouts.affiliate_admin import PaysAffiliate
from affiliates.program.admin import SHOWN_OF_AFFILIATE, AffiliateAdmin
from affiliates.program.history_models import MAX_NOTE, AffiliateNote
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import add_note

SUSPEND, ACTIVATE = "suspend", "activate"


class NoteForm(forms.Form):
    text = forms.CharField(
        label="Note",
        max_length=MAX_NOTE,
        widget=widgets.Textarea,
        help_text="For staff: the affiliate never sees it.",
    )


class NoteInline(ReadOnlyInline):
    model = AffiliateNote
    verbose_name_plural = "notes"
    hide_title = True
    fields = ("written", "author", "text")
    related = ("author",)

    written = column("written_at", "Written", show=moment)


@register_page(Affiliate)
class AffiliatePage(
    DecidesApplications, AdjustsBalance, PaysAffiliate, TransfersAll, AffiliateAdmin
):
    actions = (*AffiliateAdmin.actions, "decline")
    actions_detail: ClassVar[tuple[str, ...]] = (
        "approve_this",
        "decline_this",
        *AffiliateAdmin.actions_detail,
        "suspend_this",
        "activate_this",
        "note",
        "adjust",
        "enter_destination",
        "start_payout",
        "transfer",
    )
    inlines_of_saved: ClassVar[tuple[Any, ...]] = (AccountBalanceInline, NoteInline)

    def is_possible(self, row: Affiliate, path: str) -> bool:
        """Who waits for approval is approved or declined; who was merged, in the list."""
        shown = {
            SUSPEND: AffiliateStatus.ACTIVE,
            ACTIVATE: AffiliateStatus.SUSPENDED,
        }
        is_merged = path == ACTIVATE and row.merged_into_id is not None
        return shown.get(path, row.status) == row.status and not is_merged

    has_note_permission = requires("affiliates.add_affiliatenote")

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

        def write() -> HttpResponse | None:
            add_note(
                affiliate_id=affiliate.pk,
                text=form.cleaned_data["text"],
                author_id=request.user.pk,
                now=timezone.now(),
            )
            return self.after_note(affiliate)

        return self.ask_or_do(request, question, write)

    def after_note(self, affiliate: Affiliate) -> HttpResponse | None:
        """Where the staff member is led who wrote it: to the affiliate's page."""
        return None

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
