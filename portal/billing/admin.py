from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from moneyed import Money

from affiliates.extending.admin import (
    DaysFilter,
    OnlyWhatIsPossible,
    action,
    answer_of,
    column,
    moment,
    search,
    widgets,
)
from portal import gateways
from portal.admin_tools import FormPages, ReadOnlyAdmin, ReadOnlyInline, needs
from portal.billing import services, webhooks
from portal.billing.models import (
    Invoice,
    InvoiceLine,
    InvoiceStatus,
    Payment,
    Refund,
    RefundKind,
)
from portal.billing.payment_events import PaymentEvent
from portal.ids import new_id
from portal.money import DECIMAL_PLACES, MAX_DIGITS

MAX_EVENTS_AT_ONCE = 100


class RefundForm(forms.Form):
    amount = forms.DecimalField(
        max_digits=MAX_DIGITS,
        decimal_places=DECIMAL_PLACES,
        widget=widgets.DecimalInput,
        help_text="Tax included, in the currency of the invoice.",
    )
    kind = forms.ChoiceField(choices=RefundKind.choices, widget=widgets.Select)
    confirm = forms.BooleanField(
        label="The money went back to the client", widget=widgets.Checkbox
    )
    # Made with the page: sending the page twice records one refund.
    reference = forms.UUIDField(initial=new_id, widget=forms.HiddenInput)


class InvoiceLineInline(ReadOnlyInline):
    model = InvoiceLine
    fields = (
        "description",
        "product_ref",
        "operation",
        "billing_cycle",
        "quantity",
        "unit_price",
        "tax_rate",
        "discount",
        "net",
        "tax",
    )
    readonly_fields = ("discount",)


class PaymentInline(ReadOnlyInline):
    model = Payment
    fields = ("gateway", "reference", "amount", "received")
    readonly_fields = ("received",)
    received = column("received_at", "Received", show=moment)


class RefundInline(ReadOnlyInline):
    model = Refund
    fields = ("kind", "gateway", "reference", "amount", "refunded")
    readonly_fields = ("refunded",)
    refunded = column("refunded_at", "Refunded", show=moment)


def _paid_or_refunded_by(model: Any, text: str) -> Q:
    payments = Payment.objects.filter(reference=text).values_list("invoice", flat=True)
    refunds = Refund.objects.filter(reference=text).values_list("invoice", flat=True)
    return Q(pk__in=[*payments[: search.MAX_NAMED], *refunds[: search.MAX_NAMED]])


@admin.register(Invoice)
class InvoiceAdmin(OnlyWhatIsPossible, FormPages, ReadOnlyAdmin):
    list_display = (
        "number",
        "client",
        "brand",
        "renewal_number",
        "status",
        "gross",
        "created",
    )
    list_select_related = ("client", "brand")
    list_filter = (("created_at", DaysFilter), "brand", "status", "gateway")
    search_fields = (
        search.exactly("id", "number"),
        search.clients(),
        _paid_or_refunded_by,
    )
    search_parts = (search.beginning("number"), search.clients_like())
    search_help_text = "Number, client, or reference of its payment or refund"
    sortable_by = ("number", "created")
    totals_of: ClassVar = {"Gross": ("gross", "currency")}
    fields = (
        ("number", "status"),
        ("client", "brand"),
        ("order", "renewal_number"),
        ("gateway", "renews"),
        "transfer",
        ("net", "tax", "gross"),
        ("created", "paid"),
    )
    created = column("created_at", "Created", show=moment, ordering="created_at")
    paid = column("paid_at", "Paid", show=moment)
    renews = column("renews_at", "Renews", show=moment)
    inlines = (InvoiceLineInline, PaymentInline, RefundInline)
    actions_detail = ("mark_paid", "pay_with_credit", "refund")
    has_mark_paid_permission = needs("portal.mark_paid_invoice")
    has_refund_permission = needs("portal.refund_invoice")

    @admin.display(description="Bank transfer")
    def transfer(self, invoice: Invoice) -> str | None:
        """Returns the expected bank transfer, or None if none is expected."""
        expected = invoice.bank_transfer
        if expected is None:
            return None
        return f"{expected.amount} with the reference {expected.reference}"

    def is_possible(self, request: HttpRequest, row: Invoice, path: str) -> bool:
        """Allows payment of unpaid invoices only, and refunds of all others."""
        return (row.status == InvoiceStatus.UNPAID) == (path != "refund")

    def describe(self, row: Invoice) -> str:
        status = row.get_status_display()
        return f"{row.number}, {row.client}, {row.gross}, {status}"

    @action(description="Mark paid", url_path="mark-paid", permissions=["mark_paid"])
    def mark_paid(self, request: HttpRequest, object_id: str) -> HttpResponse:
        def write(invoice: Invoice, form: forms.Form) -> str:
            services.mark_paid(invoice_id=invoice.pk, now=timezone.now())
            return f"Invoice {invoice.number} is paid: {invoice.gross}."

        return self.form_page(
            request,
            object_id,
            title="Mark paid",
            note="You have received the whole amount. This cannot be undone; "
            "money that goes back is a refund.",
            write=write,
        )

    @action(
        description="Pay with account credit",
        url_path="pay-with-credit",
        permissions=["mark_paid"],
    )
    def pay_with_credit(self, request: HttpRequest, object_id: str) -> HttpResponse:
        def write(invoice: Invoice, form: forms.Form) -> str:
            services.pay_with_credit(invoice_id=invoice.pk, now=timezone.now())
            return f"Account credit has paid invoice {invoice.number}: {invoice.gross}."

        return self.form_page(
            request,
            object_id,
            title="Pay with account credit",
            note="The whole invoice is paid from what the client has with us. This "
            "cannot be undone; a refund goes back to the account credit.",
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

        return self.form_page(
            request,
            object_id,
            title="Refund",
            note="This records a refund that you have made, or a chargeback. It moves "
            "no money, except that what account credit has paid goes back to it. "
            "It cannot be undone.",
            form=RefundForm(answer_of(request)),
            write=write,
        )


@admin.register(PaymentEvent)
class PaymentEventAdmin(ReadOnlyAdmin):
    list_display = ("event_id", "gateway", "outcome", "failure", "received")
    received = column("received_at", "Received", show=moment, ordering="received_at")
    list_filter = (("received_at", DaysFilter), "gateway", "outcome")
    search_fields = (search.exactly("event_id"),)
    search_parts = (search.beginning("event_id"),)
    search_help_text = "The gateway's id of the event, or how it begins"
    actions = ("process_again",)
    has_process_permission = needs("portal.process_paymentevent")

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
