"""Admin pages for rows that only services write."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from unfold.admin import ModelAdmin, TabularInline


class ReadOnlyMixin:
    """Everything can be looked at, nothing added, edited or deleted."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(ReadOnlyMixin, ModelAdmin):
    show_full_result_count = False
    list_per_page = 50


class ReadOnlyInline(ReadOnlyMixin, TabularInline):
    extra = 0
    can_delete = False
    hide_title = True
