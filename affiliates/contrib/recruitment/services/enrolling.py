"""Makes clients affiliates, with what they said and accepted: the last step of each way."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext_noop

from affiliates.brands.models.brand import Brand
from affiliates.contracts import Client, ClientRegistration
from affiliates.contrib.recruitment.models import (
    Application,
    ProgramTermsVersion,
    TermsAcceptance,
)
from affiliates.contrib.recruitment.rules import Approval, Person, is_approved
from affiliates.contrib.recruitment.selectors import current_terms, has_paid, policy_of
from affiliates.errors import InvalidInput, StateConflict
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import apply, change_status
from affiliates.referrals.services import register_client

HAS_ACCOUNT = gettext_noop(
    "This address has an account already: sign in, and open this page again."
)

Answers = Sequence[dict[str, str]]


@transaction.atomic
def enrol_client(
    client: Client,
    *,
    code: str,
    answers: Answers,
    terms: ProgramTermsVersion | None,
    group_id: int | None,
    plan_id: int | None,
    recruiter_id: int | None = None,
    applied_at: datetime,
) -> Affiliate:
    """Make the client an affiliate that waits. Raises as program.services.apply does."""
    affiliate = apply(
        client,
        code=code,
        group_id=group_id,
        plan_id=plan_id,
        recruiter_id=recruiter_id,
    )
    Application.objects.create(
        affiliate=affiliate, answers=answers, applied_at=applied_at
    )
    if terms is not None:
        TermsAcceptance.objects.create(
            affiliate=affiliate, version=terms, accepted_at=applied_at
        )
    return affiliate


def approve_by_rule(
    affiliate: Affiliate, approval: Approval, *, is_verified: bool
) -> None:
    """``is_verified`` says that the client reads what is sent to its e-mail address."""
    paid = is_verified and has_paid(affiliate.user_id, brand_id=affiliate.brand_id)
    if is_approved(approval, is_verified=is_verified, has_paid=paid):
        waiting = Affiliate.objects.filter(
            pk=affiliate.pk, status=AffiliateStatus.PENDING
        )
        change_status(waiting, status=AffiliateStatus.ACTIVE)
        affiliate.refresh_from_db(fields=["status"])


def accept_terms(
    affiliate: Affiliate, *, number: int | None, now: datetime
) -> TermsAcceptance | None:
    """Keep that it accepted this version, as accepted_terms says. Harmless again."""
    terms = accepted_terms(affiliate.brand_id, number=number)
    if terms is None:
        return None
    acceptance, _ = TermsAcceptance.objects.get_or_create(
        affiliate=affiliate, version=terms, defaults={"accepted_at": now}
    )
    return acceptance


def accepted_terms(brand_id: int, *, number: int | None) -> ProgramTermsVersion | None:
    """The terms of now, by the number of what was read; None where there are none.

    Raises StateConflict for another version.
    """
    terms = current_terms(brand_id)
    if terms is not None and number != terms.number:
        raise StateConflict("terms_not_accepted", "Read and accept the terms of now.")
    return terms


def register_applicant(
    person: Person,
    *,
    brand_id: int,
    password: str,
    referral_cookie: str | None,
    user_agent: str,
    now: datetime,
) -> Client:
    """A new client of the brand, whose address is verified.

    Raises StateConflict if the address has an account by now, and the host's errors
    about the password.
    """
    registration = ClientRegistration(
        brand_id=brand_id,
        email=person.email,
        firstname=person.firstname,
        lastname=person.lastname,
        password=password,
        user_agent=user_agent,
    )
    try:
        registered = register_client(
            registration=registration, referral_cookie=referral_cookie, now=now
        )
    except InvalidInput as refused:
        if refused.field != "email":
            raise
        raise StateConflict("has_account", HAS_ACCOUNT) from None
    return registered.client


def page_url(site: str, name: str, *arguments: str) -> str:
    """A page of the affiliate's area. Raises StateConflict where the host has none."""
    try:
        return site + reverse(f"affiliates_area:{name}", args=arguments)
    except NoReverseMatch:
        raise StateConflict(
            "no_area",
            "Include affiliates.contrib.area.urls: the e-mail leads to its pages.",
        ) from None


def site_with_area(brand_id: int) -> str:
    """The brand's client area, where the host includes the affiliate's area; else ""."""
    try:
        page_url("", "dashboard")
    except StateConflict:
        return ""
    return Brand.objects.get(pk=brand_id).client_area_url() or ""


@transaction.atomic
def publish_terms(brand_id: int, *, now: datetime) -> ProgramTermsVersion | None:
    """Make what the terms say now a version, unless the latest says the same in every
    language.

    To be called in the transaction that saved the brand's policy. None where there never
    were any terms.
    """
    Brand.objects.select_for_update(no_key=True).get(pk=brand_id)
    versions = ProgramTermsVersion.objects.filter(brand_id=brand_id)
    latest = versions.order_by("-number").first() or ProgramTermsVersion(number=0)
    policy = policy_of(brand_id)
    text = policy.terms.strip()
    translations = policy.translations if text else {}
    if (text, translations) == (latest.text, latest.translations):
        return latest if latest.number else None
    return ProgramTermsVersion.objects.create(
        brand_id=brand_id,
        number=latest.number + 1,
        text=text,
        translations=translations,
        effective_from=now,
    )
