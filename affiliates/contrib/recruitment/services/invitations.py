"""Invitations: sent by staff, used once by the recipient."""

from __future__ import annotations

from datetime import datetime

from django.core import signing
from django.db import transaction
from django.utils.translation import gettext_noop

from affiliates.adapter import get_adapter
from affiliates.contracts import Client
from affiliates.contrib.recruitment import emails
from affiliates.contrib.recruitment.models import Invitation
from affiliates.contrib.recruitment.rules import (
    Approval,
    Given,
    Person,
    invitation_ended,
    keep_answers,
)
from affiliates.contrib.recruitment.selectors import questions_of
from affiliates.contrib.recruitment.services.enrolling import (
    HAS_ACCOUNT,
    accepted_terms,
    approve_by_rule,
    enrol_client,
    page_url,
    register_applicant,
)
from affiliates.errors import NotFound, StateConflict
from affiliates.program.models import Affiliate

SALT = "affiliates.invitation"
ENDED = gettext_noop("This invitation is not valid, or no longer.")


@transaction.atomic
def invite(invitation: Invitation, *, site: str | None, now: datetime) -> None:
    """Save the invitation and send it. Raises as address_of does."""
    address_of("", site=site)
    invitation.created_at = now
    invitation.save()
    url = address_of(signing.dumps(invitation.pk, salt=SALT), site=site)
    emails.send_invitation(invitation, url=url, now=now)


def address_of(token: str, *, site: str | None) -> str:
    """Raises StateConflict where there is no page for invitations."""
    if site is None:
        raise StateConflict(
            "no_client_area", "Add a client area to the brand's domains first."
        )
    return page_url(site, "invitation", token or "token")


@transaction.atomic
def revoke(invitation_id: int, *, now: datetime) -> None:
    """Raises StateConflict for one that is used, revoked or over already."""
    invitation = Invitation.objects.select_for_update(no_key=True).get(pk=invitation_id)
    if _has_ended(invitation, now):
        raise StateConflict("invitation_ended", ENDED)
    invitation.revoked_at = now
    invitation.save(update_fields=["revoked_at"])


def open_invitation(token: str, *, brand_id: int, now: datetime) -> Invitation:
    """Raises NotFound for a link that is not ours, and for an invitation that ended."""
    return _find(token, brand_id=brand_id, now=now)


@transaction.atomic
def accept_as_client(
    token: str, client: Client, answers: Given, *, now: datetime
) -> Affiliate:
    """Raises NotFound as open_invitation does, and otherwise as apply_as_client."""
    invitation = _find(token, brand_id=client.brand_id, now=now, is_locked=True)
    return _accept(invitation, client, answers, now=now)


@transaction.atomic
def accept_as_stranger(
    token: str,
    answers: Given,
    *,
    brand_id: int,
    firstname: str,
    lastname: str,
    password: str,
    referral_cookie: str | None,
    user_agent: str = "",
    now: datetime,
) -> Affiliate:
    """Registers the invited person with the address of the invitation.

    Raises NotFound as open_invitation does, StateConflict where the address has an
    account, and otherwise as confirm_application.
    """
    invitation = _find(token, brand_id=brand_id, now=now, is_locked=True)
    if get_adapter().clients_by_email([invitation.email], brand_id=brand_id):
        raise StateConflict("has_account", HAS_ACCOUNT)
    client = register_applicant(
        Person(email=invitation.email, firstname=firstname, lastname=lastname),
        brand_id=brand_id,
        password=password,
        referral_cookie=referral_cookie,
        user_agent=user_agent,
        now=now,
    )
    return _accept(invitation, client, answers, now=now)


def _accept(
    invitation: Invitation, client: Client, answers: Given, *, now: datetime
) -> Affiliate:
    brand_id = client.brand_id
    affiliate = enrol_client(
        client,
        code=answers.code,
        answers=keep_answers(questions_of(brand_id), answers.answers),
        terms=accepted_terms(brand_id, number=answers.terms),
        group_id=invitation.group_id,
        plan_id=invitation.plan_id,
        applied_at=now,
    )
    invitation.affiliate = affiliate
    invitation.save(update_fields=["affiliate"])
    # Staff judged before they invited.
    approve_by_rule(affiliate, Approval.EVERYBODY, is_verified=True)
    return affiliate


def _find(
    token: str, *, brand_id: int, now: datetime, is_locked: bool = False
) -> Invitation:
    try:
        pk = signing.loads(token, salt=SALT)
    except signing.BadSignature:
        raise NotFound("invitation_ended", ENDED) from None
    rows = Invitation.objects.filter(pk=pk, brand_id=brand_id)
    if is_locked:
        rows = rows.select_for_update(no_key=True)
    invitation = rows.first()
    if invitation is None or _has_ended(invitation, now):
        raise NotFound("invitation_ended", ENDED)
    return invitation


def _has_ended(invitation: Invitation, now: datetime) -> bool:
    return invitation_ended(
        is_used=invitation.affiliate_id is not None,
        is_revoked=invitation.revoked_at is not None,
        expires_at=invitation.expires_at,
        now=now,
    )
