from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    QueryDict,
)
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from moneyed import Money
from unfold.decorators import action

from affiliates.errors import AffiliatesError
from portal import gateways
from portal.admin_tools import ReadOnlyAdmin, ReadOnlyInline
from portal.billing import services, webhooks
from portal.billing.forms import MarkPaidForm, RefundForm
from portal.billing.models import (
    Invoice,
    InvoiceLine,
    Payment,
    PaymentEvent,
    Refund,
    RefundKind,
)

MAX_EVENTS_AT_ONCE = 100


class InvoiceLineInline(ReadOnlyInline):
    model = InvoiceLine
    fields = (
        "description",
        "product_ref",
        "billing_cycle",
        "quantity",
        "unit_price",
        "tax_rate",
        "net",
        "tax",
    )


class PaymentInline(ReadOnlyInline):
    model = Payment
    fields = ("gateway", "reference", "amount", "received_at")


class RefundInline(ReadOnlyInline):
    model = Refund
    fields = ("kind", "gateway", "reference", "amount", "refunded_at")


@admin.register(Invoice)
class InvoiceAdmin(ReadOnlyAdmin):
    list_display = ("number", "client", "brand", "status", "gross", "created_at")
    list_select_related = ("client", "brand")
    list_filter = ("brand", "status", "gateway")
    date_hierarchy = "created_at"
    search_fields = (
        "number",
        "client__email",
        "id",
        "payment__reference",
        "refunds__reference",
    )
    fields = (
        ("number", "status"),
        ("client", "brand"),
        ("order", "gateway"),
        ("net", "tax", "gross"),
        ("created_at", "paid_at"),
    )
    inlines = (InvoiceLineInline, PaymentInline, RefundInline)
    actions_detail = ("mark_paid", "refund")

    def has_mark_paid_permission(
        self, request: HttpRequest, object_id: str | None = None
    ) -> bool:
        return request.user.has_perm("portal.mark_paid_invoice")

    def has_refund_permission(
        self, request: HttpRequest, object_id: str | None = None
    ) -> bool:
        return request.user.has_perm("portal.refund_invoice")

    @action(description="Mark paid", url_path="mark-paid", permissions=["mark_paid"])
    def mark_paid(self, request: HttpRequest, object_id: str) -> HttpResponse:
        def write(invoice: Invoice, form: forms.Form) -> str:
            services.mark_paid(invoice_id=invoice.pk, now=timezone.now())
            return f"Invoice {invoice.number} is paid: {invoice.gross}."

        return self._form_page(
            request,
            object_id,
            title="Mark paid",
            note="You have received the whole amount. This cannot be undone; "
            "money that goes back is a refund.",
            form=MarkPaidForm(_sent(request)),
            write=write,
        )

    @action(description="Refund", url_path="refund", permissions=["refund"])
    def refund(self, request: HttpRequest, object_id: str) -> HttpResponse:
        def write(invoice: Invoice, form: forms.Form) -> str:
            refund = services.record_refund(
                invoice_id=invoice.pk,
                gateway=gateways.MANUAL,
                reference=str(form.cleaned_data["reference"]),
                amount=Money(form.cleaned_data["amount"], invoice.gross.currency),
                kind=RefundKind(form.cleaned_data["kind"]),
                now=timezone.now(),
            )
            return f"Refunded {refund.amount} of invoice {invoice.number}."

        return self._form_page(
            request,
            object_id,
            title="Refund",
            note="This records a refund that you have made, or a chargeback. "
            "It moves no money and cannot be undone.",
            form=RefundForm(_sent(request)),
            write=write,
        )

    def _form_page(
        self,
        request: HttpRequest,
        object_id: str,
        *,
        title: str,
        note: str,
        form: forms.Form,
        write: Callable[[Invoice, forms.Form], str],
    ) -> HttpResponse:
        """Ask, then let the service write and say what it did or why it did not."""
        invoice = self.get_object(request, object_id)
        if invoice is None:
            raise Http404
        page = reverse("admin:portal_invoice_change", args=[invoice.pk])
        if request.method == "POST" and form.is_valid():
            try:
                done = write(invoice, form)
            except AffiliatesError as error:
                form.add_error(
                    error.field if error.field in form.fields else None, error.detail
                )
            else:
                self.message_user(request, done, messages.SUCCESS)
                return HttpResponseRedirect(page)
        context: dict[str, Any] = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": f"{title}: invoice {invoice.number}",
            "original": invoice,
            "note": note,
            "form": form,
            "submit_label": title,
            "invoice_page": page,
        }
        return TemplateResponse(request, "admin/portal/invoice/action.html", context)


def _sent(request: HttpRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None


@admin.register(PaymentEvent)
class PaymentEventAdmin(ReadOnlyAdmin):
    list_display = ("event_id", "gateway", "outcome", "failure", "received_at")
    list_filter = ("gateway", "outcome")
    date_hierarchy = "received_at"
    search_fields = ("event_id", "body")
    actions = ("process_again",)

    def has_process_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("portal.process_paymentevent")

    @admin.action(description="Process again", permissions=["process"])
    def process_again(
        self, request: HttpRequest, queryset: QuerySet[PaymentEvent]
    ) -> None:
        if queryset.count() > MAX_EVENTS_AT_ONCE:
            self.message_user(
                request,
                f"Choose at most {MAX_EVENTS_AT_ONCE} events at once.",
                messages.ERROR,
            )
            return
        for event in queryset:
            webhooks.process_event(event, now=timezone.now())
            self.message_user(
                request,
                f"{event}: {event.get_outcome_display()}. {event.failure_detail}",
            )
