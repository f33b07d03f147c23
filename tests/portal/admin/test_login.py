from __future__ import annotations

import pytest
from django.test import Client

from portal.clients.models import User
from tests.factories.portal import PASSWORD, ClientFactory, StaffFactory

pytestmark = pytest.mark.portable


def log_in(browser: Client, email: str) -> bool:
    browser.post("/admin/login/", {"username": email, "password": PASSWORD})
    return browser.get("/admin/").status_code == 200


@pytest.mark.parametrize("email", ["root@example.com", "ROOT@example.com"])
def test_staff_log_in_by_email(email, staff):
    assert log_in(Client(), email)


@pytest.mark.parametrize("_case", ["client", "inactive staff", "no longer staff"])
def test_others_do_not_get_in(_case, brand):
    match _case:
        case "client":
            user = ClientFactory(brand=brand)
        case "inactive staff":
            user = StaffFactory(is_active=False)
        case "no longer staff":
            user = StaffFactory(is_staff=False)

    assert not log_in(Client(), user.email)


def test_a_client_with_the_email_of_staff_does_not_stand_in_the_way(brand, staff):
    ClientFactory(brand=brand, email=staff.email)

    assert log_in(Client(), staff.email)


def test_whoever_is_staff_no_longer_is_logged_out(browser, staff):
    User.objects.filter(pk=staff.pk).update(is_staff=False)

    assert browser.get("/admin/").status_code == 302


def test_the_login_page_leads_to_the_admin(staff):
    response = Client().post(
        "/admin/login/", {"username": staff.email, "password": PASSWORD}
    )

    assert response["Location"] == "/admin/"


def test_admin_is_found_without_its_slash(db):
    assert Client().get("/admin")["Location"] == "/admin/"


@pytest.mark.parametrize(
    "path", ["/admin/", "/admin/portal/user/", "/admin/affiliates/payout/"]
)
def test_no_page_of_staff_s_is_kept(path, browser):
    answer = browser.get(path)

    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
