"""The page that computes a made-up line by a plan and records nothing."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.factories.plans import CommissionPlanFactory, PlanRuleFactory

LINE = {
    "amount": "100.00",
    "currency": "EUR",
    "quantity": "1",
    "discount": "0",
    "credit": "0",
    "renewal_number": "0",
    "months_since_order": "0",
}


@pytest.fixture
def plan(brand, affiliate):
    return CommissionPlanFactory(
        brand=brand,
        name="Standard",
        hold_days_by_cycle={"monthly": 90},
        rules=[
            {
                "kind": "hosting",
                "percent": 10,
                "tiers": [{"unit": "sales", "from": "10", "percent": "12.5"}],
            },
            {"affiliate": affiliate, "percent": 50},
            {
                "kind": "domain",
                "rate_kind": "fixed",
                "fixed_amounts": {"EUR": "1.50"},
                "months": 12,
            },
        ],
    )


def ask(admin_client, plan, **line: str):
    page = reverse("admin:affiliates_commissionplan_what_it_earns", args=[plan.pk])
    return admin_client.get(page, line)


@pytest.mark.parametrize(
    ("line", "amount", "sentence"),
    [
        ({"kind": "hosting"}, 1000, "10 % of €100.00 = €10.00."),
        ({"kind": "addon"}, 0, "No rule of the plan fits this line."),
        ({"kind": "addon", "affiliate": "Partner"}, 5000, "Commission: €50.00."),
        (
            {"kind": "hosting", "sales_before": "10"},
            1250,
            "10 sales in the calendar month before this sale: 12.5 %, as from 10 sales on.",
        ),
        (
            {"kind": "domain", "quantity": "2"},
            300,
            "€1.50 for each of 2 = €3.00.",
        ),
        (
            {"kind": "domain", "currency": "jpy", "amount": "100"},
            0,
            "The rule has no amount in this currency.",
        ),
        (
            {"kind": "domain", "renewal_number": "1", "months_since_order": "12"},
            150,
            "Commission: €1.50.",
        ),
        (
            {"kind": "domain", "renewal_number": "1", "months_since_order": "13"},
            0,
            "Commission: €0.00.",
        ),
        (
            {"kind": "hosting", "credit": "40"},
            600,
            "Base: €100.00 net - €40.00 paid by account credit = €60.00.",
        ),
    ],
)
def test_receipt_is_shown_in_words(admin_client, plan, line, amount, sentence):
    answer = ask(admin_client, plan, **LINE | line)

    assert answer.context["made"].amount == amount
    assert sentence in answer.content.decode()


def test_hold_of_the_billing_cycle_is_shown(admin_client, plan):
    answer = ask(admin_client, plan, **LINE, kind="hosting", billing_cycle="monthly")

    assert "90 days" in answer.content.decode()


def test_unpublished_edits_do_not_count(admin_client, plan):
    PlanRuleFactory(plan=plan, kind="hosting", position_to=0, percent=99)

    assert (
        ask(admin_client, plan, **LINE, kind="hosting").context["made"].amount == 1000
    )


@pytest.mark.parametrize(
    ("line", "field", "fault"),
    [
        ({"amount": ""}, "amount", "This field is required."),
        (
            {"amount": "1e99"},
            "amount",
            "Ensure that there are no more than 15 digits in total.",
        ),
        ({"amount": "1.001"}, "amount", "1.001: EUR has 2 decimals."),
        (
            {"currency": "ZZZ"},
            "currency",
            "ZZZ is no currency: write its three letters, EUR.",
        ),
        (
            {"affiliate": "stranger"},
            "affiliate",
            "The plan's brand has no affiliate with this code.",
        ),
        (
            {"quantity": "0"},
            "quantity",
            "Ensure this value is greater than or equal to 1.",
        ),
    ],
)
def test_faulty_line_is_not_computed(admin_client, plan, line, field, fault):
    answer = ask(admin_client, plan, **LINE | line)

    assert answer.status_code == 200
    assert answer.context["form"].errors[field] == [fault]
    assert "made" not in answer.context


def test_page_opens_with_an_empty_form_and_writes_nothing(
    admin_client, plan, django_assert_max_num_queries
):
    with django_assert_max_num_queries(10) as seen:
        answer = ask(admin_client, plan)

    assert answer.status_code == 200
    assert not answer.context["form"].is_bound
    words = [one["sql"].lstrip("(").split()[0] for one in seen.captured_queries]
    assert set(words) == {"SELECT"}


def test_unknown_plan_has_no_page(admin_client, plan):
    plan.pk = 999_999

    assert ask(admin_client, plan).status_code == 404


def test_page_needs_the_permission_to_see_plans(admin_client, admin_user, plan):
    admin_user.is_superuser = False
    admin_user.save()

    assert ask(admin_client, plan, **LINE).status_code == 403
