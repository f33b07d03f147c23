"""Batches of payouts: files for PayPal and the bank, and what is sent by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

from affiliates.admin_tools.base import ReadOnlyAdmin, ReadOnlyInline, action
from affiliates.admin_tools.columns import column, moment, row_column, row_money
from affiliates.admin_tools.decisions import Chosen, StaffDecision
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.theme import register_page
from affiliates.errors import StateConflict
from affiliates.payouts.admin_actions import MayPay, counted, list_payouts, report
from affiliates.payouts.forms import ConfirmForm, RejectForm
from affiliates.payouts.models import Payout, PayoutBatch
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.selectors import batch_file, grouped
from affiliates.payouts.sending.decisions import look_up_now, resolve_unsent
from affiliates.payouts.sending.selectors import (
    account_of,
    can_be_asked,
    number_of,
    said_of,
    sending_of,
    state_of,
    waits_for_person,
)
from affiliates.payouts.sending_models import PayoutSending
from affiliates.payouts.services.confirmations import confirm_batch

NO_FILE = "It has no file: it is sent to the provider by itself."


def _open_of(batch: PayoutBatch) -> QuerySet[Payout]:
    return Payout.objects.filter(batch=batch, status=PayoutStatus.EXPORTED)


def _confirm_all(chosen: Chosen, answers: Mapping[str, Any]) -> None:
    outcome = confirm_batch(
        batch_id=chosen.row.pk,
        reference=answers["reference"],
        actor_id=chosen.actor_id,
        now=timezone.now(),
    )
    report(chosen, [outcome], "confirmed as paid")


def _look_up(chosen: Chosen, answers: Mapping[str, Any]) -> None:
    is_asked = look_up_now(
        PayoutSending.objects.filter(batch=chosen.row), now=timezone.now()
    )
    text = "The provider is asked now." if is_asked else "It is being asked already."
    chosen.report(text, is_success=is_asked)


def _not_sent(chosen: Chosen, answers: Mapping[str, Any]) -> None:
    count = resolve_unsent(
        chosen.row.sending.pk,
        reason=answers["reason"],
        actor_id=chosen.actor_id,
        now=timezone.now(),
    )
    chosen.report(f"{counted(count)} approved again.", is_success=True)


class BatchActions(MayPay):
    """The buttons of an exported file."""

    @action(description="Download the file", url_path="download", permissions=["pay"])
    def download(self, request: HttpRequest, object_id: str) -> HttpResponse:
        batch: PayoutBatch = self.row_of(request, object_id)
        if sending_of(batch) is not None:
            self.message_user(request, NO_FILE, messages.WARNING)
            return HttpResponseRedirect(self.page_of(batch))
        try:
            file = batch_file(batch)
        except StateConflict as error:
            self.message_user(request, error.detail, messages.ERROR)
            return HttpResponseRedirect(self.page_of(batch))
        answer = HttpResponse(file.text, content_type=file.content_type)
        answer["Content-Disposition"] = f'attachment; filename="{file.name}"'
        add_never_cache_headers(answer)
        return answer

    confirm_all = StaffDecision(
        name="confirm",
        permission="pay",
        title="Confirm that all of {rows} is paid?",
        button="All are paid",
        paragraphs=[
            "All of it that is still being paid becomes paid: statements are issued, and "
            "the affiliates get an e-mail. To go by the bank's own word on each, read "
            "its file under Payout answers."
        ],
        form=lambda chosen: ConfirmForm(chosen.data, needs_reference=True),
        listing=lambda chosen: list_payouts(_open_of(chosen.row)),
        write=_confirm_all,
        is_open=lambda batch: _open_of(batch).exists(),
        is_late=lambda batch: "Nothing of it is waiting for a confirmation.",
    ).on_row("Confirm all as paid")

    look_up = StaffDecision(
        name="look-up",
        permission="pay",
        title="Ask the provider now?",
        button="Ask now",
        paragraphs=[
            "The results are read within seconds, also of payouts that were decided "
            "before: money may have come back since. A batch that was never answered is "
            "sent again under its own reference, by which the provider pays it once. "
            "After a restore, look for the reference at the provider first: payouts of a "
            "batch that is not there may have been paid in another."
        ],
        write=_look_up,
        is_open=lambda batch: can_be_asked(sending_of(batch)),
        is_late=lambda batch: "It was not sent.",
    ).on_row("Ask the provider now")
    not_sent = StaffDecision(
        name="not-sent",
        permission="pay",
        title="Was nothing of it sent?",
        button="Nothing was sent",
        paragraphs=[
            "Look at the provider first, for the reference of this batch: what was sent "
            "all the same would be paid twice. Its payouts become approved again and can "
            "be sent in another batch."
        ],
        form=lambda chosen: RejectForm(chosen.data),
        write=_not_sent,
        is_open=lambda batch: waits_for_person(sending_of(batch)),
        is_late=lambda batch: "It does not wait for a person.",
    ).on_row("Nothing was sent…")


class BatchPayoutInline(ReadOnlyInline):
    model = Payout
    show_title = False
    show_change_link = True
    fields = ("affiliate", "worth", "where", "status", "remote_ref", "said")
    related = ("affiliate", "destination", "batch__sending")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Payout]:
        payouts: QuerySet[Payout] = super().get_queryset(request)
        return payouts.defer("batch__content")

    worth = row_column("Amount", row_money)
    where = column("destination", "Destination")
    said = row_column("Provider says", lambda row: said_of(row))


@register_page(PayoutBatch)
class PayoutBatchAdmin(BatchActions, ReadOnlyAdmin):
    about = (
        "Files for PayPal or the bank, and batches that are sent by themselves. Open one "
        "to download its file, the same each time, and to confirm or see what is paid."
    )
    nothing_yet = "A row appears when approved payouts are exported."
    list_display: ClassVar[tuple[str, ...]] = (
        "__str__",
        "brand",
        "kind",
        "currency",
        "exported",
        "exported_by",
    )
    list_filter = (("exported_at", DaysFilter), "kind", "brand")
    list_select_related: ClassVar[tuple[str, ...]] = ("brand", "exported_by")
    actions_detail = ("download", "confirm_all", "look_up", "not_sent")
    inlines = (BatchPayoutInline,)
    fields: ClassVar[tuple[Any, ...]] = (
        ("brand", "kind"),
        ("currency", "exported_by"),
        ("exported", "reference"),
        "fingerprint",
        ("sent_to", "sent_as"),
        "sending_state",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[PayoutBatch]:
        """Excludes the files, which may have megabytes: only a download reads one."""
        batches: QuerySet[PayoutBatch] = super().get_queryset(request)
        return batches.defer("content").select_related("sending__account__brand")

    exported = column("exported_at", "Exported", show=moment, ordering="id")
    fingerprint = row_column("SHA-256", lambda row: grouped(row.digest) or "-")
    sent_to = row_column("Sent to", lambda row: account_of(row) or "A person sends it")
    sent_as = row_column("Provider's number", lambda row: number_of(row) or "-")
    sending_state = row_column("Sending", lambda row: state_of(row) or "-")
