"""The files for PayPal and the bank: downloaded, and confirmed as a whole."""

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
from affiliates.payouts.admin_actions import MayPay, list_payouts, report
from affiliates.payouts.forms import ConfirmForm
from affiliates.payouts.models import Payout, PayoutBatch
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.selectors import batch_file, grouped
from affiliates.payouts.services.confirmations import confirm_batch


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


class BatchActions(MayPay):
    """The buttons of an exported file."""

    @action(description="Download the file", url_path="download", permissions=["pay"])
    def download(self, request: HttpRequest, object_id: str) -> HttpResponse:
        batch: PayoutBatch = self.row_of(request, object_id)
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


class BatchPayoutInline(ReadOnlyInline):
    model = Payout
    hide_title = True
    show_change_link = True
    fields = ("affiliate", "worth", "where", "status", "remote_ref")
    related = ("affiliate", "destination")

    worth = row_column("Amount", row_money)
    where = column("destination", "Destination")


@register_page(PayoutBatch)
class PayoutBatchAdmin(BatchActions, ReadOnlyAdmin):
    about = (
        "Files for PayPal or the bank. Open one to download it, the same file each time, "
        "and to confirm that it is paid."
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
    actions_detail = ("download", "confirm_all")
    inlines = (BatchPayoutInline,)
    fields: ClassVar[tuple[Any, ...]] = (
        ("brand", "kind"),
        ("currency", "exported_by"),
        ("exported", "reference"),
        "fingerprint",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[PayoutBatch]:
        """Excludes the files, which may have megabytes: only a download reads one."""
        batches: QuerySet[PayoutBatch] = super().get_queryset(request)
        return batches.defer("content")

    exported = column("exported_at", "Exported", show=moment, ordering="id")
    fingerprint = row_column("SHA-256", lambda row: grouped(row.digest) or "-")
