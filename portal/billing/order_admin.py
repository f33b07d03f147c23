"""The page of an order: what is in it, its invoices, its renewals and its end."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import Prefetch, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from affiliates.extending.admin import (
    DaysFilter,
    action,
    answer_of,
    column,
    moment,
    search,
    widgets,
)
from portal.admin_tools import FormPages, ReadOnlyAdmin, ReadOnlyInline, needs
from portal.billing.models import Invoice
from portal.billing.renewals import renew_order
from portal.billing.selectors import invoices_numbered
from portal.clients.models import MAX_REASON_LENGTH
from portal.orders.models import Order, OrderItem
from portal.orders.services import end_service


class EndServiceForm(forms.Form):
    reason = forms.CharField(max_length=MAX_REASON_LENGTH, widget=widgets.TextInput)


class OrderItemInline(ReadOnlyInline):
    model = OrderItem
    fields = ("product", "quantity", "unit_price", "tax_rate")


class OrderInvoiceInline(ReadOnlyInline):
    model = Invoice
    fields = ("number", "renewal_number", "status", "gross", "created", "renews")
    readonly_fields = ("created", "renews")
    created = column("created_at", "Created", show=moment)
    renews = column("renews_at", "Renews", show=moment)
    ordering = ("renewal_number",)
    show_change_link = True


def _invoiced_as(model: Any, text: str) -> Q:
    invoices = invoices_numbered(text, brand_id=None)
    return Q(pk__in=list(invoices.values_list("order", flat=True)))


@admin.register(Order)
class OrderAdmin(FormPages, ReadOnlyAdmin):
    list_display = ("numbers", "client", "brand", "status", "created", "converted")
    list_select_related = ("client", "brand")
    list_filter = (
        ("created_at", DaysFilter),
        "brand",
        "status",
        ("ended_at", admin.EmptyFieldListFilter),
    )
    search_fields = (
        _invoiced_as,
        search.exactly("id"),
        search.clients(),
        search.named("coupon", search.exactly("code")),
    )
    search_parts = (search.clients_like(),)
    search_help_text = "Invoice number, client or coupon"
    sortable_by = ("created",)
    fields = (
        ("id", "status"),
        ("client", "brand"),
        ("coupon", "percent_off"),
        ("affiliate_code", "coupon_refusal"),
        ("created", "converted"),
        ("ended", "ended_reason"),
    )
    created = column("created_at", "Created", show=moment, ordering="created_at")
    converted = column("converted_at", "Converted", show=moment)
    ended = column("ended_at", "Ended", show=moment)
    inlines = (OrderItemInline, OrderInvoiceInline)
    actions_detail = ("renew", "end")
    has_renew_permission = needs("portal.renew_order")
    has_end_permission = needs("portal.end_order")

    @admin.display(description="Invoices")
    def numbers(self, order: Order) -> str:
        numbers = [invoice.number for invoice in order.invoices.all()]
        return ", ".join(numbers) or "Not invoiced yet"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Order]:
        orders: QuerySet[Order] = super().get_queryset(request)
        in_turn = Invoice.objects.order_by("renewal_number")
        return orders.prefetch_related(Prefetch("invoices", in_turn))

    def describe(self, row: Order) -> str:
        return f"{row.client}, {row.get_status_display()}"

    @action(
        description="Issue the renewal invoice now",
        url_path="renew",
        permissions=["renew"],
    )
    def renew(self, request: HttpRequest, object_id: str) -> HttpResponse:
        def write(order: Order, form: forms.Form) -> str:
            invoice = renew_order(order_id=order.pk, now=timezone.now(), is_early=True)
            return f"Renewal {invoice.renewal_number} is invoice {invoice.number}."

        return self.form_page(
            request,
            object_id,
            title="Issue the renewal invoice now",
            note="The next period is invoiced at once, also before the present one "
            "has ended. Periods that are due are invoiced without you. An order has "
            "one unpaid renewal at a time.",
            write=write,
        )

    @action(description="End the service", url_path="end", permissions=["end"])
    def end(self, request: HttpRequest, object_id: str) -> HttpResponse:
        def write(order: Order, form: forms.Form) -> str:
            end_service(
                order_id=order.pk,
                reason=form.cleaned_data["reason"],
                now=timezone.now(),
            )
            return "The service has ended: nothing is renewed any more."

        return self.form_page(
            request,
            object_id,
            title="End the service",
            note="Nothing of this order is renewed any more. This cannot be undone.",
            form=EndServiceForm(answer_of(request)),
            write=write,
        )
