"""What was typed before the login is shown again, and nothing of it is saved."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.template.loader import render_to_string
from django.urls import reverse

from affiliates.admin_tools.editing.drafts import NOT_SAVED_YET, SHOWN_AGAIN
from affiliates.plans.models.group import AffiliateGroup
from tests.change_forms import filled_in, posted_again
from tests.database import nothing_written
from tests.factories.plans import AffiliateGroupFactory, CommissionPlanFactory

pytestmark = [pytest.mark.portable, pytest.mark.django_db]
AGAIN = {SHOWN_AGAIN: "1"}


def value(page: Any, name: str) -> Any:
    return page.context["adminform"].form[name].value()


def test_added_row_is_shown_as_typed(admin_client, brand):
    address = reverse("admin:affiliates_affiliategroup_add")
    typed = {"brand": brand.pk, "name": "Typed"}

    with nothing_written():
        page = admin_client.post(address, typed | AGAIN)
    admin_client.post(address, typed)

    assert page.context["adminform"].form.non_field_errors() == [NOT_SAVED_YET]
    assert value(page, "name") == "Typed"
    assert AffiliateGroup.objects.get().name == "Typed"


def test_rows_of_a_changed_row_are_shown_as_typed(admin_client, brand):
    plan = CommissionPlanFactory(brand=brand, rules=[{"percent": 10}])
    address = reverse("admin:affiliates_commissionplan_change", args=[plan.pk])
    typed = filled_in(admin_client, address)
    second = {
        name.replace("rules-0", "rules-1"): text
        for name, text in typed.items()
        if name.startswith("rules-0") and not name.endswith("-id")
    }
    typed |= second | {"rules-1-percent": "7.5", "rules-TOTAL_FORMS": "2"}

    with nothing_written():
        page = admin_client.post(address, typed | AGAIN)
    admin_client.post(address, posted_again(page))

    assert [str(rule.percent) for rule in plan.rules.all()] == ["10.000", "7.500"]


def test_change_of_a_colleague_is_kept(admin_client, brand):
    plan = CommissionPlanFactory(brand=brand)
    group = AffiliateGroupFactory(brand=brand, name="Old")
    address = reverse("admin:affiliates_affiliategroup_change", args=[group.pk])
    typed = filled_in(admin_client, address) | {"name": "Mine"}
    AffiliateGroup.objects.update(plan=plan)

    page = admin_client.post(address, typed | AGAIN)
    admin_client.post(address, posted_again(page))

    group.refresh_from_db()
    assert (group.name, group.plan) == ("Mine", plan)


def test_question_is_asked_again_with_its_answers(admin_client, affiliate):
    address = reverse("admin:affiliates_affiliate_suspend_this", args=[affiliate.pk])
    answers = {"confirmed": "yes", "reason": "Typed reason"}

    with nothing_written():
        page = admin_client.post(address, answers | AGAIN)
    text = page.content.decode()
    admin_client.post(address, answers)

    assert [str(said) for said in get_messages(page.wsgi_request)] == [NOT_SAVED_YET]
    assert 'value="Typed reason"' in text
    affiliate.refresh_from_db()
    assert affiliate.status == "suspended"


def test_forms_name_the_person_who_fills_them_in(admin_client, admin_user, affiliate):
    plans = reverse("admin:affiliates_commissionplan_add")
    suspend = reverse("admin:affiliates_affiliate_suspend_this", args=[affiliate.pk])

    with nothing_written():
        pages = [admin_client.get(page).content.decode() for page in (plans, suspend)]

    marker = (
        f'<input type="hidden" name="{SHOWN_AGAIN}" value="{admin_user.pk}" disabled'
    )
    assert [page.count(marker) for page in pages] == [1, 1]


def test_brand_of_a_row_is_written_without_separators(settings):
    settings.USE_THOUSAND_SEPARATOR = True
    row, person = SimpleNamespace(brand_id=1234), SimpleNamespace(pk=5678)

    text = render_to_string(
        "affiliates/admin/shown_values.html", {"original": row, "user": person}
    )

    assert 'value="5678" disabled data-brand="1234"' in text
