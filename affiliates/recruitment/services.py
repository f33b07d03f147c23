"""The writers of what applicants are asked and of what they said."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from affiliates.brands.models.brand import Brand
from affiliates.contracts import Client
from affiliates.errors import StateConflict
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import apply, change_status
from affiliates.recruitment.models import (
    Application,
    ProgramTermsVersion,
    TermsAcceptance,
)
from affiliates.recruitment.rules import Approval, Given, is_approved, keep_answers
from affiliates.recruitment.selectors import (
    current_terms,
    has_paid,
    policy_of,
    questions_of,
)


@transaction.atomic
def publish_terms(brand_id: int, *, now: datetime) -> ProgramTermsVersion | None:
    """Make what the terms say now a version, unless the latest says the same.

    To be called in the transaction that saved the brand's policy. None where there never
    were any terms.
    """
    Brand.objects.select_for_update(no_key=True).get(pk=brand_id)
    versions = ProgramTermsVersion.objects.filter(brand_id=brand_id)
    latest = versions.order_by("-number").first()
    text = policy_of(brand_id).terms.strip()
    if text == ("" if latest is None else latest.text):
        return latest
    return ProgramTermsVersion.objects.create(
        brand_id=brand_id,
        number=1 if latest is None else latest.number + 1,
        text=text,
        effective_from=now,
    )


@transaction.atomic
def apply_as_client(client: Client, given: Given, *, now: datetime) -> Affiliate:
    """Make the client an affiliate, waiting for approval unless the brand's rule gives it.

    Raises as program.services.apply does, InvalidInput for answers that are missing and
    StateConflict for terms that were not accepted.
    """
    policy = policy_of(client.brand_id)
    affiliate = apply(
        client, code=given.code, group_id=policy.group_id, plan_id=policy.plan_id
    )
    answers = keep_answers(questions_of(client.brand_id), given.answers)
    Application.objects.create(affiliate=affiliate, answers=answers, applied_at=now)
    accept_terms(affiliate, number=given.terms, now=now)
    approve_by_rule(affiliate, Approval(policy.approval), is_verified=False)
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


def accept_terms(affiliate: Affiliate, *, number: int | None, now: datetime) -> None:
    """Keep that it accepted this version, which must be the one of now.

    Harmless again. Raises StateConflict for another version than the affiliate was to
    read; where there are no terms nothing is kept.
    """
    terms = current_terms(affiliate.brand_id)
    if terms is None:
        return
    if number != terms.number:
        raise StateConflict("terms_not_accepted", "Read and accept the terms of now.")
    TermsAcceptance.objects.get_or_create(
        affiliate=affiliate, version=terms, defaults={"accepted_at": now}
    )
