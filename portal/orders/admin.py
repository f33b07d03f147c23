from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from affiliates.extending.admin import DaysFilter, ModelAdmin, column, moment, search
from portal.admin_tools import ReadOnlyAdmin
from portal.orders.catalogue import Coupon, Product
from portal.orders.models import PaymentDetails


class BrandRowAdmin(ModelAdmin):
    list_select_related = ("brand",)
    list_per_page = 50

    def get_readonly_fields(
        self, request: HttpRequest, obj: Any = None
    ) -> tuple[str, ...]:
        # Baskets and orders of its brand may name it.
        return ("brand",) if obj is not None else ()


@admin.register(Product)
class ProductAdmin(BrandRowAdmin):
    list_display = (
        "name",
        "sku",
        "brand",
        "kind",
        "billing_cycle",
        "price",
        "tax_rate",
        "is_active",
    )
    list_filter = ("brand", "kind", "billing_cycle", "is_active")
    search_fields = (search.exactly("sku", "name"),)
    search_parts = (search.containing("name", "sku"),)

    def formfield_for_dbfield(
        self, db_field: Any, request: HttpRequest, **kwargs: Any
    ) -> Any:
        """Names the input of the price: the visible label is of two inputs."""
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "price":
            field.widget.widgets[0].attrs["aria-label"] = "Price"
        return field


@admin.register(Coupon)
class CouponAdmin(BrandRowAdmin):
    list_display = (
        "code",
        "brand",
        "percent_off",
        "valid_until",
        "for_new_clients",
        "is_active",
    )
    list_filter = ("brand", "for_new_clients", "is_active")
    search_fields = (search.exactly("code"),)
    search_parts = (search.containing("code"),)


@admin.register(PaymentDetails)
class PaymentDetailsAdmin(ReadOnlyAdmin):
    list_display = ("id", "client", "gateway", "label", "created")
    list_select_related = ("client",)
    list_filter = (("created_at", DaysFilter), "gateway")
    sortable_by = ("id", "created")
    search_fields = (search.clients(), search.exactly("label"))
    search_parts = (search.beginning("label"), search.clients_like())
    created = column("created_at", "Created", show=moment, ordering="id")
