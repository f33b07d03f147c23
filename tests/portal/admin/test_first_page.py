"""The admin begins with the operator's desk."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from tests.portal.admin.pages import text_of

pytestmark = [
    pytest.mark.portable,
    pytest.mark.django_db,
    pytest.mark.usefixtures("sidebar"),
]


def test_index_is_the_overview_for_those_who_may_see_brands(browser, brand):
    assert "What waits for you" in text_of(browser.get("/admin/"))


def test_index_is_the_list_of_apps_for_others(helper, brand):
    page = text_of(helper.get("/admin/"))

    assert "What waits for you" not in page
    assert reverse("admin:portal_invoice_changelist") in page


def test_index_asks_who_one_is(db):
    assert Client().get("/admin/").headers["Location"] == "/admin/login/?next=/admin/"


def test_every_page_has_the_navigation_by_work(browser, brand):
    page = text_of(browser.get(reverse("admin:portal_user_changelist")))

    for title in ("Every day", "Program", "Orders and money", "Host"):
        assert f"\n                            {title}\n" in page
