"""A client applies: what is asked, accepted and decided by the brand's rule."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection, transaction

from affiliates.adapter import get_adapter
from affiliates.contrib.recruitment.models import TermsAcceptance
from affiliates.contrib.recruitment.rules import Approval, Given
from affiliates.contrib.recruitment.selectors import (
    has_paid,
    rates_of_newcomers,
    terms_to_accept,
)
from affiliates.contrib.recruitment.services.applications import apply_as_client
from affiliates.contrib.recruitment.services.enrolling import (
    accept_terms,
    approve_by_rule,
    publish_terms,
)
from affiliates.emails.models import Email
from affiliates.errors import InvalidInput, StateConflict
from affiliates.plans.selectors import rates_in_words
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import change_status
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory
from tests.factories.plans import AffiliateGroupFactory, CommissionPlanFactory
from tests.factories.recruitment import (
    ApplicationQuestionFactory,
    ProgramTermsFactory,
    RecruitmentPolicyFactory,
)
from tests.guard.markers import marker
from tests.races import at_once, await_lock, needs_postgresql


@pytest.fixture
def client(buyer):
    return get_adapter().get_client(str(buyer.pk))


def test_a_client_waits_for_approval_with_its_answers(brand, client, now):
    asked = ApplicationQuestionFactory(brand=brand, text="Where?", is_required=True)
    given = Given(answers={str(asked.pk): marker("applicant", "answer")}, code="ada")

    affiliate = apply_as_client(client, given, now=now)

    asked.delete()
    row = Affiliate.objects.get(pk=affiliate.pk)
    assert (row.code, row.status) == ("ada", AffiliateStatus.PENDING)
    assert (row.group, row.plan) == (None, None)
    assert row.application.answers == [
        {"question": "Where?", "answer": marker("applicant", "answer")}
    ]
    assert row.application.applied_at == now
    assert not row.accepted_terms.exists()


def test_a_required_answer_left_out_is_refused(brand, client, now):
    ApplicationQuestionFactory(brand=brand, is_required=True)

    with nothing_written(), pytest.raises(InvalidInput):
        apply_as_client(client, Given(), now=now)


def test_another_brands_questions_are_not_asked(client, now):
    ApplicationQuestionFactory(
        brand=BrandFactory(client_area="other.example.com"), is_required=True
    )

    assert apply_as_client(client, Given(), now=now).application.answers == []


def test_the_accepted_version_is_kept_with_its_moment(brand, client, now):
    ProgramTermsFactory(brand=brand, number=1)
    terms = ProgramTermsFactory(brand=brand, number=2)

    affiliate = apply_as_client(client, Given(terms=2), now=now)

    kept = affiliate.accepted_terms.get()
    assert (kept.version, kept.accepted_at) == (terms, now)
    assert terms_to_accept(affiliate) is None


def test_other_terms_than_those_of_now_are_refused(brand, client, now):
    ProgramTermsFactory(brand=brand, number=1)
    ProgramTermsFactory(brand=brand, number=2)

    for number in (None, 1, 3):
        with nothing_written(), pytest.raises(StateConflict) as refused:
            apply_as_client(client, Given(terms=number), now=now)

        assert refused.value.code == "terms_not_accepted"


def test_everybody_is_approved_where_the_rule_says_so(brand, client, now):
    group = AffiliateGroupFactory(brand=brand)
    plan = CommissionPlanFactory(brand=brand)
    RecruitmentPolicyFactory(
        brand=brand, approval=Approval.EVERYBODY, group=group, plan=plan
    )

    affiliate = apply_as_client(client, Given(), now=now)

    row = Affiliate.objects.get(pk=affiliate.pk)
    assert affiliate.status == row.status == AffiliateStatus.ACTIVE
    assert (row.group, row.plan) == (group, plan)


def test_a_client_who_has_paid_is_approved_once_verified(
    brand, client, order, till, now
):
    RecruitmentPolicyFactory(brand=brand, approval=Approval.PAID)
    applicant = apply_as_client(client, Given(), now=now)
    approve_by_rule(applicant, Approval.PAID, is_verified=True)
    assert not has_paid(client.id, brand_id=brand.pk)
    assert applicant.status == AffiliateStatus.PENDING
    till.pay("10.00")

    approve_by_rule(applicant, Approval.PAID, is_verified=False)
    assert applicant.status == AffiliateStatus.PENDING

    approve_by_rule(applicant, Approval.PAID, is_verified=True)
    assert applicant.status == AffiliateStatus.ACTIVE
    assert has_paid(client.id, brand_id=brand.pk)


def test_a_suspended_affiliate_is_not_approved_by_the_rule(affiliate):
    Affiliate.objects.update(status=AffiliateStatus.SUSPENDED)

    with nothing_written():
        approve_by_rule(affiliate, Approval.EVERYBODY, is_verified=True)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_who_is_declined_while_the_rule_approves_stays_declined(affiliate):
    mine = Affiliate.objects.filter(pk=affiliate.pk)
    mine.update(status=AffiliateStatus.PENDING)

    def approve() -> None:
        approve_by_rule(affiliate, Approval.EVERYBODY, is_verified=True)
        connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            change_status(mine, status=AffiliateStatus.SUSPENDED, reason="No site.")
            approved = pool.submit(approve)
            await_lock()
        approved.result(timeout=60)

    assert mine.get().status == affiliate.status == AffiliateStatus.SUSPENDED
    told = Email.objects.values_list("kind", "values")
    assert list(told) == [("declined", {"reason": "No site."})]


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_decisions_at_once_each_applicant_is_told_one(affiliate, rival):
    waiting = [affiliate.pk, rival.pk]
    Affiliate.objects.filter(pk__in=waiting).update(status=AffiliateStatus.PENDING)
    chosen = Affiliate.objects.filter(pk__in=waiting, status=AffiliateStatus.PENDING)
    ways = AffiliateStatus.ACTIVE, AffiliateStatus.SUSPENDED

    at_once(8, lambda number: change_status(chosen, status=ways[number % 2]))

    told = Email.objects.values_list("affiliate", flat=True).order_by("affiliate")
    assert list(told) == sorted(waiting)


def test_another_text_is_another_version_and_asks_again(brand, affiliate, now):
    policy = RecruitmentPolicyFactory(brand=brand, terms="Be fair.")
    first = publish_terms(brand.pk, now=now)
    accept_terms(affiliate, number=1, now=now)
    with nothing_written():
        assert publish_terms(brand.pk, now=now) == first
        accept_terms(affiliate, number=1, now=now)
    policy.terms = "Be fair and kind."
    policy.save()
    later = now + timedelta(days=1)

    second = publish_terms(brand.pk, now=later)

    assert (second.number, second.text) == (2, "Be fair and kind.")
    assert second.effective_from == later
    assert terms_to_accept(affiliate) == second
    assert TermsAcceptance.objects.get().version == first


def test_terms_taken_back_ask_nobody(brand, affiliate, now):
    with nothing_written():
        assert publish_terms(brand.pk, now=now) is None
    ProgramTermsFactory(brand=brand)
    RecruitmentPolicyFactory(brand=brand, terms="")

    taken_back = publish_terms(brand.pk, now=now)

    assert (taken_back.number, taken_back.text) == (2, "")
    assert terms_to_accept(affiliate) is None


def test_rates_of_newcomers_are_in_words_without_those_of_others(
    brand, affiliate, plan, now
):
    newcomers = CommissionPlanFactory(brand=brand, rules=[{"percent": 5}])
    RecruitmentPolicyFactory(
        brand=brand, group=AffiliateGroupFactory(brand=brand, plan=newcomers)
    )
    own = CommissionPlanFactory(
        brand=brand, rules=[{"percent": 50, "affiliate": affiliate}, {"percent": 10}]
    )
    affiliate.plan = own

    assert rates_of_newcomers(brand.pk, at=now)[0] == "1. 5 % of everything."
    assert rates_in_words(affiliate, at=now)[:2] == (
        "1. 50 % of everything, for affiliate partner only.",
        "2. 10 % of everything.",
    )
    assert rates_in_words(Affiliate(brand=brand, plan=own), at=now)[0] == (
        "1. 10 % of everything."
    )


def test_without_a_plan_there_are_no_rates(brand, now):
    assert rates_of_newcomers(brand.pk, at=now) == ()
