"""What brands ask of applicants."""

from __future__ import annotations

from datetime import UTC, datetime

import factory
from factory.django import DjangoModelFactory

from affiliates.contrib.recruitment.models import (
    Application,
    ApplicationQuestion,
    Invitation,
    ProgramTermsVersion,
    RecruitmentPolicy,
    TermsAcceptance,
    UnverifiedApplication,
)
from tests.guard.markers import marker, number_of


class RecruitmentPolicyFactory(DjangoModelFactory):
    class Meta:
        model = RecruitmentPolicy


class ApplicationQuestionFactory(DjangoModelFactory):
    class Meta:
        model = ApplicationQuestion

    text = factory.Sequence(lambda number: f"Question {number}?")


class ProgramTermsFactory(DjangoModelFactory):
    class Meta:
        model = ProgramTermsVersion

    number = 1
    text = "Do not advertise on our name."
    effective_from = datetime(2026, 1, 1, tzinfo=UTC)


class TermsAcceptanceFactory(DjangoModelFactory):
    class Meta:
        model = TermsAcceptance

    accepted_at = datetime(2026, 3, 1, 12, tzinfo=UTC)


class ApplicationFactory(DjangoModelFactory):
    class Meta:
        model = Application

    answers = factory.LazyAttribute(
        lambda row: [
            _said(marker("applicant", "answer", number_of(row.affiliate.user)))
        ]
    )
    applied_at = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _said(text: str) -> dict[str, str]:
    return {"question": "Where?", "answer": text}


class UnverifiedApplicationFactory(DjangoModelFactory):
    class Meta:
        model = UnverifiedApplication

    email = f"{marker('applicant', 'email')}@example.com"
    firstname = marker("applicant", "firstname")
    lastname = marker("applicant", "lastname")
    answers = factory.LazyFunction(lambda: [_said(marker("applicant", "said"))])
    applied_at = datetime(2026, 3, 1, 12, tzinfo=UTC)


class InvitationFactory(DjangoModelFactory):
    class Meta:
        model = Invitation

    email = f"{marker('applicant', 'invited')}@example.com"
    created_at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    expires_at = datetime(2026, 3, 31, 12, tzinfo=UTC)
