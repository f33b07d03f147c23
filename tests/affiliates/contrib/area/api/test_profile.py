"""Who an affiliate is, and how a client becomes one."""

from __future__ import annotations

import pytest
from django.utils import timezone

from affiliates.contrib.recruitment.rules import Approval
from affiliates.contrib.recruitment.services.applications import verify_address
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.api.calls import refusal
from tests.affiliates.contrib.recruitment.links import SITE, links, token_of
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.recruitment import (
    ApplicationQuestionFactory,
    ProgramTermsFactory,
    RecruitmentPolicyFactory,
)
from tests.guard.markers import marker

PROFILE = "/api/affiliate/profile"
APPLY = "/api/affiliate/apply"


@pytest.fixture
def as_buyer(api, buyer, host):
    """The browser of a client who is no affiliate yet."""
    api.credentials(HTTP_AUTHORIZATION=host.authorization(buyer))
    return api


def apply(caller, **fields):
    return caller.post(APPLY, fields, format="json")


def test_profile(partner, affiliate, clock):
    answer = partner.get(PROFILE)

    assert answer.json() == {
        "data": {
            "code": "partner",
            "status": "active",
            "brand": affiliate.brand.name,
            "address": "https://shop.example.com/?ref=partner",
            "time_zone": str(affiliate.brand.zone()),
            "own_time_zone": "",
            "window_days": 90,
            "cookie_days": 90,
            "created_at": affiliate.created_at.isoformat(),
        }
    }


@each("name", ["Asia/Tokyo", ""])
def test_the_time_zone_is_chosen(partner, affiliate, name):
    answer = partner.patch(PROFILE, {"own_time_zone": name}, format="json")

    affiliate.refresh_from_db()
    assert answer.json() == partner.get(PROFILE).json()
    assert answer.json()["data"]["own_time_zone"] == affiliate.time_zone == name


def test_no_time_zone_is_refused(partner):
    with nothing_written():
        answer = partner.patch(PROFILE, {"own_time_zone": "Mars/Base"}, format="json")

    assert refusal(answer) == (400, "unknown_time_zone", "own_time_zone")
    assert "no such time zone" in answer.text


def test_profile_of_a_client_who_is_no_affiliate_is_not_found(as_buyer):
    assert refusal(as_buyer.get(PROFILE)) == (404, "not_enrolled", None)


def test_client_applies_and_waits_for_approval(as_buyer, buyer, clock):
    answer = apply(as_buyer, code="ada")

    row = Affiliate.objects.get()
    assert (row.user_id, row.code, row.status) == (
        buyer.pk,
        "ada",
        AffiliateStatus.PENDING,
    )
    assert answer.status_code == 201
    assert answer.json()["data"]["status"] == "pending"
    assert as_buyer.get(PROFILE).json() == answer.json()


def test_without_a_wish_the_code_is_made_up(as_buyer):
    answer = apply(as_buyer)

    assert Affiliate.objects.get().code == answer.json()["data"]["code"] != ""


@pytest.mark.parametrize("by", ["partner", " PARTNER "])
def test_whoever_the_client_came_by_is_the_recruiter(as_buyer, buyer, affiliate, by):
    answer = apply(as_buyer, by=by)

    assert answer.status_code == 201
    assert Affiliate.objects.get(user=buyer).recruiter == affiliate


@pytest.mark.parametrize(
    ("_case", "by", "status"),
    [
        ("none", "", "active"),
        ("unknown", "nobody", "active"),
        ("the caller's own", "ada", "active"),
        ("no code at all", "no/code", "active"),
        ("too long for a code", "a" * 400, "active"),
        ("suspended", "partner", "suspended"),
        ("waiting", "partner", "pending"),
    ],
)
def test_a_code_of_nobody_active_is_ignored(
    _case, as_buyer, buyer, affiliate, by, status
):
    Affiliate.objects.update(status=status)

    answer = apply(as_buyer, code="ada", by=by)

    assert answer.status_code == 201
    assert Affiliate.objects.get(user=buyer).recruiter is None


def test_an_affiliate_of_another_brand_recruits_nobody_here(as_buyer, buyer, host):
    other = BrandFactory(client_area="other.example.com")
    AffiliateFactory(
        brand=other, code="abroad", user=host.client(other, email="a@b.example")
    )

    apply(as_buyer, by="abroad")

    assert Affiliate.objects.get(user=buyer).recruiter is None


def test_who_has_paid_gets_a_link_that_approves(as_buyer, brand, buyer, order, till):
    RecruitmentPolicyFactory(brand=brand, approval=Approval.PAID)
    till.pay("10.00")

    answer = apply(as_buyer, code="ada")

    mine = Affiliate.objects.get(user=buyer)
    assert (answer.status_code, answer.json()["data"]["status"]) == (201, "pending")
    assert mine.status == AffiliateStatus.PENDING
    assert links()[buyer.email].startswith(f"{SITE}/affiliate/verify/")
    token = token_of(buyer.email)
    verified = verify_address(token, brand_id=brand.pk, now=timezone.now())
    assert (verified, verified.status) == (mine, AffiliateStatus.ACTIVE)


@pytest.mark.parametrize("_case", ["no area", "no client area"])
def test_without_pages_who_has_paid_waits_for_staff(
    _case, as_buyer, brand, buyer, order, till, settings
):
    RecruitmentPolicyFactory(brand=brand, approval=Approval.PAID)
    till.pay("10.00")
    if _case == "no area":
        settings.ROOT_URLCONF = "tests.affiliates.contrib.area.api.urls_without_area"
    else:
        as_buyer.defaults.pop("HTTP_ORIGIN")
        brand.domains.update(is_client_area=False)

    answer = apply(as_buyer, code="ada")

    assert answer.status_code == 201
    assert Affiliate.objects.get(user=buyer).status == AffiliateStatus.PENDING
    assert buyer.email not in links()


def test_an_affiliate_cannot_apply_again(partner, affiliate):
    with nothing_written():
        assert refusal(apply(partner)) == (409, "already_enrolled", None)


@each("code", ["a", "Ada", "a" * 33, "ada!", "-ada"])
def test_code_that_cannot_be_had_is_refused(as_buyer, code):
    with nothing_written():
        status, _, field = refusal(apply(as_buyer, code=code))

    assert (status, field) == (400, "code")


def test_code_of_another_affiliate_is_refused(as_buyer, affiliate):
    with nothing_written():
        answer = apply(as_buyer, code=affiliate.code)

    assert answer.status_code == 400
    assert "has this code" in answer.json()["errors"][0]["detail"]


def test_a_guest_is_refused(api, brand, host):
    api.credentials(HTTP_AUTHORIZATION=host.authorization(host.guest(brand)))

    with nothing_written():
        assert refusal(apply(api)) == (403, "guest", None)


def test_a_brand_without_a_program_takes_nobody(as_buyer, brand):
    brand.own_program = False
    brand.save()

    with nothing_written():
        assert refusal(apply(as_buyer)) == (409, "program_off", None)


def test_what_applicants_are_asked_is_answered_and_kept(as_buyer, brand, plan, clock):
    asked = ApplicationQuestionFactory(brand=brand, text="Where?", is_required=True)
    ProgramTermsFactory(brand=brand, number=3, text="Be fair.")

    program = as_buyer.get(APPLY).json()["data"]
    with nothing_written():
        unanswered = refusal(apply(as_buyer, terms=3))
        unread = refusal(
            apply(as_buyer, answers={str(asked.pk): marker("applicant", "answer")})
        )
    answer = apply(
        as_buyer, answers={str(asked.pk): marker("applicant", "answer")}, terms=3
    )

    assert program["rates"][0] == "1. 10 % of everything."
    assert program["questions"] == [
        {"id": asked.pk, "text": "Where?", "is_required": True}
    ]
    assert program["terms"] == {"number": 3, "text": "Be fair."}
    assert unanswered == (400, "required", f"question_{asked.pk}")
    assert unread == (409, "terms_not_accepted", None)
    assert answer.status_code == 201
    affiliate = Affiliate.objects.get()
    assert affiliate.application.answers == [
        {"question": "Where?", "answer": marker("applicant", "answer")}
    ]
    assert affiliate.accepted_terms.get().version.number == 3
