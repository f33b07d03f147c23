"""A look at the affiliate's area opens nothing else of the portal."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from affiliates.contrib.area.looks.services import ask_for_look
from tests.database import nothing_written
from tests.factories.portal import StaffFactory

pytestmark = pytest.mark.django_db
HOST = "shop.example.com"


@pytest.fixture
def looker(affiliate, settings) -> Client:
    """Staff's browser, in which no client is signed in."""
    settings.ALLOWED_HOSTS = ["*"]
    staff = StaffFactory(is_superuser=True)
    address = ask_for_look(
        affiliate, reason="Asked", actor_id=staff.pk, now=timezone.now()
    )
    looker = Client(headers={"host": HOST})
    looker.get(address)
    return looker


def test_the_look_lasts(looker):
    assert "You see what" in looker.get("/affiliate/").text


@pytest.mark.parametrize("path", ["account", "account/invoices/INV-000001"])
def test_the_account_stays_closed(looker, path):
    with nothing_written():
        answer = looker.get(f"/{path}")

    assert (answer.status_code, answer["Location"]) == (302, f"/login?next=/{path}")


def test_no_token_is_given(looker):
    with nothing_written():
        answer = looker.post("/account/token")

    assert (answer.status_code, answer.json()) == (401, {"data": None})


@pytest.mark.parametrize(
    "path",
    ["invoices", "account_credit", "orders", "payment_details", "affiliate/profile"],
)
def test_the_api_stays_closed(looker, path):
    with nothing_written():
        answer = looker.get(f"/api/{path}")

    assert answer.status_code == 401


def test_the_admin_stays_closed(looker):
    with nothing_written():
        answer = looker.get("/admin/")

    assert (answer.status_code, answer["Location"]) == (
        302,
        "/admin/login/?next=/admin/",
    )
