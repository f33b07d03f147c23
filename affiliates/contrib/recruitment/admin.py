from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from affiliates.admin import BrandPage
from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import (
    ModelAdmin,
    ReadOnlyInline,
    StackedInline,
    TabularInline,
    requires,
)
from affiliates.admin_tools.columns import column, moment
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision
from affiliates.admin_tools.editing.translations import TranslationsField
from affiliates.admin_tools.forms import ModelForm
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.theme import register_page
from affiliates.brands.models.brand import Brand
from affiliates.contrib.recruitment.models import (
    MAX_TERMS,
    Application,
    ApplicationQuestion,
    Invitation,
    ProgramTermsVersion,
    RecruitmentPolicy,
    TermsAcceptance,
)
from affiliates.contrib.recruitment.rules import (
    INVITED_FOR,
    MAX_QUESTION,
    MAX_QUESTIONS,
)
from affiliates.contrib.recruitment.services.enrolling import publish_terms
from affiliates.contrib.recruitment.services.invitations import (
    address_of,
    invite,
    revoke,
)
from affiliates.errors import StateConflict
from affiliates.privacy.erasure.admin import AffiliateErasurePage
from affiliates.program.models import Affiliate

OR_INVITE = (
    "A client of the brand who is no affiliate yet. There is none? "
    '<a class="text-link affiliates-told" href="{}">Invite somebody</a>.'
)


class RecruitmentPolicyForm(ModelForm):
    translations = TranslationsField(
        max_length=MAX_TERMS, label="Translations of the terms"
    )


class RecruitmentPolicyInline(StackedInline):
    model = RecruitmentPolicy
    form = RecruitmentPolicyForm
    verbose_name_plural = "recruitment of affiliates"
    autocomplete_fields = ("group", "plan")
    fields = ("approval", ("group", "plan"), "terms", "translations")
    extra = 0
    max_num = 1
    show_title = False


class ApplicationQuestionForm(ModelForm):
    translations = TranslationsField(
        max_length=MAX_QUESTION, widget=widgets.TextInput, help_text=""
    )


class ApplicationQuestionInline(TabularInline):
    model = ApplicationQuestion
    form = ApplicationQuestionForm
    verbose_name_plural = "questions of the application"
    fields = ("position", "text", "translations", "is_required")
    ordering = ("position", "pk")
    extra = 0
    max_num = MAX_QUESTIONS
    show_title = False

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        return super().get_formset(request, obj, validate_max=True, **kwargs)


class ProgramTermsInline(ReadOnlyInline):
    model = ProgramTermsVersion
    ordering = ("-number",)
    verbose_name_plural = "versions of the program's terms"
    show_title = False
    fields = ("number", "begins", "text", "translated")

    begins = column("effective_from", "In force from", show=moment)

    @admin.display(description="Translations")
    def translated(self, version: ProgramTermsVersion) -> str:
        texts = version.translations.items()
        return format_html_join("", '<p lang="{}">{}</p>', texts) or "-"


class PublishesTerms:
    """Mixed into the page of a brand: saved terms are a version."""

    def save_related(
        self, request: HttpRequest, form: Any, formsets: Any, change: bool
    ) -> None:
        super().save_related(request, form, formsets, change)  # type: ignore[misc] # ModelAdmin's
        publish_terms(form.instance.pk, now=timezone.now())


class ApplicationInline(ReadOnlyInline):
    model = Application
    verbose_name_plural = "application"
    show_title = False
    fields = ("applied", "answered")

    applied = column("applied_at", "Applied", show=moment)

    @admin.display(description="Answers")
    def answered(self, application: Application) -> str:
        """Written by strangers: escaped, as everything is."""
        if not application.answers:
            return "Nothing was asked."
        rows = (
            (answer["question"], answer["answer"] or "-")
            for answer in application.answers
        )
        return format_html(
            "<dl>{}</dl>", format_html_join("", "<dt>{}</dt><dd>{}</dd>", rows)
        )


class InvitationForm(ModelForm):
    class Meta:
        model = Invitation
        fields: ClassVar = ("brand", "email", "language", "group", "plan")

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if "brand" in values:
            try:
                address_of("", site=values["brand"].client_area_url())
            except StateConflict as refused:
                self.add_error("brand", refused.detail)
        return values


class TermsAcceptanceInline(ReadOnlyInline):
    model = TermsAcceptance
    verbose_name_plural = "accepted terms"
    show_title = False
    fields = ("number", "accepted")
    related = ("version",)

    number = column("version.number", "Version")
    accepted = column("accepted_at", "Accepted", show=moment)


@register_page(Affiliate)
class ApplicantPage(AffiliateErasurePage):
    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        if request.user.has_perm("affiliates_recruitment.add_invitation"):
            page = "affiliates_recruitment_invitation_add"
            address = reverse(f"{self.admin_site.name}:{page}")
            kwargs["help_texts"] = {"user": format_html(OR_INVITE, address)}
        return super().get_form(request, obj, change=change, **kwargs)

    inlines_of_saved = (
        ApplicationInline,
        TermsAcceptanceInline,
        *AffiliateErasurePage.inlines_of_saved,
    )


@register_page(Brand)
class ProgramPage(PublishesTerms, BrandPage):
    inlines_of_saved = (
        *BrandPage.inlines_of_saved,
        RecruitmentPolicyInline,
        ApplicationQuestionInline,
        ProgramTermsInline,
    )


def _revoke(chosen: Chosen, answers: Mapping[str, Any]) -> str:
    revoke(chosen.row.pk, now=timezone.now())
    return "The invitation is revoked."


@register_page(Invitation)
class InvitationAdmin(Decides, ModelAdmin):
    """Added is sent; what was sent can be revoked and nothing else."""

    form = InvitationForm
    list_display = ("email", "brand", "state", "group", "plan", "sent", "expires")
    list_filter = (("created_at", DaysFilter), "brand")
    list_select_related = ("brand", "group", "plan", "affiliate")
    list_per_page = 50
    ordering = ("-pk",)
    autocomplete_fields = ("brand", "group", "plan")
    search_fields = (search.exactly("email"),)
    search_help_text = "The whole e-mail address"
    actions_detail: ClassVar = ("revoke",)
    fieldsets = (
        ("Invitation", {"fields": ("brand", "email", "language", ("group", "plan"))}),
    )
    fixed_once_saved = (
        "brand", "email", "language", "group", "plan", "state", "sent", "expires",
    )  # fmt: skip

    sent = column("created_at", "Sent", show=moment, ordering="id")
    expires = column("expires_at", "Open until", show=moment)

    @admin.display(description="State")
    def state(self, invitation: Invitation) -> str:
        if invitation.affiliate is not None:
            return f"Accepted: {invitation.affiliate}"
        if invitation.revoked_at is not None:
            return f"Revoked {moment(invitation.revoked_at)}"
        return "Open" if invitation.expires_at > timezone.now() else "Over"

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        sent = ("Sent", {"fields": ("state", ("sent", "expires"), "invited_by")})
        return self.fieldsets if obj is None else (*self.fieldsets, sent)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def save_model(
        self, request: HttpRequest, obj: Invitation, form: Any, change: bool
    ) -> None:
        now = timezone.now()
        obj.invited_by_id = request.user.pk
        obj.expires_at = now + INVITED_FOR
        invite(obj, site=obj.brand.client_area_url(), now=now)

    has_revoke_permission = requires("affiliates_recruitment.change_invitation")

    revoke = StaffDecision(
        name="revoke",
        permission="revoke",
        title="Revoke this invitation?",
        button="Revoke",
        details=lambda chosen: {
            "paragraphs": [
                f"The link that was sent to {chosen.row.email} leads nowhere."
            ]
        },
        write=_revoke,
    ).on_row("Revoke")
