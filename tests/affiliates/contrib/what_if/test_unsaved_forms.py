"""From the unsaved form of a brand or a plan to the What-if page."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib.auth.models import Permission
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from PIL import Image

from affiliates.contrib.what_if import admin as what_if
from affiliates.plans.models.plan import CommissionPlan
from tests.change_forms import filled_in
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.plans import CommissionPlanFactory
from tests.factories.world import World
from tests.hosts.host import current_host

pytestmark = pytest.mark.django_db
PAGE = "admin:affiliates_orderreferral_what_if"
BRAND, PLAN = "admin:affiliates_brand", "admin:affiliates_commissionplan"
PERMISSIONS = {
    "view_orderreferral",
    "view_commissionplan",
    "change_commissionplan",
    "view_brand",
    "change_brand",
}


@pytest.fixture(autouse=True)
def all_orders(monkeypatch) -> None:
    monkeypatch.setattr(what_if, "DEFAULT_DAYS", 4_000)


@pytest.fixture
def plan(world: World) -> CommissionPlan:
    """Of affiliate 1, who gets both orders."""
    plan = world.affiliates[1].plan
    assert plan is not None
    return plan


@pytest.fixture
def other_brand(world: World):
    return BrandFactory(client_area="b.example.com")


def address(name: str, row: Any) -> str:
    return reverse(f"{name}_what_if", args=[row.pk])


def ask(client, page: str, row: Any, /, **changes: Any) -> Any:
    """The page that the form leads to; of no row of any table anything is written."""
    form = filled_in(client, reverse(f"{page}_change", args=[row.pk]))
    sent = {name: one for name, one in (form | changes).items() if one is not None}
    with nothing_written():
        return client.post(address(page, row), sent, follow=True)


def costs(page: Any) -> list[tuple[str, ...]]:
    return [tuple(row[1:]) for row in page.context["costs"]]


@pytest.mark.parametrize(("name", "owner"), [(BRAND, "brand"), (PLAN, "plan")])
def test_form_has_a_button_that_opens_the_page_in_another_tab(
    name, owner, admin_client, world, plan
):
    row = world.brand if owner == "brand" else plan

    text = admin_client.get(reverse(f"{name}_change", args=[row.pk])).text

    assert f'formaction="{address(name, row)}#result"' in text
    assert 'formtarget="_blank"' in text
    assert text.index('name="_save"') < text.index('name="_what_if"')


def test_new_plan_has_no_button(admin_client, world):
    assert 'name="_what_if"' not in admin_client.get(reverse(f"{PLAN}_add")).text


def test_popup_has_no_button(admin_client, world, plan):
    page = reverse(f"{PLAN}_change", args=[plan.pk])

    assert 'name="_what_if"' not in admin_client.get(page, {"_popup": "1"}).text


def test_saving_asks_nothing(admin_client, world, plan):
    form = filled_in(admin_client, reverse(f"{PLAN}_change", args=[plan.pk])) | {
        "rules-0-percent": "50"
    }

    done = admin_client.post(reverse(f"{PLAN}_change", args=[plan.pk]), form)

    assert done.status_code == 302
    assert [version.number for version in plan.versions.order_by("pk")] == [1, 2]


def test_unsaved_policy_is_the_draft(admin_client, world):
    zero, one = (affiliate.code for affiliate in world.affiliates[:2])

    page = ask(admin_client, BRAND, world.brand, attribution_policy="first_click")

    assert page.context["headline"] == "2 of 2 orders would change."
    assert costs(page) == [
        (zero, "€0.00", "€25.00", "+€25.00"),
        (one, "€66.66", "€0.00", "-€66.66"),
        ("All together", "€66.66", "€25.00", "-€41.66"),
    ]


def test_every_field_of_the_policy_is_in_the_address_of_the_draft(admin_client, world):
    changes = {
        "attribution_policy": "first_click",
        "attribution_window_days": "7",
        "bound_clients": "latest",
        "stand_down_minutes": "5",
        "claim_policy": "both",
        "coupon_over_link": None,
        "existing_clients_earn": "on",
        "own_program": None,
    }

    page = ask(admin_client, BRAND, world.brand, **changes)

    [(to, status)] = page.redirect_chain
    assert status == 302
    sent = parse_qs(urlsplit(to).query)
    days = sent.pop("first_day"), sent.pop("last_day")
    assert len(days) == 2
    assert sent == {
        "brand": [str(world.brand.pk)],
        **{name: [value] for name, value in changes.items() if value},
    }
    assert urlsplit(to).path == reverse(PAGE)
    assert urlsplit(to).fragment == "result"


def test_logo_chosen_with_a_policy_is_not_kept(
    admin_client, world, settings, tmp_path: Path
):
    settings.MEDIA_ROOT = tmp_path
    content = BytesIO()
    Image.new("RGB", (4, 2), "#123456").save(content, "PNG")
    logo = SimpleUploadedFile("logo.png", content.getvalue())

    page = ask(admin_client, BRAND, world.brand, upload=logo)

    assert page.context["headline"] == "None of 2 orders would change."
    assert list(tmp_path.rglob("*")) == []


def test_unsaved_plan_is_the_draft(admin_client, world, plan):
    page = ask(admin_client, PLAN, plan, **{"rules-0-percent": "50"})

    assert costs(page) == [
        (world.affiliates[1].code, "€66.66", "€100.00", "+€33.34"),
        ("All together", "€66.66", "€100.00", "+€33.34"),
    ]
    [first, _] = page.context["rows"]
    assert first["earned_by_draft"] == "€50.00"
    assert first["why_today"].endswith(f"Earns by {plan.name} version 1.")
    assert first["why_by_draft"].endswith(f"Earns by {plan.name} version 2.")


@pytest.mark.parametrize(("name", "owner"), [(BRAND, "brand"), (PLAN, "plan")])
def test_form_as_it_is_saved_changes_nothing(name, owner, admin_client, world, plan):
    page = ask(admin_client, name, world.brand if owner == "brand" else plan)

    assert page.context["headline"] == "None of 2 orders would change."


def test_other_name_changes_nothing(admin_client, world, plan):
    page = ask(admin_client, PLAN, plan, name="Another name")

    assert page.context["rows"] == []


def test_removed_and_added_rules_count_as_they_would_be_saved(
    admin_client, world, plan
):
    added = {
        "rules-TOTAL_FORMS": "2",
        "rules-0-DELETE": "on",
        **{
            f"rules-1-{name}": value
            for name, value in {
                "rate_kind": "percent",
                "percent": "20",
                "position_from": "0",
                "tier_period": "month",
            }.items()
        },
    }

    page = ask(admin_client, PLAN, plan, **added)

    assert costs(page)[-1] == ("All together", "€66.66", "€40.00", "-€26.66")


def test_plan_drafted_as_default_is_that_of_affiliates_without_one(admin_client, world):
    default = world.brand.plans.get(is_default=True)
    world.affiliates[1].plan = None
    world.affiliates[1].save()

    page = ask(admin_client, PLAN, default, is_default=None)

    [first, _] = page.context["rows"]
    assert first["why_by_draft"].endswith("Is on no plan.")
    assert costs(page)[-1] == ("All together", "€25.00", "€0.00", "-€25.00")


def test_draft_of_a_plan_is_sent_again_with_other_days_and_affiliates(
    admin_client, world, plan
):
    page = ask(admin_client, PLAN, plan, **{"rules-0-percent": "50"})
    carried = dict(page.context["carried"])
    form = {one.html_name: one.value() or "" for one in page.context["form"]}
    other = world.brand.plans.get(is_default=True)

    with nothing_written():
        elsewhere = admin_client.post(
            address(PLAN, plan),
            carried
            | form
            | {
                "attribution_policy": "first_click",
                "plan": plan.pk,
                "instead_of": other.pk,
            },
        )
        no_days = admin_client.post(
            address(PLAN, plan), carried | form | {"first_day": form["last_day"]}
        )

    assert carried["rules-0-percent"] == "50"
    assert "csrfmiddlewaretoken" not in carried
    assert costs(elsewhere) == [
        (world.affiliates[0].code, "€0.00", "€100.00", "+€100.00"),
        (world.affiliates[1].code, "€66.66", "€0.00", "-€66.66"),
        ("All together", "€66.66", "€100.00", "+€33.34"),
    ]
    assert no_days.context["headline"] == (
        "No order was converted on these days. Choose others."
    )


def test_invalid_policy_is_not_simulated(admin_client, world):
    page = ask(admin_client, BRAND, world.brand, attribution_window_days="0")

    fault = "Window, in days: Ensure this value is greater than or equal to 1."
    assert page.context["faults"] == [fault]
    assert fault in page.text
    assert "form" not in page.context
    assert "outcome" not in page.context


def test_invalid_rule_is_not_simulated(admin_client, world, plan):
    page = ask(admin_client, PLAN, plan, name="", **{"rules-0-percent": ""})

    assert page.context["faults"] == [
        "Name: This field is required.",
        "Rule 1: Percent: Write the rate in percent. 0 earns nothing.",
    ]
    assert "outcome" not in page.context


def test_faulty_days_of_a_plan_are_explained(admin_client, world, plan):
    page = ask(admin_client, PLAN, plan, first_day="soon", last_day="2026-01-31")

    assert "Enter a valid date." in page.text
    assert "outcome" not in page.context


def test_affiliate_of_another_brand_is_refused(admin_client, world, plan, other_brand):
    user = current_host().client(other_brand, email="foreign@example.com")
    foreign = AffiliateFactory(brand=other_brand, user=user)

    page = ask(admin_client, PLAN, plan, **{"rules-0-affiliate": foreign.pk})

    assert page.context["faults"] == [
        "Rule 1: Affiliate: This affiliate belongs to another brand."
    ]


def test_rule_of_another_brand_is_refused(admin_client, world, plan, other_brand):
    foreign = CommissionPlanFactory(brand=other_brand, rules=[{"percent": 90}])

    page = ask(admin_client, PLAN, plan, **{"rules-0-id": foreign.rules.get().pk})

    assert page.context["faults"] == ["Rule 1: It belongs to another form."]
    assert "outcome" not in page.context


@pytest.mark.parametrize("field", ["plan", "instead_of"])
def test_plan_of_another_brand_is_no_choice(
    field, admin_client, world, plan, other_brand
):
    foreign = CommissionPlanFactory(brand=other_brand)
    sent = what_if.WhatIfForm.sent(world.brand, days=4_000)

    page = ask(admin_client, PLAN, plan, **sent | {"plan": plan.pk, field: foreign.pk})

    assert "Select a valid choice." in page.text
    assert "outcome" not in page.context


def test_too_many_orders_for_a_page_have_no_command(
    admin_client, world, plan, monkeypatch
):
    monkeypatch.setattr(what_if, "MAX_ORDERS", 1)

    page = ask(admin_client, PLAN, plan, **{"rules-0-percent": "50"})

    assert "more than 1 orders. Choose fewer days." in page.text
    assert "manage.py" not in page.text
    assert "outcome" not in page.context


@pytest.mark.parametrize(("name", "owner"), [(BRAND, "brand"), (PLAN, "plan")])
def test_address_without_a_form_leads_to_the_page(
    name, owner, admin_client, world, plan
):
    row = world.brand if owner == "brand" else plan

    answer = admin_client.get(address(name, row))

    assert answer.status_code == 302
    assert answer.url == f"{reverse(PAGE)}?brand={world.brand.pk}"


def test_unknown_row_is_not_found(admin_client, world):
    assert admin_client.post(reverse(f"{PLAN}_what_if", args=[0])).status_code == 404


@pytest.mark.parametrize(
    ("missing", "refused"),
    [
        ("", set()),
        ("view_orderreferral", {BRAND, PLAN}),
        ("view_commissionplan", {BRAND, PLAN}),
        ("change_commissionplan", {PLAN}),
        ("change_brand", {BRAND}),
    ],
)
def test_it_takes_the_right_to_see_orders_and_plans_and_to_change_the_row(
    missing, refused, admin_client, client, admin_user, world, plan
):
    forms = {
        (name, row): filled_in(admin_client, reverse(f"{name}_change", args=[row.pk]))
        for name, row in ((BRAND, world.brand), (PLAN, plan))
    }
    admin_user.is_superuser = False
    admin_user.save()
    admin_user.user_permissions.set(
        Permission.objects.filter(codename__in=PERMISSIONS - {missing})
    )
    client.force_login(admin_user)

    with nothing_written():
        answers = {
            name: client.post(address(name, row), form, follow=True).status_code
            for (name, row), form in forms.items()
        }
    buttons = {
        name
        for name, row in forms
        if 'name="_what_if"'
        in client.get(reverse(f"{name}_change", args=[row.pk])).text
    }

    assert answers == {name: 403 if name in refused else 200 for name in (BRAND, PLAN)}
    assert buttons == {BRAND, PLAN} - refused


def test_saved_rules_count_for_staff_who_may_not_see_them(
    client, admin_user, world, plan
):
    admin_user.is_superuser = False
    admin_user.save()
    admin_user.user_permissions.set(Permission.objects.filter(codename__in=PERMISSIONS))
    client.force_login(admin_user)

    page = ask(client, PLAN, plan, counts_discount="on")

    assert page.context["outcome"].looked_at == 2
    assert page.context["rows"] == []
