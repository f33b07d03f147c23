from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from affiliates.admin_tools.base import ReadOnlyInline, StackedInline, TabularInline
from affiliates.admin_tools.columns import column, moment
from affiliates.recruitment.models import (
    Application,
    ApplicationQuestion,
    ProgramTermsVersion,
    RecruitmentPolicy,
    TermsAcceptance,
)
from affiliates.recruitment.rules import MAX_QUESTIONS
from affiliates.recruitment.services import publish_terms


class RecruitmentPolicyInline(StackedInline):
    model = RecruitmentPolicy
    verbose_name_plural = "recruitment of affiliates"
    autocomplete_fields = ("group", "plan")
    fields = ("approval", ("group", "plan"), "terms")
    extra = 0
    max_num = 1
    hide_title = True


class ApplicationQuestionInline(TabularInline):
    model = ApplicationQuestion
    verbose_name_plural = "questions of the application"
    fields = ("position", "text", "is_required")
    ordering = ("position", "pk")
    extra = 0
    max_num = MAX_QUESTIONS
    hide_title = True

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        return super().get_formset(request, obj, validate_max=True, **kwargs)


class ProgramTermsInline(ReadOnlyInline):
    model = ProgramTermsVersion
    ordering = ("-number",)
    verbose_name_plural = "versions of the program's terms"
    hide_title = True
    fields = ("number", "begins", "text")

    begins = column("effective_from", "In force from", show=moment)


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
    hide_title = True
    fields = ("applied", "answered")

    applied = column("applied_at", "Applied", show=moment)

    @admin.display(description="Answers")
    def answered(self, application: Application) -> str:
        """Written by strangers: escaped, as everything is."""
        if not application.answers:
            return "Nothing was asked."
        rows = ((one["question"], one["answer"] or "-") for one in application.answers)
        return format_html(
            "<dl>{}</dl>", format_html_join("", "<dt>{}</dt><dd>{}</dd>", rows)
        )


class TermsAcceptanceInline(ReadOnlyInline):
    model = TermsAcceptance
    verbose_name_plural = "accepted terms"
    hide_title = True
    fields = ("number", "accepted")
    related = ("version",)

    number = column("version.number", "Version")
    accepted = column("accepted_at", "Accepted", show=moment)
