"""What is shown and asked before a brand's rules or a plan are saved."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from PIL import Image

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import ConfigChange
from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.fraud.models import FraudPolicy
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion
from affiliates.plans.models.rule import PlanRule
from affiliates.simulation import before_saving
from tests.factories.programs import make_world
from tests.factories.world import World

pytestmark = pytest.mark.django_db
BRAND = "admin:affiliates_brand_change"
PLAN = "admin:affiliates_commissionplan_change"
PLANS = "admin:affiliates_commissionplan_changelist"


@pytest.fixture
def world(monkeypatch) -> World:
    """Affiliate 0 sends two visitors, later affiliate 1: each orders for 100.00 EUR net.

    Affiliate 0 earns 12.5 %, affiliate 1 33.333 %.
    """
    monkeypatch.setattr(before_saving, "DAYS", 4_000)
    world = make_world()
    for _ in range(2):
        visitor = world.arrive()
        world.visit(visitor, world.affiliates[0])
        world.pass_by(days=1)
        world.visit(visitor, world.affiliates[1])
        world.pass_by(days=1)
        world.register(visitor)
        order = world.convert(
            visitor, currency="EUR", lines=[("hosting", "monthly", 10_000)]
        )
        world.pay(order.invoices[0])
    return world


TYPED = ("cap_amounts", "hold_days_by_cycle", "fixed_amounts", "joining_bonus", "tiers")


def filled_in(client, page: str) -> dict[str, Any]:
    """What the browser sends of the page when nothing was changed."""
    context = client.get(page).context
    formsets = [inline.formset for inline in context["inline_admin_formsets"]]
    forms = [context["adminform"].form]
    for formset in formsets:
        forms += [formset.management_form, *formset.forms]
    values = {
        field.html_name: field.value()
        if field.name not in TYPED
        else field.field.prepare_value(field.value())
        for form in forms
        for field in form
    }
    return {
        name: "on" if value is True else value
        for name, value in values.items()
        if value is not None and value is not False
    }


def written() -> tuple[Any, ...]:
    models = Brand, CommissionPlan, PlanRule, FraudPolicy
    return (
        [list(model.objects.order_by("pk").values()) for model in models],
        AttributionPolicyVersion.objects.count(),
        CommissionPlanVersion.objects.count(),
        ConfigChange.objects.count(),
    )


def said(page) -> str:
    question = page.context["question"]
    return " ".join([question.title, *map(str, question.paragraphs)])


def rows(page) -> list[list[str]]:
    return [row[1:] for row in page.context["listing"].rows]


def plan_of(world: World, affiliate: int) -> CommissionPlan:
    one = world.affiliates[affiliate]
    one.refresh_from_db()
    return (
        one.plan
        or (one.group and one.group.plan)
        or world.brand.plans.get(is_default=True)
    )


def test_a_policy_is_saved_after_it_was_shown_whom_it_would_have_changed(
    admin_client, world
):
    page = reverse(BRAND, args=[world.brand.pk])
    form = filled_in(admin_client, page) | {"attribution_policy": "first_click"}
    before = written()

    question = admin_client.post(page, form)

    assert written() == before
    assert "2 of 2 orders come out otherwise." in said(question)
    assert rows(question) == [
        ["0.00 EUR", "25.00 EUR", "+25.00 EUR"],
        ["66.66 EUR", "0.00 EUR", "-66.66 EUR"],
        ["66.66 EUR", "25.00 EUR", "-41.66 EUR"],
    ]
    assert list(get_messages(question.wsgi_request)) == []
    assert question.context["question"].button == "Save"

    carried = dict(question.context["question"].carried)
    done = admin_client.post(page, carried | {"confirmed": "yes"})

    assert done.status_code == 302
    world.brand.refresh_from_db()
    assert world.brand.attribution_policy == "first_click"


def test_a_logo_chosen_with_a_policy_is_asked_for_again(admin_client, world, pictures):
    page = reverse(BRAND, args=[world.brand.pk])
    form = filled_in(admin_client, page) | {"attribution_policy": "first_click"}
    before = written()

    question = admin_client.post(page, form | {"upload": a_logo()})
    carried = dict(question.context["question"].carried) | {"confirmed": "yes"}
    without = admin_client.post(page, carried)

    assert written() == before
    assert list(pictures.rglob("*.png")) == []
    assert 'enctype="multipart/form-data"' in question.text
    assert "Choose the file again" in question.text
    assert "This field is required." not in question.text
    assert "This field is required." in without.text
    assert without.context["question"].button == "Save"
    assert dict(without.context["question"].carried) | {"confirmed": "yes"} == carried

    done = admin_client.post(page, carried | {"upload": a_logo()})

    assert done.status_code == 302
    world.brand.refresh_from_db()
    assert world.brand.attribution_policy == "first_click"
    assert [one.name for one in pictures.rglob("*.png")] == [
        world.brand.logo.rpartition("/")[2]
    ]


def test_a_logo_that_changes_no_rule_is_saved_at_once(admin_client, world, pictures):
    page = reverse(BRAND, args=[world.brand.pk])

    done = admin_client.post(page, filled_in(admin_client, page) | {"upload": a_logo()})

    assert done.status_code == 302
    world.brand.refresh_from_db()
    assert len(list(pictures.rglob("*.png"))) == 1
    assert world.brand.logo.endswith(".png")


@pytest.fixture
def pictures(settings, tmp_path) -> Path:
    settings.MEDIA_ROOT = tmp_path
    return tmp_path


def a_logo() -> SimpleUploadedFile:
    content = BytesIO()
    Image.new("RGB", (4, 2), "#123456").save(content, "PNG")
    return SimpleUploadedFile("logo.png", content.getvalue())


def test_a_plan_is_saved_after_it_was_shown_what_it_would_have_cost(
    admin_client, world
):
    plan = plan_of(world, 1)
    page = reverse(PLAN, args=[plan.pk])
    form = filled_in(admin_client, page)
    percents = {name for name in form if name.endswith("-percent")}
    before = written()

    question = admin_client.post(page, form | dict.fromkeys(percents, "50"))

    assert written() == before
    assert rows(question)[-1] == ["66.66 EUR", "100.00 EUR", "+33.34 EUR"]
    assert "Orders from now on earn by" not in question.content.decode()

    carried = dict(question.context["question"].carried)
    admin_client.post(page, carried | {"confirmed": "yes"})

    assert {rule.percent for rule in plan.rules.all()} == {50}
    assert CommissionPlanVersion.objects.filter(plan=plan).count() == 2


@pytest.mark.parametrize("fields", [{}, {"name": "Another name"}])
def test_what_changes_no_rule_is_saved_at_once(fields, admin_client, world):
    page = reverse(BRAND, args=[world.brand.pk])

    done = admin_client.post(page, filled_in(admin_client, page) | fields)

    assert done.status_code == 302
    world.brand.refresh_from_db()
    assert world.brand.name == fields.get("name", world.brand.name)


def test_without_an_order_in_these_days_nothing_is_asked(
    admin_client, world, monkeypatch
):
    monkeypatch.setattr(before_saving, "DAYS", 0)
    page = reverse(BRAND, args=[world.brand.pk])
    form = filled_in(admin_client, page) | {"attribution_policy": "first_click"}

    done = admin_client.post(page, form)

    assert done.status_code == 302
    world.brand.refresh_from_db()
    assert world.brand.attribution_policy == "first_click"


def test_of_too_many_orders_the_newest_are_looked_at_and_the_page_says_so(
    admin_client, world, monkeypatch
):
    monkeypatch.setattr(before_saving, "MAX_ORDERS", 1)
    page = reverse(BRAND, args=[world.brand.pk])
    form = filled_in(admin_client, page) | {"attribution_policy": "first_click"}

    question = admin_client.post(page, form)

    assert "1 of 1 orders come out otherwise." in said(question)
    assert before_saving.LIMITED in said(question)


def test_a_form_with_a_fault_is_shown_as_ever(admin_client, world):
    page = reverse(BRAND, args=[world.brand.pk])
    form = filled_in(admin_client, page) | {"attribution_window_days": "0"}

    answer = admin_client.post(page, form)

    assert "question" not in answer.context
    assert answer.context["errors"]


def test_other_signals_of_fraud_are_applied_to_the_newest_sales(admin_client, world):
    page = reverse(BRAND, args=[world.brand.pk])
    form = filled_in(admin_client, page)
    prefix = "fraud_policies"
    form |= {
        f"{prefix}-TOTAL_FORMS": "1",
        f"{prefix}-0-signal": "fast_order",
        f"{prefix}-0-action": "hold",
        f"{prefix}-0-threshold": "200000",
    }
    before = written()

    question = admin_client.post(page, form)

    assert written() == before
    code = world.affiliates[1].code
    assert (
        "Fraud signals, on the newest 2 sales (at most 100): 2 would be “Held” instead "
        f"of “Ignored”: commissions of €66.66, of {code}."
    ) in said(question)
