from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.http import HttpRequest

from affiliates.admin_tools.base import ModelAdmin
from affiliates.admin_tools.columns import row_column
from affiliates.admin_tools.theme import register_page
from affiliates.payouts.forms import PayoutTermsForm
from affiliates.payouts.models import PayoutTerms
from affiliates.payouts.providers.registry import PROVIDERS
from affiliates.payouts.selectors import has_two_who_approve, offered_terms
from affiliates.payouts.services.terms import save_terms

TO_AGREE = "Somebody else agrees by switching it off too; saving with it on declines."
STILL_FOR_TWO = (
    "A second person is still needed, until somebody else switches it off too."
)


@register_page(PayoutTerms)
class PayoutTermsAdmin(ModelAdmin):
    form = PayoutTermsForm
    list_display = ("brand", "ways", "cool_off_days", "own_account")
    list_select_related = ("brand",)
    autocomplete_fields = ("brand",)
    fieldsets: ClassVar[tuple[Any, ...]] = (
        ("Brand", {"fields": ("brand",)}),
        (
            "What it pays by",
            {"fields": ("kinds",)},
        ),
        ("When it pays", {"fields": ("minimums", "pays_rest", "cool_off_days")}),
        (
            "Account that bank transfers are paid from",
            {"fields": ("debtor_name", ("debtor_iban", "debtor_bic"))},
        ),
        (
            "Who approves",
            {"fields": ("needs_second_person", "asked_by")},
        ),
        (
            "Statements",
            {"fields": (("numbering", "number_prefix"), "issuer", "tax_note")},
        ),
    )

    class Media:
        css: ClassVar = {"all": ("affiliates/admin.css",)}

    def get_readonly_fields(
        self, request: HttpRequest, obj: PayoutTerms | None = None
    ) -> tuple[str, ...]:
        return ("asked_by",) if obj is None else ("brand", "asked_by")

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        initial: dict[str, Any] = super().get_changeform_initial_data(request)
        for_two = has_two_who_approve(initial.get("brand") or 0)
        return {"needs_second_person": for_two, **initial}

    @admin.display(description="Asked to switch it off")
    def asked_by(self, terms: PayoutTerms) -> str:
        if terms.single_person_asked_by is None:
            return "Nobody"
        return f"{terms.single_person_asked_by}. {TO_AGREE}"

    def save_model(
        self, request: HttpRequest, obj: PayoutTerms, form: Any, change: bool
    ) -> None:
        if not save_terms(obj, actor_id=request.user.pk):
            self.message_user(request, STILL_FOR_TWO, messages.WARNING)

    def has_delete_permission(
        self, request: HttpRequest, obj: PayoutTerms | None = None
    ) -> bool:
        """Refuses: without its terms, a brand would not need a second person."""
        if obj is not None and obj.needs_second_person:
            return False
        return bool(super().has_delete_permission(request, obj))

    @admin.display(description="Pays by")
    def ways(self, terms: PayoutTerms) -> str:
        kinds = offered_terms(terms).kinds
        labels = [str(PROVIDERS[code].label) for code in PROVIDERS if code in kinds]
        return ", ".join(labels) or "-"

    own_account = row_column(
        "Own account",
        lambda row: bool(row.debtor_name and row.debtor_iban and row.debtor_bic),
        boolean=True,
    )
