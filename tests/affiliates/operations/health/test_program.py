from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.domain import BrandDomain
from affiliates.brands.rules import ConsentRule
from affiliates.operations.health import program, requests
from affiliates.visits.consent.rules import Consent
from tests.cases import each
from tests.factories.affiliates import AffiliateFactory, BrandFactory, ClickFactory
from tests.factories.payouts import PayoutTermsFactory
from tests.factories.plans import AffiliateGroupFactory, CommissionPlanFactory

pytestmark = pytest.mark.django_db


def test_no_active_brand_is_named(now):
    BrandFactory(is_active=False)

    (finding,) = program.brands(now)

    assert finding.id == "affiliates.D006"
    assert finding.msg == "There is no active brand: no call is answered."
    assert finding.hint.startswith("Run manage.py affiliates_start, or add a brand ")


@each(
    ("brand_fields", "domain_fields", "problem", "remedy"),
    [
        (
            {},
            {"is_client_area": False},
            "has no client-area domain: no page may call the API.",
            "tick client area",
        ),
        (
            {"default_redirect_url": ""},
            {},
            "has no default redirect URL.",
            "Enter where a visitor goes",
        ),
        (
            {"default_redirect_url": "https://elsewhere.example.net/"},
            {},
            "is on none of its domains.",
            "Add its host to the brand's domains",
        ),
        (
            {},
            {"is_redirect_target": False},
            "is on none of its domains.",
            "tick redirect target",
        ),
    ],
)
def test_a_brand_that_cannot_answer_is_named(
    brand_fields, domain_fields, problem, remedy, brand, now
):
    sound = Brand.objects.values("default_redirect_url").get()
    Brand.objects.update(**sound | brand_fields)
    flags = {"is_client_area": True, "is_redirect_target": True}
    BrandDomain.objects.update(**flags | domain_fields)

    brand.refresh_from_db()
    (finding,) = (
        one
        for look in (program.domains, program.default_redirect)
        for one in look(brand)
        if one.id
    )
    Brand.objects.update(**sound)

    assert finding.id == "affiliates.D007"
    assert str(brand) in finding.msg
    assert problem in finding.msg
    assert remedy in finding.hint


def test_a_brand_without_a_plan_is_named(brand, now):
    (finding,) = program.plan(brand)

    assert (finding.id, finding.msg) == (
        "affiliates.D008",
        f"The brand {brand} has no commission plan: nobody earns anything.",
    )
    assert "tick default plan" in finding.hint


def test_a_brand_without_a_program_of_its_own_needs_no_plan(brand, now):
    brand.own_program = False

    (finding,) = program.plan(brand)

    assert finding.id is None


def test_affiliates_without_a_plan_are_counted(brand, affiliate, host, now):
    plan = CommissionPlanFactory(brand=brand)
    group = AffiliateGroupFactory(brand=brand, plan=plan)
    for number, fields in enumerate([{"plan": plan}, {"group": group}]):
        user = host.client(brand, email=f"{number}@example.com")
        AffiliateFactory(brand=brand, user=user, **fields)

    (finding,) = program.affiliates_without_plan(brand)

    assert finding.id == "affiliates.D008"
    assert finding.msg.startswith(f"1 affiliate of the brand {brand} earn")
    affiliate.plan = plan
    affiliate.save(update_fields=["plan"])
    assert list(program.affiliates_without_plan(brand)) == []


@pytest.mark.parametrize(
    ("_case", "networks", "count"),
    [
        ("one proxy", ["10.0.3.0/24"] * 100, 1),
        ("few visits", ["10.0.3.0/24"] * 99, 0),
        ("two networks", ["10.0.3.0/24"] * 99 + ["203.0.113.0/24"], 0),
        ("one public network", ["8.8.8.0/24"] * 100, 0),
        ("no networks", [""] * 100, 0),
        ("long ago", ["8.8.8.0/24"] + ["10.0.3.0/24"] * 100, 1),
    ],
)
def test_a_proxy_that_is_not_counted_is_named(_case, networks, count, affiliate, now):
    for number, network in enumerate(networks):
        at = now + timedelta(seconds=number)
        ClickFactory(
            affiliate=affiliate,
            ip_prefix=network,
            visitor_id=UUID(int=number + 1),
            created_at=at,
        )

    findings = list(requests.visitors(now))

    assert [one.id for one in findings] == ["affiliates.D020"] * count
    assert all(
        "from 10.0.3.0/24, which is a proxy of yours" in one.msg for one in findings
    )


@pytest.mark.parametrize(
    ("_case", "rule", "decided", "count"),
    [
        ("nobody was asked", ConsentRule.REQUIRED, [], 1),
        ("somebody refused", ConsentRule.REQUIRED, [Consent.DENIED], 0),
        ("somebody agreed", ConsentRule.REQUIRED, [Consent.GRANTED], 0),
        ("not needed", ConsentRule.NOT_NEEDED, [], 0),
    ],
)
def test_a_brand_to_which_no_consent_is_reported_is_named(
    _case, rule, decided, count, affiliate, brand, now
):
    brand.change(consent=rule)
    for number, consent in enumerate(
        decided + [Consent.UNKNOWN] * (100 - len(decided))
    ):
        at = now + timedelta(seconds=number)
        ClickFactory(
            affiliate=affiliate, visitor_id=None, consent=consent, created_at=at
        )

    findings = list(program.consent(now))

    assert [one.id for one in findings] == ["affiliates.D033"] * count


def test_few_clicks_without_consent_say_nothing(affiliate, brand, now):
    brand.change(consent=ConsentRule.REQUIRED)
    ClickFactory(
        affiliate=affiliate, visitor_id=None, consent=Consent.UNKNOWN, created_at=now
    )

    assert list(program.consent(now)) == []


def test_a_brand_whose_payouts_one_person_makes_is_named(brand, now):
    [finding] = program.second_person(now)

    assert (finding.id, finding.hint) == (
        "affiliates.D034",
        "Let a second person approve payouts, and tick needs second person in the "
        "brand's payout terms.",
    )

    PayoutTermsFactory(brand=brand, needs_second_person=True)
    assert list(program.second_person(now)) == []
