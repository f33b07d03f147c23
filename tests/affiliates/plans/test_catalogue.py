"""Rules of a plan name products of the host's catalogue, where it has one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.contrib.messages import get_messages
from django.urls import reverse
from django.utils.html import escape
from moneyed import Money

from affiliates.adapter import CatalogueProduct, get_adapter
from affiliates.operations.health.program import rules_without_product
from affiliates.plans.catalogue import Catalogue
from affiliates.plans.forms import UNCHECKED
from affiliates.plans.models.rule import PlanRule
from affiliates.plans.rules.examples import PricedProduct
from affiliates.plans.rules.matching import LineFacts
from affiliates.plans.rules.terms import RuleTerms
from tests.affiliates.plans.test_admin import ADD, CHANGE, RULE, posted
from tests.cases import each
from tests.factories.affiliates import BrandFactory
from tests.factories.plans import CommissionPlanFactory

PRODUCTS = (
    CatalogueProduct(product_ref="business", name="Hosting Business", kind="Hosting"),
    CatalogueProduct(
        product_ref="com",
        name="A .com domain",
        kind="domain",
        tld=".COM",
        operations=("Register", "renew"),
    ),
)
UNKNOWN = "The catalogue has no product hosting business."


@pytest.fixture
def catalogue(monkeypatch, brand):
    def of_brand(self, *, brand_id: int):
        return PRODUCTS if brand_id == brand.pk else ()

    monkeypatch.setattr(type(get_adapter()), "catalogue", of_brand)


@each(
    ("conditions", "faults"),
    [
        ({}, []),
        ({"product_ref": "business"}, []),
        ({"product_ref": "business", "kind": "hosting"}, []),
        ({"kind": "domain", "tld": "com", "operation": "renew"}, []),
        ({"product_ref": "hosting business"}, [UNKNOWN]),
        ({"product_ref": "Business"}, ["The catalogue has no product Business."]),
        (
            {"kind": "hostng", "tld": "net"},
            ["The catalogue has no kind hostng.", "The catalogue has no TLD net."],
        ),
        ({"operation": "transfer"}, ["The catalogue has no operation transfer."]),
        (
            {"product_ref": "business", "tld": "com"},
            ["The catalogue has no product with all of: product business, TLD com."],
        ),
    ],
)
def test_a_rule_that_no_product_meets_is_found(conditions, faults):
    rule = RuleTerms(**conditions)

    assert list(Catalogue(PRODUCTS).faults(rule)) == faults
    assert list(Catalogue(()).faults(rule)) == []


@pytest.mark.django_db
def test_products_are_chosen_by_their_names(admin_client, brand, catalogue):
    plan = CommissionPlanFactory(brand=brand)

    page = admin_client.get(reverse(CHANGE, args=[plan.pk])).content.decode()

    for option in (
        '<option value="business">Hosting Business (business)</option>',
        '<option value="com">A .com domain (com)</option>',
        '<option value="hosting">hosting</option>',
        '<option value="register">register</option>',
    ):
        assert option in page
    assert escape(UNCHECKED) not in page


@pytest.mark.django_db
def test_a_new_plan_chooses_from_those_of_the_only_brand(
    admin_client, brand, catalogue
):
    option = '<option value="business">Hosting Business (business)</option>'
    assert option in admin_client.get(reverse(ADD)).content.decode()

    BrandFactory(client_area="other.example.com")

    page = admin_client.get(reverse(ADD)).content.decode()
    assert option not in page
    assert escape(UNCHECKED) in page


@pytest.mark.django_db
def test_a_host_without_a_catalogue_is_told_that_nothing_is_checked(
    admin_client, brand
):
    form = posted(RULE | {"product_ref": "anything"}, brand=brand.pk)

    page = admin_client.get(reverse(ADD)).content.decode()
    answer = admin_client.post(reverse(ADD), form)

    assert escape(UNCHECKED) in page
    assert PlanRule.objects.get().product_ref == "anything"
    assert not any(
        "never earns" in str(one) for one in get_messages(answer.wsgi_request)
    )


@pytest.mark.django_db
def test_a_value_that_left_the_catalogue_is_kept_and_named(
    admin_client, brand, catalogue
):
    plan = CommissionPlanFactory(brand=brand)
    plan.rules.update(product_ref="hosting business")
    rule = plan.rules.get()
    path = reverse(CHANGE, args=[plan.pk])

    page = admin_client.get(path).content.decode()
    form = posted(
        RULE | {"id": rule.pk, "plan": plan.pk, "product_ref": "hosting business"},
        initial=1,
        brand=brand.pk,
        name="Renamed",
    )
    answer = admin_client.post(path, form)

    assert (
        '<option value="hosting business" selected>hosting business (not in the '
        "catalogue: never earns)</option>"
    ) in page
    assert answer.status_code == 302
    assert plan.rules.get().product_ref == "hosting business"
    assert f"A rule of this plan never earns: {UNKNOWN}" in [
        str(one) for one in get_messages(answer.wsgi_request)
    ]


@pytest.mark.django_db
def test_the_doctor_names_the_rule(brand, catalogue):
    plan = CommissionPlanFactory(brand=brand, name="Standard")
    assert list(rules_without_product(brand)) == []

    plan.rules.update(product_ref="hosting business")

    (finding,) = rules_without_product(brand)
    assert finding.id == "affiliates.D032"
    assert finding.msg == (
        f"A rule of the plan {plan} of the brand {brand} never earns: {UNKNOWN}"
    )


def test_prices_become_the_lines_of_a_first_invoice_and_a_renewal():
    prices = (
        ("Annually", Money("12.005", "EUR")),
        ("", Money(9, "EUR")),
        ("monthly", Money(0, "EUR")),
    )
    product = replace(PRODUCTS[1], tld="com", prices=prices)
    registered = LineFacts(
        position=1,
        product_ref="com",
        kind="domain",
        tld="com",
        operation="Register",
        billing_cycle="annually",
        net=12_01,
    )

    assert Catalogue((product,)).priced() == [
        PricedProduct(
            name="A .com domain",
            currency="EUR",
            first=registered,
            renewal=replace(registered, operation="renew"),
            months=12,
        ),
        PricedProduct(
            name="A .com domain",
            currency="EUR",
            first=replace(registered, billing_cycle="", net=9_00),
        ),
    ]


def test_sentences_have_the_product_s_name():
    catalogue = Catalogue(PRODUCTS)

    named = [
        catalogue.named(RuleTerms(product_ref=ref)).product_ref
        for ref in ("business", "unknown", "")
    ]

    assert named == ["Hosting Business", "unknown", ""]


def test_products_of_one_name_are_told_apart_by_their_references():
    twins = [
        CatalogueProduct(product_ref=f"agency-{cycle}", name="Agency", kind="hosting")
        for cycle in ("monthly", "annually")
    ]

    assert Catalogue((*twins, *PRODUCTS)).distinct_names == {
        "agency-monthly": "Agency (agency-monthly)",
        "agency-annually": "Agency (agency-annually)",
        "business": "Hosting Business",
        "com": "A .com domain",
    }
