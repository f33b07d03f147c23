from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import GroupAdmin as BaseGroupAdmin
from django.contrib.auth.admin import UserAdmin as BaseUserAdmin
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from affiliates.errors import StateConflict
from affiliates.extending.admin import (
    DaysFilter,
    ModelAdmin,
    action,
    answer_of,
    client_counts,
    column,
    moment,
    search,
)
from portal.admin_tools import (
    AdminPasswordChangeForm,
    FormPages,
    needs,
)
from portal.clients.admin_forms import (
    STAFF_FIELDS,
    RemoveFactorForm,
    UserAddForm,
    UserPageForm,
)
from portal.clients.confirmation import question_for
from portal.clients.credit import add_credit, balances_of, read_amount
from portal.clients.credit_admin import AddCreditForm
from portal.clients.models import User
from portal.clients.second_factor import has_factor, remove_devices
from portal.clients.services import log_out_everywhere

admin.site.unregister(Group)
# Keys and codes are nobody's to read. Of clients the page below removes them, of staff
# `reset_second_factor`.
admin.site.unregister(StaticDevice)
admin.site.unregister(TOTPDevice)

CHANGE_AFFILIATE_CREDENTIALS = "portal.change_affiliate_credentials"


@admin.register(Group)
class GroupAdmin(BaseGroupAdmin, ModelAdmin):
    pass


def _with_email(model: Any, text: str) -> Q:
    return Q(pk__in=list(User.objects.with_email(text).values_list("pk", flat=True)))


@admin.register(User)
class UserAdmin(FormPages, BaseUserAdmin, ModelAdmin):  # type: ignore[type-arg] # a subscript fails at run time
    form = UserPageForm
    add_form = UserAddForm
    change_password_form = AdminPasswordChangeForm
    change_user_password_template = "admin/portal/password.html"  # noqa: S105 - a page
    list_display = (
        "__str__",
        "get_full_name",
        "brand",
        "is_guest",
        "is_active",
        "is_staff",
        "created",
    )
    list_select_related = ("brand",)
    list_filter = (
        ("created_at", DaysFilter),
        "brand",
        "is_guest",
        "is_active",
        "is_staff",
    )
    list_per_page = 50
    search_fields: ClassVar[Any] = (search.exactly("id"), _with_email)
    search_parts = (search.containing("email", "firstname", "lastname"),)
    search_help_text = "A part of the e-mail address or of a name"
    created = column("created_at", "Created", show=moment, ordering="created_at")
    logged_in = column("last_login", "Last login", show=moment)
    ordering = ("-created_at", "-id")
    sortable_by = ("created",)
    filter_horizontal = ("groups", "user_permissions")
    actions = ("log_out_everywhere",)
    actions_detail = ("add_credit", "remove_factor", "export_data", "erase_data")
    has_add_credit_permission = needs("portal.add_walletentry")
    has_remove_factor_permission = needs("portal.change_user")
    has_export_data_permission = needs("affiliates.export_person")
    has_erase_permission = needs("affiliates.erase_person")
    fieldsets = (
        (
            None,
            {"fields": ("id", "brand", "email", "firstname", "lastname", "password")},
        ),
        (
            "Status",
            {
                "fields": (
                    "is_guest",
                    "is_active",
                    "language",
                    "account_credit",
                    "referred",
                    "created",
                    "logged_in",
                )
            },
        ),
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
        fixed: tuple[str, ...] = ("id", "is_guest", "created", "logged_in")
        fixed += ("account_credit", "referred")
        fixed += () if obj is not None and obj.is_staff else ("language",)
        fixed += ("brand",) if obj is not None else ()
        fixed += () if self._may_change_credentials(request, obj) else ("email",)
        return fixed if request.user.is_superuser else (*fixed, *STAFF_FIELDS)

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Without the links to pages that would refuse."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None:
            return fieldsets
        refused = set()
        if not self._may_change_credentials(request, obj):
            refused.add("password")
        if not request.user.has_perm("affiliates.view_orderreferral"):
            refused.add("referred")
        return [
            (
                name,
                {
                    **options,
                    "fields": [
                        field for field in options["fields"] if field not in refused
                    ],
                },
            )
            for name, options in fieldsets
        ]

    def _may_change_credentials(self, request: HttpRequest, user: User | None) -> bool:
        """By them staff could let themselves in, and move an affiliate's payouts."""
        if user is None or request.user.has_perm(CHANGE_AFFILIATE_CREDENTIALS):
            return True
        return not user.affiliate_profiles.exists()

    def user_change_password(
        self, request: HttpRequest, id: str, form_url: str = ""
    ) -> HttpResponse:
        user = self.get_object(request, unquote(id))
        if not self._may_change_credentials(request, user):
            raise PermissionDenied
        if asked := question_for(request):
            return HttpResponseRedirect(asked)
        page: HttpResponse = super().user_change_password(request, id, form_url)
        return page

    def add_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if asked := question_for(request):
            return HttpResponseRedirect(asked)
        page: HttpResponse = super().add_view(request, *args, **kwargs)
        return page

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        form = super().get_form(request, obj, change=change, **kwargs)
        if obj is None:
            return form
        return type(form.__name__, (form,), {"asked": question_for(request)})

    def save_model(
        self, request: HttpRequest, obj: User, form: Any, change: bool
    ) -> None:
        obj.save(is_by_staff=True)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if obj is not None and obj.is_staff and not request.user.is_superuser:
            return False
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: orders, invoices and referrals name their client. Deactivate instead."""
        return False

    @admin.display(description="account credit")
    def account_credit(self, user: User) -> str:
        balances = ", ".join(str(balance) for balance in balances_of(user.pk))
        entries = reverse("admin:portal_walletentry_changelist")
        return format_html(
            '<a href="{}?q={}">{}</a>', entries, user.pk, balances or "none"
        )

    @admin.display(description="by affiliates")
    def referred(self, user: User) -> str:
        orders, commissions = client_counts(user.pk)
        text = f"Orders ({orders}), commissions ({commissions})"
        page = reverse("admin:affiliates_brand_client")
        return format_html('<a href="{}?id={}">{}</a>', page, user.pk, text)

    @action(description="Add credit", url_path="add-credit", permissions=["add_credit"])
    def add_credit(self, request: HttpRequest, object_id: str) -> HttpResponse:
        def write(user: User, form: forms.Form) -> str:
            data = form.cleaned_data
            entry = add_credit(
                client_id=user.pk,
                amount=read_amount(data["amount"], data["currency"]),
                reason=data["reason"],
                reference=f"staff:{data['reference']}",
                now=timezone.now(),
            )
            return f"Added {entry.money} to the account credit."

        return self.form_page(
            request,
            object_id,
            title="Add credit",
            note="The client can pay invoices with it. This cannot be undone.",
            form=AddCreditForm(answer_of(request)),
            write=write,
        )

    @action(
        description="Remove second factor…",
        url_path="remove-second-factor",
        permissions=["remove_factor"],
    )
    def remove_factor(self, request: HttpRequest, object_id: str) -> HttpResponse:
        user = self.row_of(request, object_id)
        if user.brand_id is None or not self._may_change_credentials(request, user):
            raise PermissionDenied

        def write(user: User, form: forms.Form) -> str:
            if not has_factor(user):
                raise StateConflict("no_second_factor", "This client has none.")
            remove_devices(user, is_by_staff=True)
            said = f"Removed the second factor: {form.cleaned_data['reason']}"
            self.log_change(request, user, said)
            return "Removed the second factor."

        return self.form_page(
            request,
            object_id,
            title="Remove second factor",
            note="For a client who lost it, and whose identity you have checked: the "
            "password alone lets them in then. Affiliates are notified by e-mail.",
            form=RemoveFactorForm(answer_of(request)),
            write=write,
        )

    @action(
        description="Export personal data…",
        url_path="personal-data",
        permissions=["export_data"],
    )
    def export_data(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return redirect("admin:affiliates_export_account", user_id=object_id)

    @action(description="Erase personal data…", url_path="erase", permissions=["erase"])
    def erase_data(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return redirect("admin:affiliates_erase_account", user_id=object_id)

    @admin.action(description="Log out everywhere", permissions=["change"])
    def log_out_everywhere(
        self, request: HttpRequest, queryset: QuerySet[User]
    ) -> None:
        log_out_everywhere(users=queryset, now=timezone.now())
        said = "Their sessions have ended, and their tokens work no more."
        self.message_user(request, said, messages.SUCCESS)
