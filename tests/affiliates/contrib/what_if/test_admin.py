"""The page that applies a draft to past orders, in Django admin."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.urls import reverse

from affiliates.contrib.what_if import admin as what_if
from tests.factories.affiliates import BrandFactory
from tests.factories.plans import CommissionPlanFactory
from tests.factories.world import World

pytestmark = pytest.mark.django_db
PAGE = "admin:affiliates_orderreferral_what_if"
LIST = "admin:affiliates_orderreferral_changelist"
STORY = "admin:affiliates_orderreferral_change"
AFFILIATE = "admin:affiliates_affiliate_change"


def choice(world: World, **changes) -> dict[str, object]:
    """What the form sends: the brand's rules of today but for the changes."""
    today = {
        "brand": world.brand.pk,
        "first_day": "2026-01-01",
        "last_day": "2026-01-31",
        "attribution_policy": "last_click",
        "attribution_window_days": 90,
        "bound_clients": "keep",
        "stand_down_minutes": 30,
        "claim_policy": "latest",
        "coupon_over_link": "on",
        "own_program": "on",
    }
    return {**today, **changes}


def open_page(client, world, **changes):
    return client.get(reverse(PAGE), choice(world, **changes))


def test_the_list_of_orders_leads_to_the_page(admin_client, world):
    text = admin_client.get(reverse(LIST)).content.decode()

    assert reverse(PAGE) in text


def test_the_draft_begins_as_the_rules_of_today(admin_client, world):
    world.brand.attribution_window_days = 45
    world.brand.existing_clients_earn = True
    world.brand.save()

    page = admin_client.get(reverse(PAGE))

    values = {field.name: field.value() for field in page.context["form"].terms()}
    assert values == {
        "attribution_policy": "last_click",
        "attribution_window_days": 45,
        "bound_clients": "keep",
        "stand_down_minutes": 30,
        "claim_policy": "latest",
        "coupon_over_link": True,
        "existing_clients_earn": True,
        "own_program": True,
    }
    assert "outcome" not in page.context


def test_another_brands_rules_and_plans_are_offered_when_it_is_chosen(
    admin_client, world
):
    other = BrandFactory(client_area="b.example.com", attribution_window_days=7)
    plan = CommissionPlanFactory(brand=other)

    page = admin_client.get(reverse(PAGE), {"brand": other.pk})

    form = page.context["form"]
    assert form["attribution_window_days"].value() == 7
    assert list(form.fields["plan"].queryset) == [plan]
    assert "Start from this brand" in page.content.decode()


def test_a_draft_equal_to_today_changes_nothing(admin_client, world):
    page = open_page(admin_client, world)

    assert "None of 2 orders would change." in page.content.decode()
    assert page.context["rows"] == []
    assert page.context["costs"] == []


def test_changed_orders_are_shown_with_cost_and_reason(admin_client, world):
    zero, one = (affiliate.code for affiliate in world.affiliates[:2])

    page = open_page(admin_client, world, attribution_policy="first_click")

    text = page.content.decode()
    assert "2 of 2 orders would change." in text
    rows = [
        (zero, "€0.00", "€25.00", "+€25.00"),
        (one, "€66.66", "€0.00", "-€66.66"),
    ]
    assert [tuple(row[1:]) for row in page.context["costs"]] == [
        *sorted(rows),
        ("All together", "€66.66", "€25.00", "-€41.66"),
    ]
    [row, _] = page.context["rows"]
    assert reverse(STORY, args=[row["change"].referral_id]) in text
    assert reverse(AFFILIATE, args=[world.affiliates[0].pk]) in text
    assert f"<strong>{one}</strong>, €33.33" in text
    assert f"<strong>{zero}</strong>, €12.50" in text
    assert "The first click inside the window wins." in text
    assert f"{one}: An earlier click won." in text


def test_a_plan_is_put_in_the_place_of_another(admin_client, world):
    draft = CommissionPlanFactory(
        brand=world.brand, name="Draft", rules=[{"percent": 20}]
    )
    of_one, of_two = (affiliate.plan for affiliate in world.affiliates[1:])

    changed = open_page(admin_client, world, plan=draft.pk, instead_of=of_one.pk)
    unchanged = open_page(admin_client, world, plan=draft.pk, instead_of=of_two.pk)

    assert changed.context["rows"][0]["earned_by_draft"] == "€20.00"
    assert "Earns by Draft version 1." in changed.content.decode()
    assert unchanged.context["rows"] == []


def test_nothing_is_written(admin_client, world):
    statements = []

    def watch(execute, sql, params, many, context):
        statements.append(sql.lstrip("(").split()[0].upper())
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        open_page(admin_client, world, attribution_policy="first_click")

    assert set(statements) <= {"SELECT", "DECLARE", "FETCH", "CLOSE"}


def test_the_queries_do_not_grow_with_the_orders(
    admin_client, world, django_assert_max_num_queries
):
    with django_assert_max_num_queries(21):
        open_page(admin_client, world, attribution_policy="first_click")


def test_only_the_first_of_many_changes_are_shown(admin_client, world, monkeypatch):
    monkeypatch.setattr(what_if, "SHOWN_CHANGES", 1)

    page = open_page(admin_client, world, attribution_policy="first_click")

    text = page.content.decode()
    assert len(page.context["rows"]) == 1
    assert "The first 1 of 2." in text
    assert "--csv=changes.csv" in text
    assert "2 of 2 orders would change." in text


def test_too_many_orders_are_left_to_the_command(admin_client, world, monkeypatch):
    monkeypatch.setattr(what_if, "MAX_ORDERS", 1)
    plan = CommissionPlanFactory(brand=world.brand, name="A draft")

    page = open_page(
        admin_client,
        world,
        attribution_policy="first_click",
        coupon_over_link="",
        existing_clients_earn="on",
        plan=plan.pk,
    )

    assert "outcome" not in page.context
    assert "more than 1 orders" in page.content.decode()
    assert page.context["command"] == (
        f"python manage.py simulate_policy '--brand={world.brand}' --from=2026-01-01 "
        "--to=2026-01-31 --policy=first_click --no-coupon-over-link "
        "--existing-clients-earn '--plan=A draft'"
    )


def test_days_without_orders_say_so(admin_client, world):
    page = open_page(admin_client, world, first_day="2026-01-20")

    assert "No order was converted on these days." in page.content.decode()


@pytest.mark.parametrize(
    ("_case", "changes", "message"),
    [
        ("reversed", {"last_day": "2025-12-01"}, "The last day is before the first."),
        ("no day", {"first_day": "soon"}, "Enter a valid date."),
        ("no window", {"attribution_window_days": 0}, "greater than or equal to 1."),
        ("long window", {"attribution_window_days": 401}, "less than or equal to 400"),
        ("negative", {"stand_down_minutes": -1}, "greater than or equal to 0."),
        ("no number", {"stand_down_minutes": "x"}, "Enter a whole number."),
        ("no policy", {"attribution_policy": "best"}, "Select a valid choice."),
        ("nobody's plan", {"plan": 0}, "Select a valid choice."),
        ("nobody's brand", {"brand": 0}, "Select a valid choice."),
        ("no brand", {"brand": "x"}, "Select a valid choice."),
    ],
)
def test_a_wrong_choice_is_explained(_case, changes, message, admin_client, world):
    page = open_page(admin_client, world, **changes)

    assert page.status_code == 200
    assert message in page.content.decode()
    assert "outcome" not in page.context


def test_a_plan_to_replace_needs_one_in_its_place(admin_client, world):
    page = open_page(admin_client, world, instead_of=world.affiliates[1].plan.pk)

    assert "It needs the plan to put in its place." in page.content.decode()
    assert "outcome" not in page.context


def test_another_brands_plan_is_no_choice(admin_client, world):
    foreign = CommissionPlanFactory(brand=BrandFactory(client_area="b.example.com"))

    page = open_page(admin_client, world, plan=foreign.pk)

    assert "Select a valid choice." in page.content.decode()


@pytest.mark.parametrize(
    ("names", "status"),
    [
        (["view_orderreferral"], 403),
        (["view_commissionplan"], 403),
        (["view_orderreferral", "view_commissionplan"], 200),
    ],
)
def test_it_takes_the_right_to_see_orders_and_plans(
    names, status, client, admin_user, world
):
    admin_user.is_superuser = False
    admin_user.save()
    admin_user.user_permissions.set(Permission.objects.filter(codename__in=names))
    client.force_login(admin_user)

    assert client.get(reverse(PAGE), choice(world)).status_code == status
