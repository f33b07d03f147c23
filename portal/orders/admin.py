from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from affiliates.admin_tools.base import ModelAdmin
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
    search_fields = ("name", "sku")


@admin.register(Coupon)
class CouponAdmin(BrandRowAdmin):
    list_display = ("code", "brand", "percent_off", "valid_until", "is_active")
    list_filter = ("brand", "is_active")
    search_fields = ("code",)


@admin.register(PaymentDetails)
class PaymentDetailsAdmin(ReadOnlyAdmin):
    list_display = ("id", "client", "gateway", "label", "created_at")
    list_select_related = ("client",)
    list_filter = ("gateway",)
    date_hierarchy = "created_at"
    search_fields = ("client__email", "label")
