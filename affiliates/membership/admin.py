"""The page of an affiliate with notes, suspension and transfers."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import ReadOnlyInline, action, requires
from affiliates.admin_tools.columns import client_link, column, moment
from affiliates.admin_tools.confirmation import Question, answer_of
from affiliates.admin_tools.heads import HasHead, Head
from affiliates.admin_tools.theme import register_page
from affiliates.commissions.adjustment_admin import AdjustsBalance
from affiliates.ledger.admin import AccountBalanceInline
from affiliates.membership.client_admin import ClientPage
from affiliates.membership.status_admin import ChangesStatus
from affiliates.membership.transfer_admin import TransfersAll
from affiliates.payouts.affiliate_admin import PaysAffiliate
from affiliates.program.admin import STATUS_COLOURS, AffiliateAdmin
from affiliates.program.history_models import MAX_NOTE, AffiliateNote
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import add_note

__all__ = ["AffiliatePage", "ClientPage"]


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
    show_title = False
    fields = ("written", "author", "text")
    related = ("author",)

    written = column("written_at", "Written", show=moment)


@register_page(Affiliate)
class AffiliatePage(
    HasHead,
    ChangesStatus,
    AdjustsBalance,
    PaysAffiliate,
    TransfersAll,
    AffiliateAdmin,
):
    actions = ("approve", "suspend", "decline")
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
    first_acts = ("approve", "decline", "suspend", "activate", "adjust", "payout")
    inlines_of_saved: ClassVar[tuple[Any, ...]] = (AccountBalanceInline, NoteInline)

    def head_of(self, request: HttpRequest, row: Affiliate) -> Head:
        return Head(
            name=row.code,
            status=row.get_status_display(),
            colour=STATUS_COLOURS[AffiliateStatus(row.status)],
            facts=[("Client", client_link(row.user)), ("Brand", row.brand)],
        )

    has_note_permission = requires("affiliates.add_affiliatenote")

    @action(description="Add a note…", url_path="note", permissions=["note"])
    def note(self, request: HttpRequest, object_id: str) -> HttpResponse:
        affiliate = self.row_of(request, object_id)
        form = NoteForm(answer_of(request))
        question = Question(
            title=f"Add a note on {affiliate}",
            button="Save the note",
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
