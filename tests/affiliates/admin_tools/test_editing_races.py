"""Two saves of one form in the same moment."""

from __future__ import annotations

import pytest
from django.test import Client

from affiliates.plans.models.rule import PlanRule
from tests.affiliates.admin_tools.test_editing import page_of
from tests.change_forms import filled_in
from tests.factories.plans import CommissionPlanFactory
from tests.races import at_once, needs_postgresql

pytestmark = [needs_postgresql, pytest.mark.django_db(transaction=True)]


def test_one_of_two_saves_is_refused(brand, admin_user):
    plan = CommissionPlanFactory(brand=brand)
    browsers = [Client(), Client()]
    for browser in browsers:
        browser.force_login(admin_user)
    stale = filled_in(browsers[0], page_of(plan))

    def save(number: int) -> int:
        form = stale | {"rules-0-percent": str(21 + number)}
        return browsers[number].post(page_of(plan), form).status_code

    codes = at_once(2, save)

    assert sorted(codes) == [200, 302]
    assert PlanRule.objects.get().percent == 21 + codes.index(302)
