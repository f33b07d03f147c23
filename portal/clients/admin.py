from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth.admin import GroupAdmin as BaseGroupAdmin
from django.contrib.auth.admin import UserAdmin as BaseUserAdmin
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest
from knox.models import AuthToken
from unfold.admin import ModelAdmin
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm

from portal.clients.models import User
from portal.clients.services import revoke_tokens

# Tokens belong to clients; staff need neither see nor make them.
admin.site.unregister(AuthToken)
admin.site.unregister(Group)

STAFF_FIELDS = ("is_staff", "is_superuser", "groups", "user_permissions")


@admin.register(Group)
class GroupAdmin(BaseGroupAdmin, ModelAdmin):
    pass


class UserAddForm(UserCreationForm):
    class Meta:
        model = User
        fields = ("brand", "email", "firstname", "lastname", "is_staff")


@admin.register(User)
class UserAdmin(BaseUserAdmin, ModelAdmin):
    form = UserChangeForm
    add_form = UserAddForm
    change_password_form = AdminPasswordChangeForm
    list_display = (
        "__str__",
        "get_full_name",
        "brand",
        "is_guest",
        "is_active",
        "is_staff",
        "created_at",
    )
    list_select_related = ("brand",)
    list_filter = ("brand", "is_guest", "is_active", "is_staff")
    list_per_page = 50
    show_full_result_count = False
    date_hierarchy = "created_at"
    search_fields = ("email", "firstname", "lastname", "id")
    ordering = ("-created_at",)
    filter_horizontal = ("groups", "user_permissions")
    actions = ("log_out_everywhere",)
    fieldsets = (
        (
            None,
            {"fields": ("id", "brand", "email", "firstname", "lastname", "password")},
        ),
        ("Status", {"fields": ("is_guest", "is_active", "created_at", "last_login")}),
        ("Staff", {"fields": STAFF_FIELDS}),
    )
    add_fieldsets = (
        (None, {"fields": ("brand", "email", "firstname", "lastname", "is_staff")}),
        ("Password", {"fields": ("usable_password", "password1", "password2")}),
    )

    def get_readonly_fields(
        self, request: HttpRequest, obj: Any = None
    ) -> tuple[str, ...]:
        # A client cannot move to another brand: its orders belong to this one.
        fixed: tuple[str, ...] = ("id", "is_guest", "created_at", "last_login")
        fixed += ("brand",) if obj is not None else ()
        return fixed if request.user.is_superuser else (*fixed, *STAFF_FIELDS)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is not None and obj.is_staff and not request.user.is_superuser:
            return False
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: orders, invoices and referrals name their client. Deactivate instead."""
        return False

    @admin.action(description="Log out everywhere", permissions=["change"])
    def log_out_everywhere(
        self, request: HttpRequest, queryset: QuerySet[User]
    ) -> None:
        for user in queryset:
            revoke_tokens(user=user)
        self.message_user(request, "Their tokens work no more.", messages.SUCCESS)
