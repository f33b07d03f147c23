"""Whether a person proved lately who they are is the host's to say; nothing is done before."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from django.urls import reverse
from rest_framework.test import APIClient

from affiliates.adapter import HostAdapter, get_adapter
from affiliates.errors import InvalidInput
from tests.database import nothing_written
from tests.factories.payouts import GIVEN

pytestmark = pytest.mark.django_db
PAGES = (
    "/affiliate/destination/paypal",
    "/affiliate/keys/new",
    "/affiliate/leave/confirm",
)
FORM = {
    "email": "ada@example.org",
    "is_confirmed": "on",
    "name": "Sheet",
    "scopes": ["money"],
    "days": "30",
}
OPERATIONS = (
    (
        "put",
        "/api/affiliate/payout_destination",
        {"kind": "paypal", "email": "ada@example.org"},
        200,
    ),
    ("post", "/api/affiliate/keys", {"name": "Sheet", "scopes": ["money"]}, 201),
    ("post", "/api/affiliate/departure", {"gives_up_balance": False}, 200),
)


class Host:
    """What the host answers; ``asked`` of what."""

    def __init__(self) -> None:
        self.is_sure = False
        self.given: list[tuple[str, str]] = []

    def identity_page(self, adapter, request) -> str | None:
        return None if self.is_sure else f"/prove?next={quote(request.get_full_path())}"

    def check_identity(self, adapter, request, password: str, code: str) -> None:
        self.given.append((password, code))
        if password != " pass word ":
            raise InvalidInput("required", "Send it.", field="current_password")


@pytest.fixture
def asking(monkeypatch) -> Host:
    asking = Host()
    for name in ("identity_page", "check_identity"):
        answer = getattr(asking, name)
        monkeypatch.setattr(
            type(get_adapter()),
            name,
            lambda adapter, *given, answer=answer: answer(adapter, *given),
        )
    return asking


@pytest.mark.parametrize("path", PAGES)
def test_the_area_leads_to_the_hosts_question(path, browser, asking):
    with nothing_written():
        answer = browser.get(path)

    assert (answer.status_code, answer["Location"]) == (302, f"/prove?next={path}")
    asking.is_sure = True
    assert browser.get(path).status_code == 200


@pytest.mark.parametrize("path", PAGES[:2])
def test_a_form_sent_too_late_is_shown_again_as_it_was_typed(path, browser, asking):
    with nothing_written():
        answer = browser.post(path, FORM)

    assert answer.status_code == 400
    shown = answer.context["form"]
    assert {name: shown[name].value() for name in shown.fields} == {
        name: {**FORM, "is_confirmed": True}[name] for name in shown.fields
    }
    assert (
        f'Nothing was saved yet: <a href="/prove?next={path}" target="_blank">confirm '
        "that it is you</a>" in answer.text
    )

    asking.is_sure = True
    again = browser.post(path, FORM)

    assert (again.status_code, again.get("Location")) in [
        (302, "/affiliate/destination"),
        (200, None),
    ]


def test_a_form_without_input_leads_to_the_question(browser, asking):
    with nothing_written():
        answer = browser.post(PAGES[2], FORM)

    assert (answer.status_code, answer["Location"]) == (302, f"/prove?next={PAGES[2]}")


def test_nobody_is_asked_before_they_are_signed_in(browser, asking):
    browser.logout()

    assert "prove" not in browser.get(PAGES[0])["Location"]


def test_other_pages_ask_nothing(browser, asking):
    for path in ("/affiliate/destination", "/affiliate/keys", "/affiliate/profile"):
        assert browser.get(path).status_code == 200


def test_staff_are_asked_before_they_enter_a_destination(
    admin_client, affiliate, asking
):
    path = reverse("admin:affiliates_affiliate_enter_destination", args=[affiliate.pk])
    given = {"kind": "paypal", **GIVEN["paypal"], "confirmed": "yes"}

    with nothing_written():
        answer = admin_client.post(path, given)

    assert (answer.status_code, answer["Location"]) == (302, f"/prove?next={path}")


@pytest.mark.parametrize(("method", "path", "body", "done"), OPERATIONS)
def test_the_api_hands_password_and_code_to_the_host(
    method, path, body, done, affiliate, host, asking
):
    caller = APIClient(
        HTTP_ORIGIN="https://shop.example.com",
        HTTP_AUTHORIZATION=host.authorization(affiliate.user),
    )
    call = getattr(caller, method)

    with nothing_written():
        refused = call(path, body, format="json")
    given = {"current_password": " pass word ", "current_code": "12 34"}
    taken = call(path, {**body, **given}, format="json")

    [fault] = refused.json()["errors"]
    assert refused.status_code == 400
    assert (fault["code"], fault["attr"]) == ("required", "current_password")
    assert taken.status_code == done
    assert "password" not in taken.content.decode()
    assert asking.given == [("", ""), (" pass word ", "12 34")]


def test_a_host_that_says_nothing_asks_nobody(rf):
    request = rf.get("/")

    assert HostAdapter.identity_page(get_adapter(), request) is None
    assert HostAdapter.check_identity(get_adapter(), request, "", "") is None
    assert HostAdapter.account_pages(get_adapter()) == {}
