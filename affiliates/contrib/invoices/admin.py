from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import Exists, F, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

from affiliates.admin_tools.base import (
    ModelAdmin,
    ReadOnlyAdmin,
    ReadOnlyInline,
    action,
    requires,
)
from affiliates.admin_tools.columns import (
    column,
    moment,
    money_text,
    page_link,
    row_column,
)
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.theme import extend_page, register_page
from affiliates.contrib.invoices.forms import InvoiceTermsForm
from affiliates.contrib.invoices.models import InvoiceTerms, PayoutInvoice
from affiliates.contrib.invoices.pages import pdf_answer
from affiliates.contrib.invoices.selectors import payouts_that_need_one
from affiliates.contrib.invoices.services import refuse_invoice
from affiliates.errors import StateConflict
from affiliates.payouts.forms import RejectForm
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.selectors import grouped


def _sum(name: str, label: str) -> Any:
    """A column of an amount in the payout's currency."""
    return row_column(
        label, lambda row: money_text(getattr(row, name), row.payout.currency)
    )


def _refuse(chosen: Chosen, answers: Mapping[str, Any]) -> None:
    refuse_invoice(
        invoice_id=chosen.row.pk,
        reason=answers["reason"],
        actor_id=chosen.actor_id,
        now=timezone.now(),
    )
    chosen.report("Refused: the affiliate gets an e-mail.", is_success=True)


@register_page(InvoiceTerms)
class InvoiceTermsAdmin(ModelAdmin):
    form = InvoiceTermsForm
    list_display = ("brand",)
    list_select_related = ("brand",)
    autocomplete_fields = ("brand",)
    fixed_once_saved = ("brand",)


@register_page(PayoutInvoice)
class PayoutInvoiceAdmin(Decides, ReadOnlyAdmin):
    """Invoices name people and their accounts: only who approves reads the files."""

    about = (
        "Invoices that affiliates sent for payouts. The newest that was not refused "
        "counts: its payout is approved only with the same total."
    )
    nothing_yet = "A row appears when an affiliate sends one in its area."
    list_display = ("number", "of_payout", "affiliate", "whole", "shown_state", "sent")
    list_filter = (("uploaded_at", DaysFilter), "end", "payout__brand")
    list_select_related = ("payout__affiliate",)
    search_fields = (
        search.exactly("number"),
        search.named("payout", search.affiliates()),
    )
    search_help_text = "Number, or affiliate's code"
    actions_detail: ClassVar = ("download", "refuse")
    fields = (
        ("number", "issued_on"),
        ("of_payout", "affiliate"),
        ("pays", "whole"),
        ("before_tax", "taxed"),
        ("shown_state", "reason"),
        ("sent", "refused_by"),
        ("size", "fingerprint"),
    )

    has_approve_permission = requires("affiliates.approve_payout")

    of_payout = column("payout", "Payout", show=page_link)
    affiliate = column("payout.affiliate", "Affiliate", show=page_link)
    pays = row_column(
        "Payout's amount",
        lambda row: money_text(row.payout.amount, row.payout.currency),
    )
    before_tax = _sum("net", "Net")
    taxed = _sum("tax", "Tax")
    whole = _sum("total", "Total")
    shown_state = row_column("State", lambda row: row.state.label)
    sent = column("uploaded_at", "Sent", show=moment, ordering="id")
    fingerprint = row_column("SHA-256", lambda row: grouped(row.digest))

    @action(
        description="Download the file", url_path="download", permissions=["approve"]
    )
    def download(self, request: HttpRequest, object_id: str) -> HttpResponse:
        invoice: PayoutInvoice = self.row_of(request, object_id)
        try:
            answer = pdf_answer(invoice)
        except StateConflict as error:
            self.message_user(request, error.detail, messages.ERROR)
            return HttpResponseRedirect(self.page_of(invoice))
        add_never_cache_headers(answer)
        return answer

    refuse = StaffDecision(
        name="refuse",
        permission="approve",
        title="Refuse {rows}?",
        button="Refuse",
        paragraphs=[
            "The payout waits for another invoice, and the affiliate gets an e-mail "
            "with your reason."
        ],
        form=lambda chosen: RejectForm(chosen.data),
        write=_refuse,
        is_open=lambda row: not row.end and row.payout.status == PayoutStatus.REQUESTED,
        is_late=lambda row: f"{row}: {row.state.label}.",
    ).on_row("Refuse…")


class InvoiceInline(ReadOnlyInline):
    model = PayoutInvoice
    verbose_name_plural = "invoices of the affiliate"
    show_title = False
    fields = ("invoice", "issued_on", "whole", "shown_state", "sent")
    related = ("payout",)

    invoice = row_column("Invoice", page_link)
    whole = _sum("total", "Total")
    shown_state = row_column("State", lambda row: row.state.label)
    sent = column("uploaded_at", "Sent", show=moment)


class InvoiceFilter(admin.SimpleListFilter):
    """Of payouts that wait for their approval."""

    title = "invoice"
    parameter_name = "invoice"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("missing", "Missing"), ("differs", "Differs"), ("waits", "Received")]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Payout]
    ) -> QuerySet[Payout]:
        if self.value() not in dict(self.lookup_choices):
            return queryset
        counting = PayoutInvoice.objects.filter(payout=OuterRef("pk"), end="")
        equal = counting.filter(total=F("payout__amount"))
        waiting = queryset.filter(
            payouts_that_need_one(), status=PayoutStatus.REQUESTED
        )
        if self.value() == "missing":
            return waiting.exclude(Exists(counting))
        if self.value() == "waits":
            return waiting.filter(Exists(equal))
        return waiting.filter(Exists(counting)).exclude(Exists(equal))


@extend_page(Payout)
class PayoutWithInvoices:
    def get_list_filter(self, request: HttpRequest) -> Any:
        page: Any = super()
        return [*page.get_list_filter(request), InvoiceFilter]

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        page: Any = super()
        return (InvoiceInline, *page.get_inlines(request, obj))
