"""A stranger applies: nobody learns who is known, and nothing is there unverified."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.adapter import get_adapter
from affiliates.contrib.recruitment.models import UnverifiedApplication
from affiliates.contrib.recruitment.rules import CONFIRM_WITHIN, Approval, Given, Person
from affiliates.contrib.recruitment.services.applications import (
    apply_as_client,
    apply_as_stranger,
    confirm_application,
    forget_unverified,
    unverified_application,
    verify_address,
)
from affiliates.emails.models import Email
from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.contrib.recruitment.links import SITE, links, token_of
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory
from tests.factories.recruitment import (
    ApplicationQuestionFactory,
    ProgramTermsFactory,
    RecruitmentPolicyFactory,
    UnverifiedApplicationFactory,
)
from tests.guard.markers import marker

EMAIL = "new@example.com"
PASSWORD = "correct horse battery"  # noqa: S105 of nobody


@pytest.fixture
def apply_now(brand, now):
    def apply_now(email=EMAIL, **given):
        person = Person(email=email, firstname="Ada", lastname="Lovelace")
        apply_as_stranger(person, Given(**given), brand_id=brand.pk, site=SITE, now=now)

    return apply_now


@pytest.fixture
def confirm(brand, now):
    def confirm(token, *, at=now, brand_id=brand.pk, **fields):
        fields = {"password": PASSWORD, "referral_cookie": None, **fields}
        return confirm_application(token, brand_id=brand_id, now=at, **fields)

    return confirm


def clients(brand):
    return get_adapter().clients_by_email([EMAIL], brand_id=brand.pk)


def test_nobody_is_a_client_before_the_address_is_verified(
    brand, apply_now, confirm, now
):
    asked = ApplicationQuestionFactory(brand=brand, text="Where?")
    terms = ProgramTermsFactory(brand=brand)

    apply_now(answers={str(asked.pk): marker("applicant", "answer")}, terms=1)

    assert not clients(brand)
    assert not Affiliate.objects.exists()
    assert links()[EMAIL].startswith(f"{SITE}/affiliate/confirm/")

    affiliate = confirm(token_of(EMAIL), code="ada", at=now + timedelta(hours=1))

    assert str(affiliate.user_id) == clients(brand)[EMAIL].id
    assert (affiliate.code, affiliate.status) == ("ada", AffiliateStatus.PENDING)
    application = affiliate.application
    assert application.answers == [
        {"question": "Where?", "answer": marker("applicant", "answer")}
    ]
    assert application.applied_at == now
    accepted = affiliate.accepted_terms.get()
    assert (accepted.version, accepted.accepted_at) == (terms, now)
    assert not UnverifiedApplication.objects.exists()


def test_a_known_address_gets_another_email_and_nothing_else(brand, host, apply_now):
    host.client(brand, email=EMAIL)

    apply_now(email="New@example.com")

    assert links() == {"New@example.com": f"{SITE}/affiliate/welcome"}
    assert "account there already" in Email.objects.get().text
    assert not UnverifiedApplication.objects.exists()


def test_what_is_missing_is_refused_alike_for_known_and_unknown(brand, host, apply_now):
    host.client(brand, email="known@example.com")
    ApplicationQuestionFactory(brand=brand, is_required=True)

    for email in (EMAIL, "known@example.com"):
        with nothing_written(), pytest.raises(InvalidInput):
            apply_now(email=email)


def test_terms_that_were_not_read_are_refused(brand, apply_now):
    ProgramTermsFactory(brand=brand)

    with nothing_written(), pytest.raises(StateConflict):
        apply_now()


def test_a_brand_without_a_program_takes_nobody(brand, apply_now):
    brand.own_program = False
    brand.save()

    with nothing_written(), pytest.raises(StateConflict):
        apply_now()


def test_the_link_is_good_once_for_two_days_and_for_its_brand(
    brand, apply_now, confirm, now
):
    apply_now()
    apply_now()
    token = token_of(EMAIL)
    other = BrandFactory(client_area="other.example.com")
    refused = [
        {"token": f"{token}x"},
        {"token": token, "at": now + CONFIRM_WITHIN},
        {"token": token, "brand_id": other.pk},
    ]

    for case in refused:
        with nothing_written(), pytest.raises(NotFound):
            confirm(**case)
    last_moment = now + CONFIRM_WITHIN - timedelta(seconds=1)
    assert unverified_application(token, brand_id=brand.pk, now=last_moment)
    confirm(token, at=last_moment)
    with nothing_written(), pytest.raises(NotFound) as again:
        confirm(token)
    assert again.value.code == "link_used"
    assert not UnverifiedApplication.objects.exists()


def test_an_address_registered_meanwhile_is_told_to_sign_in(
    brand, host, apply_now, confirm
):
    apply_now()
    host.client(brand, email=EMAIL)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        confirm(token_of(EMAIL))

    assert refused.value.code == "has_account"


def test_a_code_that_is_taken_registers_nobody(brand, affiliate, apply_now, confirm):
    apply_now()

    with nothing_written(), pytest.raises(Exception, match="has this code"):
        confirm(token_of(EMAIL), code=affiliate.code)


def test_a_verified_stranger_is_approved_where_everybody_is(brand, apply_now, confirm):
    RecruitmentPolicyFactory(brand=brand, approval=Approval.EVERYBODY)
    apply_now()

    assert confirm(token_of(EMAIL)).status == AffiliateStatus.ACTIVE


def test_what_nobody_confirmed_is_forgotten_in_time(brand, now):
    UnverifiedApplicationFactory(brand=brand, applied_at=now - CONFIRM_WITHIN)
    kept = UnverifiedApplicationFactory(brand=brand, applied_at=now)

    assert forget_unverified(now=now) == 1
    assert UnverifiedApplication.objects.get() == kept


def test_a_client_who_has_paid_is_approved_by_the_link_alone(
    brand, buyer, order, till, now
):
    RecruitmentPolicyFactory(brand=brand, approval=Approval.PAID)
    till.pay("10.00")
    client = get_adapter().get_client(str(buyer.pk))

    affiliate = apply_as_client(client, Given(), site=SITE, now=now)

    assert affiliate.status == AffiliateStatus.PENDING
    token = token_of("buyer@example.com")
    with nothing_written(), pytest.raises(NotFound):
        verify_address(token, brand_id=brand.pk, now=now + CONFIRM_WITHIN)
    verified = verify_address(token, brand_id=brand.pk, now=now)
    assert (verified, verified.status) == (affiliate, AffiliateStatus.ACTIVE)
    with nothing_written():
        verify_address(token, brand_id=brand.pk, now=now)


def test_a_client_who_has_not_paid_gets_no_link(brand, buyer, now):
    RecruitmentPolicyFactory(brand=brand, approval=Approval.PAID)
    client = get_adapter().get_client(str(buyer.pk))

    apply_as_client(client, Given(), site=SITE, now=now)

    assert "buyer@example.com" not in links()
