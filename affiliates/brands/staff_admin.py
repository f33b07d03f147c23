"""The page on which superusers limit staff to single brands."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from affiliates.admin_tools.base import ModelAdmin
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.theme import register_page
from affiliates.admin_tools.visible import brands_of
from affiliates.brands.models.staff import StaffBrand

WHO_SEES_WHAT = (
    "A person who is listed here sees and does only what belongs to their brands. "
    "Everybody else, and every superuser, works for all brands: without the last row "
    "a person does too."
)


@register_page(StaffBrand)
class StaffBrandAdmin(ModelAdmin):
    list_display = ("person", "brand")
    list_select_related = ("person", "brand")
    list_filter = ("brand",)
    ordering = ("-pk",)
    search_fields = (search.containing("brand__name"),)
    search_help_text = "A part of a brand's name"
    fieldsets = ((None, {"fields": ("person", "brand"), "description": WHO_SEES_WHAT}),)

    def has_add_permission(self, request: HttpRequest) -> bool:
        is_allowed: bool = super().has_add_permission(request)
        return is_allowed and brands_of(request.user) is None

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: rows are added and removed."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_allowed: bool = super().has_delete_permission(request, obj)
        return is_allowed and brands_of(request.user) is None
