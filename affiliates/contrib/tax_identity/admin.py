from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone

from affiliates.admin_tools.base import ModelAdmin, ReadOnlyInline
from affiliates.admin_tools.columns import column, moment, row_column
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.theme import register_page
from affiliates.contrib.tax_identity import models
from affiliates.contrib.tax_identity.forms import IdentityForm, IdentityTermsForm
from affiliates.contrib.tax_identity.pages import LABELS
from affiliates.contrib.tax_identity.selectors import readable_details
from affiliates.contrib.tax_identity.services import change_identity


@register_page(models.IdentityTerms)
class IdentityTermsAdmin(ModelAdmin):
    form = IdentityTermsForm
    list_display = ("brand", "asks_vies")
    list_select_related = ("brand",)
    autocomplete_fields = ("brand",)
    fixed_once_saved = ("brand",)
    fieldsets = (
        ("Brand", {"fields": ("brand",)}),
        ("What a payout needs", {"fields": ("needed_from", "countries")}),
        ("VIES", {"fields": ("asks_vies", "own_vat_id")}),
    )


class ViesAnswerInline(ReadOnlyInline):
    model = models.ViesAnswer
    verbose_name_plural = "answers of VIES"
    show_title = False
    fields = ("kind", "asked", "reference")

    asked = column("asked_at", "Asked", show=moment)


@register_page(models.TaxIdentity)
class TaxIdentityAdmin(ModelAdmin):
    """Adding one is a change; nothing is edited. Staff who may add one read it whole."""

    form = IdentityForm
    list_display = ("affiliate", "brand", "shown_hint", "valid_from", "given_at")
    list_filter = (("created_at", DaysFilter), "affiliate__brand")
    list_select_related = ("affiliate__brand",)
    list_per_page = 50
    ordering = ("-pk",)
    autocomplete_fields = ("affiliate",)
    search_fields = (search.affiliates(),)
    search_help_text = "Affiliate's code"
    inlines_of_saved = (ViesAnswerInline,)

    brand = column("affiliate.brand", "Brand")
    shown_hint = row_column("Hint", lambda row: row.hint or "-")
    given_at = column("created_at", "Given", show=moment, ordering="id")
    entered = row_column(
        "Entered by", lambda row: str(row.entered_by or "The affiliate")
    )

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = ["affiliate", "valid_from", *LABELS]
        if obj is not None:
            is_reader = self.has_add_permission(request)
            fields = ["affiliate", "valid_from", "shown_hint", "given_at", "entered"]
            fields += ["whole"] if is_reader else []
        return [("Who is paid", {"fields": fields})]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        shown = (
            "affiliate",
            "valid_from",
            "shown_hint",
            "given_at",
            "entered",
            "whole",
        )
        return () if obj is None else shown

    @admin.display(description="Details")
    def whole(self, identity: models.TaxIdentity) -> str:
        details = identity.details and readable_details(identity)
        if not details:
            return "Erased, or encrypted with a missing key."
        rows = ((LABELS[name], text) for name, text in details.items() if text)
        return "\n".join(f"{label}: {text}" for label, text in rows)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(
        self, request: HttpRequest, obj: models.TaxIdentity, form: Any, change: bool
    ) -> None:
        values = form.cleaned_data
        saved = change_identity(
            affiliate_id=values["affiliate"].pk,
            values={name: values[name] for name in LABELS},
            valid_from=values["valid_from"],
            now=timezone.now(),
            entered_by_id=request.user.pk,
        )
        # Django logs and redirects by the object that it passed in.
        obj.__dict__.update(saved.__dict__)
