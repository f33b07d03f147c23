"""Applications of clients, and of strangers, who first verify their e-mail."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.core import signing
from django.db import transaction
from django.utils.translation import gettext_noop

from affiliates.adapter import get_adapter
from affiliates.brands.models.brand import Brand
from affiliates.conf import conf
from affiliates.contracts import Client
from affiliates.contrib.recruitment import emails
from affiliates.contrib.recruitment.models import Application, UnverifiedApplication
from affiliates.contrib.recruitment.rules import (
    CONFIRM_WITHIN,
    Approval,
    Given,
    Person,
    keep_answers,
)
from affiliates.contrib.recruitment.selectors import (
    has_paid,
    policy_of,
    questions_of,
    recruiter_id_of,
)
from affiliates.contrib.recruitment.services.enrolling import (
    accepted_terms,
    approve_by_rule,
    enrol_client,
    page_url,
    register_applicant,
)
from affiliates.errors import NotFound, StateConflict
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.worker import purges

CONFIRM_SALT, VERIFY_SALT = "affiliates.application", "affiliates.address"
EXPIRED = gettext_noop("This link is not valid, or no longer: apply again.")
USED = gettext_noop(
    "You have confirmed already: sign in with your e-mail address and your password."
)


@transaction.atomic
def apply_as_client(
    client: Client, answers: Given, *, site: str = "", now: datetime
) -> Affiliate:
    """Make the client an affiliate, waiting for approval unless the brand's rule gives it.

    Where the rule asks for a verified address, one who has paid gets a link, on the pages
    of ``site``, that gives it. Raises as program.services.apply does, InvalidInput for
    answers that are missing and StateConflict for terms that were not accepted.
    """
    policy = policy_of(client.brand_id)
    affiliate = enrol_client(
        client,
        code=answers.code,
        answers=keep_answers(questions_of(client.brand_id), answers.answers),
        terms=accepted_terms(client.brand_id, number=answers.terms),
        group_id=policy.group_id,
        plan_id=policy.plan_id,
        recruiter_id=recruiter_id_of(answers.by, brand_id=client.brand_id),
        applied_at=now,
    )
    approval = Approval(policy.approval)
    approve_by_rule(affiliate, approval, is_verified=False)
    if (
        site
        and approval is Approval.PAID
        and has_paid(client.id, brand_id=client.brand_id)
    ):
        token = _sign(affiliate.pk, salt=VERIFY_SALT, now=now)
        emails.ask_to_verify(
            affiliate.brand,
            client=client,
            affiliate_id=affiliate.pk,
            url=page_url(site, "verify", token),
            now=now,
        )
    return affiliate


def verify_address(token: str, *, brand_id: int, now: datetime) -> Affiliate:
    """Marks the affiliate's address as verified: the link was sent there.

    May be repeated. Raises NotFound for a link that is not ours, is another brand's or
    too old.
    """
    pk = _read(token, salt=VERIFY_SALT, now=now)
    affiliate = Affiliate.objects.filter(pk=pk, brand_id=brand_id).first()
    if affiliate is None:
        raise NotFound("link_expired", EXPIRED)
    approval = Approval(policy_of(brand_id).approval)
    approve_by_rule(affiliate, approval, is_verified=True)
    return affiliate


@transaction.atomic
def apply_as_stranger(
    person: Person, given: Given, *, brand_id: int, site: str, now: datetime
) -> None:
    """Send the address a link to confirm by; nobody is a client or affiliate before.

    An address that has an account gets another e-mail: the caller cannot tell. Raises
    InvalidInput and StateConflict for what was answered and accepted, of both alike.
    """
    brand = Brand.objects.filter(pk=brand_id, is_active=True, own_program=True).first()
    if brand is None:
        raise StateConflict("program_off", "This brand takes no affiliates.")
    answers = keep_answers(questions_of(brand_id), given.answers)
    terms = accepted_terms(brand_id, number=given.terms)
    email = person.email.strip()
    if get_adapter().clients_by_email([email], brand_id=brand_id):
        url = page_url(site, "welcome")
        emails.tell_of_account(brand, recipient=email, url=url, now=now)
        return
    application = UnverifiedApplication.objects.create(
        brand=brand,
        email=email,
        firstname=person.firstname,
        lastname=person.lastname,
        answers=answers,
        terms=terms,
        recruiter_id=recruiter_id_of(given.by, brand_id=brand_id),
        applied_at=now,
    )
    token = _sign(application.pk, salt=CONFIRM_SALT, now=now)
    url = page_url(site, "confirm", token)
    emails.ask_to_confirm(application, url=url, now=now)


def unverified_application(
    token: str, *, brand_id: int, now: datetime
) -> UnverifiedApplication:
    """Raises NotFound for a link that is not ours, was used, or is too old."""
    pk = _read(token, salt=CONFIRM_SALT, now=now)
    application = UnverifiedApplication.objects.filter(pk=pk).first()
    if application is None:
        # Applications are kept for as long as their links are valid.
        raise NotFound("link_used", USED)
    if application.brand_id != brand_id:
        raise NotFound("link_expired", EXPIRED)
    return application


@transaction.atomic
def confirm_application(
    token: str,
    *,
    brand_id: int,
    password: str,
    code: str = "",
    referral_cookie: str | None,
    user_agent: str = "",
    now: datetime,
) -> Affiliate:
    """Register the applicant as a client and make it an affiliate, by a link once used.

    The password is chosen here, by the reader of the address, so a stranger who only
    knew the address cannot set one. Raises NotFound as unverified_application does, and
    the host's errors about the password.
    """
    waiting = unverified_application(token, brand_id=brand_id, now=now)
    same = UnverifiedApplication.objects.filter(
        brand_id=brand_id, email__iexact=waiting.email
    )
    # The second of two parallel calls waits here and finds no row.
    if waiting.pk not in {row.pk for row in same.select_for_update(no_key=True)}:
        raise NotFound("link_used", USED)
    person = Person(
        email=waiting.email, firstname=waiting.firstname, lastname=waiting.lastname
    )
    client = register_applicant(
        person,
        brand_id=brand_id,
        password=password,
        referral_cookie=referral_cookie,
        user_agent=user_agent,
        now=now,
    )
    policy = policy_of(brand_id)
    affiliate = enrol_client(
        client,
        code=code,
        answers=waiting.answers,
        terms=waiting.terms,
        group_id=policy.group_id,
        plan_id=policy.plan_id,
        recruiter_id=waiting.recruiter_id,
        applied_at=waiting.applied_at,
    )
    approve_by_rule(affiliate, Approval(policy.approval), is_verified=True)
    same.delete()
    return affiliate


@purges.register("applications forgotten")
def forget_unverified(*, now: datetime) -> int:
    """Deletes applications not confirmed in time; returns their number."""
    old = UnverifiedApplication.objects.filter(applied_at__lte=now - CONFIRM_WITHIN)
    return old.delete()[0]


@purges.register("declined applications deleted")
def forget_declined(*, now: datetime) -> int:
    """Deletes answers of applicants declined some time ago; returns their number."""
    old = Application.objects.filter(
        affiliate__status=AffiliateStatus.SUSPENDED,
        affiliate__declined_at__lte=now - timedelta(days=conf.keep_declined_days),
    )
    return old.delete()[0]


def _sign(pk: int, *, salt: str, now: datetime) -> str:
    return signing.dumps([pk, int(now.timestamp())], salt=salt)


def _read(token: str, *, salt: str, now: datetime) -> int:
    """Raises NotFound for a link that is not ours or too old."""
    try:
        pk, signed_at = signing.loads(token, salt=salt)
    except signing.BadSignature:
        raise NotFound("link_expired", EXPIRED) from None
    if now.timestamp() - signed_at >= CONFIRM_WITHIN.total_seconds():
        raise NotFound("link_expired", EXPIRED)
    return int(pk)
