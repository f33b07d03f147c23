"""A brand's questions and terms for applicants, and their answers."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models

from affiliates.brands.models.brand import Brand
from affiliates.contrib.recruitment.rules import MAX_QUESTION, Approval
from affiliates.core.language import LANGUAGES, first_of_ours, translated
from affiliates.db.records import Record, staff_field
from affiliates.plans.models.group import AffiliateGroup
from affiliates.plans.models.plan import CommissionPlan
from affiliates.program.models import OTHER_BRAND, Affiliate

MAX_TERMS = 50_000
MAX_NAME = 100
MAX_LANGUAGE = 10


def _group_field() -> Any:
    return models.ForeignKey(
        AffiliateGroup,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
    )


def _plan_field() -> Any:
    return models.ForeignKey(
        CommissionPlan,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Empty: the group's plan, or the brand's default plan.",
    )


def site_language() -> str:
    """The site's language; English if we do not have that one."""
    return first_of_ours(settings.LANGUAGE_CODE)


class RecruitmentPolicy(Record):
    """How a brand accepts affiliates. Without a row staff decide, without terms."""

    brand = models.OneToOneField(
        Brand, on_delete=models.CASCADE, related_name="recruitment_policy"
    )
    approval = models.CharField(
        "approved by itself",
        max_length=20,
        choices=Approval.choices,
        default=Approval.NEVER,
        help_text="Whose application needs nobody of staff.",
    )
    group = _group_field()
    plan = _plan_field()
    terms = models.TextField(
        "terms of the program",
        max_length=MAX_TERMS,
        blank=True,
        help_text="Applicants accept them. Saving another text makes a new version: "
        "affiliates are asked again, and go on earning meanwhile.",
    )
    translations = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name = "recruitment"
        verbose_name_plural = "recruitment"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(approval__in=list(Approval)),
                name="recruitment_approval_is_known",
            )
        ]

    def __str__(self) -> str:
        return f"Recruitment of {self.brand}"

    def clean(self) -> None:
        require_one_brand(self)


class ApplicationQuestion(Record):
    """A question to applicants, in the order of ``position``."""

    brand = models.ForeignKey(
        Brand, on_delete=models.CASCADE, related_name="application_questions"
    )
    text = models.CharField("question", max_length=MAX_QUESTION)
    translations = models.JSONField(default=dict, blank=True)
    is_required = models.BooleanField("required", default=False)
    position = models.PositiveSmallIntegerField(
        default=0, help_text="Small numbers first."
    )

    class Meta:
        ordering = ["brand", "position", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "text"],
                name="application_asks_a_question_once",
                violation_error_message="This brand asks that already.",
            )
        ]

    def __str__(self) -> str:
        return self.text


class ProgramTermsVersion(Record):
    """The terms from ``effective_from`` on; an empty text withdraws them.

    Never changed.
    """

    brand = models.ForeignKey(
        Brand, on_delete=models.CASCADE, related_name="program_terms"
    )
    number = models.PositiveIntegerField()
    text = models.TextField()
    translations = models.JSONField(default=dict)
    effective_from = models.DateTimeField()

    class Meta:
        ordering = ["brand", "-number"]
        verbose_name = "version of the program's terms"
        verbose_name_plural = "versions of the program's terms"
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "number"], name="program_terms_number_is_unique"
            )
        ]

    def __str__(self) -> str:
        return f"Terms of {self.brand}, version {self.number}"

    @property
    def own_text(self) -> str:
        """The text in the active language."""
        return translated(self.text, self.translations)


class TermsAcceptance(Record):
    """An affiliate accepted a version of the terms. Only ever added."""

    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="accepted_terms"
    )
    version = models.ForeignKey(
        ProgramTermsVersion, on_delete=models.PROTECT, related_name="acceptances"
    )
    accepted_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        verbose_name = "accepted version of the terms"
        verbose_name_plural = "accepted versions of the terms"
        constraints = [
            models.UniqueConstraint(
                fields=["affiliate", "version"], name="terms_are_accepted_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.version}, accepted by {self.affiliate}"


class Application(Record):
    """An affiliate's answers when it applied, with the questions of that time."""

    affiliate = models.OneToOneField(
        Affiliate, on_delete=models.PROTECT, related_name="application"
    )
    answers = models.JSONField(default=list, blank=True)
    applied_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"Application of {self.affiliate}"


class UnverifiedApplication(Record):
    """An application without a verified e-mail address: without a client, never shown.

    ``answers`` and ``terms`` have their final form. Deleted when the application is
    confirmed or expires.
    """

    brand = models.ForeignKey(Brand, on_delete=models.CASCADE, related_name="+")
    email = models.EmailField()
    firstname = models.CharField(max_length=MAX_NAME)
    lastname = models.CharField(max_length=MAX_NAME)
    answers = models.JSONField(default=list, blank=True)
    terms = models.ForeignKey(
        ProgramTermsVersion, on_delete=models.CASCADE, null=True, related_name="+"
    )
    recruiter = models.ForeignKey(
        Affiliate, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    applied_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"Unverified application {self.pk}"


class Invitation(Record):
    """An e-mail that makes its recipient an affiliate once, without approval."""

    brand = models.ForeignKey(
        Brand, on_delete=models.PROTECT, related_name="invitations"
    )
    email = models.EmailField("e-mail address")
    language = models.CharField(
        max_length=MAX_LANGUAGE,
        choices=list(LANGUAGES.items()),
        default=site_language,
        db_default="",
        help_text="Of the e-mail that is sent.",
    )
    group = _group_field()
    plan = _plan_field()
    invited_by = staff_field()
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    affiliate = models.OneToOneField(
        Affiliate,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="invitation",
    )

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(revoked_at__isnull=True)
                | models.Q(affiliate__isnull=True),
                name="revoked_invitation_is_not_used",
            )
        ]

    def __str__(self) -> str:
        return f"Invitation {self.pk}"

    def clean(self) -> None:
        require_one_brand(self)


def require_one_brand(row: Any) -> None:
    """Raises ValidationError for a group or a plan of another brand."""
    faults = {
        name: OTHER_BRAND.format(name)
        for name in ("group", "plan")
        if (of := getattr(row, name)) is not None and of.brand_id != row.brand_id
    }
    if faults:
        raise ValidationError(faults)
