"""Plans and groups in Django admin: what is saved is published with it."""

from __future__ import annotations

from decimal import Decimal

import pytest
from django.contrib.messages import get_messages
from django.urls import reverse

from affiliates.plans.models.group import AffiliateGroup
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion
from affiliates.plans.models.rule import PlanRule
from affiliates.plans.selectors import terms_of
from affiliates.program.models import Affiliate
from tests.affiliates.program.test_admin import NO_ROWS
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.plans import AffiliateGroupFactory, CommissionPlanFactory

pytestmark = [pytest.mark.portable, pytest.mark.django_db]

ADD = "admin:affiliates_commissionplan_add"
CHANGE = "admin:affiliates_commissionplan_change"
LIST = "admin:affiliates_commissionplan_changelist"
DELETE = "admin:affiliates_commissionplan_delete"
RULE = {
    "rate_kind": "percent",
    "percent": "10",
    "position_from": "0",
    "tier_period": "month",
}
NO_RULES = (
    "Add a rule: orders earn nothing without one. To say so on purpose, add a rule with "
    "the rate Nothing."
)


@pytest.fixture
def plan(brand) -> CommissionPlan:
    return CommissionPlanFactory(brand=brand, name="Standard")


@pytest.fixture
def other_brand(brand):
    return BrandFactory(client_area="other.example.com")


def posted(*rules: dict[str, object], initial: int = 0, **fields: object):
    """What the browser sends: the plan's fields and a form for each rule."""
    form = {
        "name": "Standard",
        "hold_days": "30",
        "recruiter_percent": "0",
        "approves_itself": "on",
        "allows_paid_ads": "on",
        "rounding": "half_up",
        "cap_period": "none",
        "rules-TOTAL_FORMS": str(len(rules)),
        "rules-INITIAL_FORMS": str(initial),
        "versions-TOTAL_FORMS": "0",
        "versions-INITIAL_FORMS": "0",
        **fields,
    }
    for number, rule in enumerate(rules):
        form |= {f"rules-{number}-{name}": value for name, value in rule.items()}
    return form


def formset_faults(answer) -> list[str]:
    rules, *_ = answer.context["inline_admin_formsets"]
    return list(rules.formset.non_form_errors())


def errors_of(answer) -> dict[str, list[str]]:
    found = dict(answer.context["adminform"].form.errors)
    for formset in answer.context["inline_admin_formsets"]:
        for form in formset.formset.forms:
            found |= form.errors
    return found


def written() -> list[int]:
    models = (CommissionPlan, PlanRule, CommissionPlanVersion)
    return [model.objects.count() for model in models]


def test_plan_is_saved_with_its_rules_and_its_first_version(admin_client, brand):
    form = posted(
        RULE | {"kind": " Domain ", "tld": ".COM", "operation": "Register"},
        RULE
        | {
            "rate_kind": "fixed",
            "percent": "0",
            "fixed_amounts": "eur 5, kwd 1.5",
            "position_from": "1",
            "position_to": "24",
            "months": "12",
        },
        brand=brand.pk,
        is_default="on",
        hold_days_by_cycle="Monthly 90, annually 30",
        cap_period="month",
        cap_amounts="EUR 500, USD 550.5",
        joining_bonus="EUR 25",
    )

    answer = admin_client.post(reverse(ADD), form)

    assert answer.status_code == 302
    plan = CommissionPlan.objects.get()
    assert plan.cap_amounts == {"EUR": "500.00", "USD": "550.50"}
    assert plan.joining_bonus == {"EUR": "25.00"}
    assert plan.hold_days_by_cycle == {"monthly": 90, "annually": 30}
    terms = terms_of(plan.versions.get())
    assert terms == plan.to_terms()
    domain, everything = terms.rules
    assert (domain.kind, domain.tld, domain.operation) == ("domain", "com", "register")
    assert everything.fixed_amounts == {"EUR": 500, "KWD": 1500}
    assert (everything.position_from, everything.position_to) == (1, 24)
    assert everything.months == 12
    assert [str(one) for one in get_messages(answer.wsgi_request)][0] == (
        "Orders from now on earn by version 1."
    )


def test_changed_rule_makes_a_version_and_an_unchanged_plan_none(
    admin_client, brand, plan
):
    rule = RULE | {"id": plan.rules.get().pk, "plan": plan.pk}
    page = reverse(CHANGE, args=[plan.pk])

    admin_client.post(page, posted(rule, initial=1))
    unchanged = plan.versions.count()
    answer = admin_client.post(page, posted(rule | {"percent": "12.5"}, initial=1))

    assert unchanged == 1
    assert answer.status_code == 302
    versions = [terms_of(one).rules[0].percent for one in plan.versions.all()]
    assert versions == [Decimal("12.5"), Decimal(10)]


def test_removing_the_last_rule_is_refused(admin_client, plan, undrawn):
    rule = RULE | {"id": plan.rules.get().pk, "plan": plan.pk, "DELETE": "on"}

    answer = admin_client.post(reverse(CHANGE, args=[plan.pk]), posted(rule, initial=1))

    assert formset_faults(answer) == [NO_RULES]
    assert written() == [1, 1, 1]
    assert len(terms_of(plan.versions.get()).rules) == 1


def test_plan_without_rules_is_refused(admin_client, brand, undrawn):
    answer = admin_client.post(reverse(ADD), posted(brand=brand.pk))

    assert formset_faults(answer) == [NO_RULES]
    assert written() == [0, 0, 0]


def test_rule_that_earns_nothing_is_a_rule(admin_client, brand):
    nothing = RULE | {"rate_kind": "none", "percent": ""}

    answer = admin_client.post(reverse(ADD), posted(nothing, brand=brand.pk))

    assert answer.status_code == 302
    assert str(PlanRule.objects.get()) == "Nothing for everything"


def test_new_plan_shows_one_empty_rule(admin_client, brand, undrawn):
    rules, *_ = admin_client.get(reverse(ADD)).context["inline_admin_formsets"]

    [row] = rules.formset.forms
    assert row["percent"].value() is None


def test_folded_topics_say_what_they_hold(admin_client, brand, undrawn):
    plan = CommissionPlanFactory(
        brand=brand,
        hold_days=14,
        hold_days_by_cycle={"monthly": 90},
        approves_itself=False,
        counts_discount=True,
        rounding="down",
        allows_paid_ads=False,
        cap_period="year",
        cap_amounts={"EUR": "500.00"},
        joining_bonus={"EUR": "25.00"},
        recruiter_percent="5.500",
    )

    page = admin_client.get(reverse(CHANGE, args=[plan.pk]))

    fieldsets = page.context["adminform"].fieldsets
    assert [(name, options.get("classes")) for name, options in fieldsets] == [
        ("Plan", None),
        (
            "Hold and approval: 14 days, monthly 90, then reviewed by staff",
            ("collapse",),
        ),
        (
            "Base: the price before discounts, without account credit, rounded down",
            ("collapse",),
        ),
        (
            "Limits: at most EUR 500.00 in a calendar year, paid advertising forbidden",
            ("collapse",),
        ),
        ("Joining bonus: EUR 25.00", ("collapse",)),
        ("Recruiters: 5.5 % of commissions", ("collapse",)),
    ]


def test_new_plan_says_its_defaults(admin_client, undrawn):
    fieldsets = admin_client.get(reverse(ADD)).context["adminform"].fieldsets

    assert [name for name, _ in fieldsets[1:]] == [
        "Hold and approval: 30 days, then approved",
        "Base: the price after discounts, without account credit",
        "Limits: no cap, paid advertising allowed",
        "Joining bonus: none",
        "Recruiters: no share",
    ]


def test_percentages_are_shown_without_trailing_zeros(admin_client, brand):
    plan = CommissionPlanFactory(
        brand=brand,
        recruiter_percent="5.500",
        rules=[{"percent": "20.000"}, {"rate_kind": "none", "percent": "0.000"}],
    )

    page = admin_client.get(reverse(CHANGE, args=[plan.pk])).content.decode()

    for name, shown in (
        ("recruiter_percent", "5.5"),
        ("rules-0-percent", "20"),
        ("rules-1-percent", "0"),
    ):
        assert f'name="{name}" value="{shown}"' in page


def test_each_rule_is_titled_by_its_sentence(admin_client, brand, affiliate):
    renewals = {"percent": 20, "position_to": 12}
    rules = [{"kind": "hosting", **renewals}, {"percent": 5, "affiliate": affiliate}]
    plan = CommissionPlanFactory(brand=brand, rules=rules)

    page = admin_client.get(reverse(CHANGE, args=[plan.pk])).content.decode()

    assert ">20 % of hosting, the first payment and 12 renewals</" in page
    assert ">5 % of everything, for affiliate partner only</" in page


def test_added_rule_that_is_left_as_it_came_is_not_dropped(admin_client, brand):
    untouched = RULE | {"percent": ""}

    answer = admin_client.post(reverse(ADD), posted(untouched, brand=brand.pk))

    assert errors_of(answer)["percent"] == [
        "Write the rate in percent. 0 earns nothing."
    ]
    assert written() == [0, 0, 0]


@pytest.mark.parametrize(
    "rate",
    [
        {"percent": "0"},
        {"percent": "", "rate_kind": "fixed", "fixed_amounts": "EUR 5"},
    ],
)
def test_rule_without_a_percentage_is_said_to_be_one(admin_client, brand, rate):
    answer = admin_client.post(reverse(ADD), posted(RULE | rate, brand=brand.pk))

    assert answer.status_code == 302
    assert PlanRule.objects.get().percent == 0


@pytest.mark.parametrize(
    ("fields", "field", "fault"),
    [
        (
            {"cap_period": "month", "cap_amounts": "EUR 5.001"},
            "cap_amounts",
            "5.001: EUR has 2 decimals.",
        ),
        (
            {"cap_period": "month", "cap_amounts": "ZZZ 5"},
            "cap_amounts",
            "ZZZ is no currency: write its three letters, EUR.",
        ),
        (
            {"cap_period": "month", "cap_amounts": "500"},
            "cap_amounts",
            "500: write it as EUR 5.00, USD 6.00.",
        ),
        (
            {"joining_bonus": "EUR 0"},
            "joining_bonus",
            "0 is no amount: it must be above zero.",
        ),
        (
            {"cap_period": "month"},
            "cap_amounts",
            "Write the most that is earned: EUR 500, USD 550.",
        ),
        (
            {"cap_amounts": "EUR 500"},
            "cap_period",
            "Choose the period, or leave the amounts empty.",
        ),
        (
            {"hold_days_by_cycle": "weekly 3"},
            "hold_days_by_cycle",
            "weekly is no billing cycle: choose from one_time, monthly, quarterly, "
            "semi_annually, annually, biennially, triennially.",
        ),
        (
            {"hold_days_by_cycle": "monthly 401"},
            "hold_days_by_cycle",
            "monthly 401: write 0 to 400 days.",
        ),
        (
            {"hold_days_by_cycle": "monthly -1"},
            "hold_days_by_cycle",
            "-1 is no number of days.",
        ),
        (
            {"hold_days": "401"},
            "hold_days",
            "Ensure this value is less than or equal to 400.",
        ),
    ],
)
def test_faulty_plan_is_refused_and_nothing_is_written(
    admin_client, brand, fields, field, fault, undrawn
):
    answer = admin_client.post(reverse(ADD), posted(RULE, brand=brand.pk, **fields))

    assert answer.status_code == 200
    assert fault in errors_of(answer)[field]
    assert written() == [0, 0, 0]


@pytest.mark.parametrize(
    ("rule", "field", "fault"),
    [
        (
            {"percent": "100.001"},
            "percent",
            "Ensure this value is less than or equal to 100.",
        ),
        (
            {"percent": "-1"},
            "percent",
            "Ensure this value is greater than or equal to 0.",
        ),
        (
            {"rate_kind": "fixed"},
            "fixed_amounts",
            "Write an amount for each currency: EUR 5.00.",
        ),
        (
            {"fixed_amounts": "EUR 5"},
            "fixed_amounts",
            "Only a fixed rate has amounts: leave this empty.",
        ),
        (
            {"rate_kind": "fixed", "fixed_amounts": "JPY 0.5"},
            "fixed_amounts",
            "0.5: JPY has no decimals.",
        ),
        (
            {"position_from": "3", "position_to": "2"},
            "position_to",
            "The last payment is before the first.",
        ),
        ({"position_from": ""}, "position_from", "This field is required."),
        (
            {"months": "0"},
            "months",
            "Ensure this value is greater than or equal to 1.",
        ),
        (
            {"tiers": "sales 0 12"},
            "tiers",
            "0 is no number of sales: write 1 to 10000.",
        ),
        (
            {"tiers": "sales 1 12", "rate_kind": "fixed", "fixed_amounts": "EUR 5"},
            "tiers",
            "Only a rate in percent has tiers: leave this empty.",
        ),
    ],
)
def test_faulty_rule_is_refused_and_nothing_is_written(
    admin_client, brand, rule, field, fault, undrawn
):
    answer = admin_client.post(reverse(ADD), posted(RULE | rule, brand=brand.pk))

    assert answer.status_code == 200
    assert fault in errors_of(answer)[field]
    assert written() == [0, 0, 0]


def test_faulty_change_of_a_saved_rule_shows_the_page_again(admin_client, plan):
    rule = RULE | {"id": plan.rules.get().pk, "plan": plan.pk, "months": "0"}

    answer = admin_client.post(
        reverse(CHANGE, args=[plan.pk]),
        posted(rule, initial=1, cap_period="year", cap_amounts="EUR five"),
    )

    assert answer.status_code == 200
    assert "EUR five" in answer.content.decode()
    assert written() == [1, 1, 1]


def test_rule_for_another_brands_affiliate_is_refused(
    admin_client, brand, other_brand, host
):
    stranger = AffiliateFactory(
        brand=other_brand, user=host.client(other_brand, email="s@example.com")
    )

    answer = admin_client.post(
        reverse(ADD), posted(RULE | {"affiliate": stranger.pk}, brand=brand.pk)
    )

    assert errors_of(answer)["affiliate"] == [
        "This affiliate belongs to another brand."
    ]
    assert written() == [0, 0, 0]


def test_a_brand_has_one_default_plan(admin_client, brand):
    CommissionPlanFactory(brand=brand, name="First", is_default=True)

    answer = admin_client.post(
        reverse(ADD), posted(RULE, brand=brand.pk, is_default="on")
    )

    assert errors_of(answer)["__all__"] == [
        "This brand has a default plan already: untick it there first."
    ]
    assert CommissionPlan.objects.count() == 1


def test_amounts_and_days_are_shown_as_they_are_typed(admin_client, brand):
    plan = CommissionPlanFactory(
        brand=brand,
        cap_period="year",
        cap_amounts={"EUR": "500.00", "JPY": "60000"},
        hold_days_by_cycle={"monthly": 90},
        rules=[{"rate_kind": "fixed", "fixed_amounts": {"KWD": "1.500"}}],
    )

    page = admin_client.get(reverse(CHANGE, args=[plan.pk])).content.decode()

    assert 'value="EUR 500.00, JPY 60000"' in page
    assert 'value="monthly 90"' in page
    assert 'value="KWD 1.500"' in page


def test_versions_are_read_in_plain_words(admin_client, brand, affiliate):
    plan = CommissionPlanFactory(
        brand=brand,
        hold_days_by_cycle={"monthly": 90},
        joining_bonus={"USD": "27.00", "EUR": "25.00"},
        rules=[
            {"kind": "hosting", "percent": 10, "position_to": 0},
            {"kind": "domain", "tld": "com", "percent": 2},
            {"affiliate": affiliate, "percent": "12.5"},
        ],
    )

    page = admin_client.get(reverse(CHANGE, args=[plan.pk])).content.decode()

    for sentence in (
        "1. 10 % of hosting, new orders only.",
        "2. 2 % of .com domains.",
        "3. 12.5 % of everything, for affiliate partner only.",
        "Approved after 30 days (billed monthly: after 90 days).",
        "A joining bonus of €25.00 or $27.00 with the first commission that is "
        "approved.",
    ):
        assert sentence in page


def test_plans_are_listed_in_few_queries(
    admin_client, brand, affiliate, django_assert_max_num_queries
):
    for _ in range(5):
        CommissionPlanFactory(brand=brand, rules=[{"affiliate": affiliate}] * 5)

    with django_assert_max_num_queries(12):
        page = admin_client.get(reverse(LIST)).content.decode()

    assert page.count("0 % of everything, for affiliate partner only") == 15
    assert page.count("2 more rules") == 5


def test_a_published_plan_is_not_deleted(admin_client, plan):
    answer = admin_client.post(reverse(DELETE, args=[plan.pk]), {"post": "yes"})

    assert answer.status_code == 302
    assert [str(one) for one in get_messages(answer.wsgi_request)] == [
        "Standard cannot be deleted, because plan versions name it. Take its "
        "affiliates, groups and the default off it instead."
    ]
    assert written() == [1, 1, 1]


def test_plan_cannot_be_edited_without_the_permission(admin_client, admin_user, plan):
    admin_user.is_superuser = False
    admin_user.save()

    answer = admin_client.post(reverse(CHANGE, args=[plan.pk]), posted(hold_days="0"))

    assert answer.status_code == 403
    assert written() == [1, 1, 1]


@pytest.mark.parametrize("field", ["plan", "group"])
def test_affiliate_is_given_a_plan_and_a_group_of_its_brand_only(
    admin_client, affiliate, other_brand, field
):
    factory = {"plan": CommissionPlanFactory, "group": AffiliateGroupFactory}[field]
    own, strange = factory(brand=affiliate.brand), factory(brand=other_brand)
    page = reverse("admin:affiliates_affiliate_change", args=[affiliate.pk])
    form = {
        "code": affiliate.code,
        "status": affiliate.status,
        **NO_ROWS,
    }

    refused = admin_client.post(page, form | {field: strange.pk})
    before = getattr(Affiliate.objects.get(), field)
    taken = admin_client.post(page, form | {field: own.pk})

    assert errors_of(refused) == {
        field: [f"This {field} belongs to another brand: choose one of this brand."]
    }
    assert before is None
    assert taken.status_code == 302
    assert getattr(Affiliate.objects.get(), field) == own


def test_groups_plan_is_of_its_brand(admin_client, brand, other_brand):
    strange = CommissionPlanFactory(brand=other_brand)

    answer = admin_client.post(
        reverse("admin:affiliates_affiliategroup_add"),
        {"brand": brand.pk, "name": "Partners", "plan": strange.pk},
    )

    assert errors_of(answer) == {
        "plan": ["This plan belongs to another brand: choose one of this brand."]
    }
    assert AffiliateGroup.objects.count() == 0
