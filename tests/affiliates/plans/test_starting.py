"""``affiliates_start`` makes what must exist before anything earns."""

from __future__ import annotations

from decimal import Decimal
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.domain import BrandDomain
from affiliates.payouts.models import PayoutTerms
from affiliates.payouts.providers.registry import offered_at_first
from affiliates.plans.models.plan import CommissionPlan
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory

pytestmark = pytest.mark.django_db
TUTORIAL = Path(__file__).resolve().parents[3] / "docs/first-commission.md"


def start(*arguments: str) -> str:
    out = StringIO()
    call_command("affiliates_start", "Shop", *arguments, stdout=out)
    return out.getvalue()


def test_brand_domain_and_plan_are_made():
    said = start("--domain", "shop.example.com", "--percent", "12.5")

    brand, plan = Brand.objects.get(), CommissionPlan.objects.get()
    rule, domain = plan.rules.get(), BrandDomain.objects.get()
    assert brand.default_redirect_url == "https://shop.example.com/"
    assert (domain.brand, domain.host) == (brand, "shop.example.com")
    assert (domain.is_client_area, domain.is_redirect_target) == (True, True)
    assert (plan.brand, plan.is_default, plan.hold_days) == (brand, True, 30)
    assert (rule.percent, rule.kind) == (Decimal("12.5"), "")
    assert plan.versions.get().digest == plan.to_terms().digest
    assert said == (
        f"Shop at shop.example.com is brand {brand.pk}: every invoice line earns "
        "12.5 % by the plan Standard.\n"
        "Missing: Payout terms, First affiliate, Link, Visit of your shop, "
        "Registration, Payment.\n"
    )


def test_the_tutorial_shows_what_is_said():
    said = start("--domain", "localhost:8000", "--percent", "20", "--hold-days", "0")

    shown = said.replace(f"brand {Brand.objects.get().pk}", "brand 1")
    assert f"\nExample Hosting{shown.removeprefix('Shop')}```\n" in TUTORIAL.read_text()


@pytest.mark.parametrize(
    ("arguments", "minimums", "kinds"),
    [
        (["--minimum", "eur 20.50", "--pays", "paypal"], {"EUR": 2050}, ["paypal"]),
        (["--minimum", "JPY 900"], {"JPY": 900}, offered_at_first()),
        (["--pays", "bank", "offline"], {}, ["bank", "offline"]),
    ],
)
def test_payout_terms_are_made_where_they_are_given(arguments, minimums, kinds):
    said = start("--domain", "shop.example.com", "--percent", "10", *arguments)

    terms = PayoutTerms.objects.get()
    assert (terms.brand, terms.minimums, terms.kinds) == (
        Brand.objects.get(),
        minimums,
        kinds,
    )
    assert terms.needs_second_person is False
    assert "\nMissing: First affiliate, Link, " in said


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--minimum", "50"], "as a currency and an amount: EUR 50"),
        (["--minimum", "ABC 50"], "ABC is no currency"),
        (["--pays", "cheque"], "invalid choice: 'cheque'"),
    ],
)
def test_payout_terms_that_nobody_can_have_are_refused(arguments, said):
    with nothing_written(), pytest.raises(CommandError, match=said):
        start("--domain", "shop.example.com", "--percent", "10", *arguments)


def test_a_host_with_a_port_is_plain_http():
    start("--domain", "localhost:8000", "--percent", "10", "--hold-days", "0")

    assert Brand.objects.get().default_redirect_url == "http://localhost:8000/"
    assert CommissionPlan.objects.get().hold_days == 0


@pytest.mark.parametrize(
    ("domain", "percent", "said"),
    [
        ("https://new.example.com/", "10", "Leave out the scheme"),
        ("new.example.com", "101", "less than or equal to 100"),
        ("shop.example.com", "10", "belongs to the brand"),
    ],
)
def test_what_the_admin_would_refuse_is_refused(domain, percent, said):
    BrandFactory()  # Its domain is shop.example.com.

    with nothing_written(), pytest.raises(CommandError, match=said):
        start("--domain", domain, "--percent", percent)
