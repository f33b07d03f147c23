"""What a suspended or merged affiliate may still do, on the pages and by the API."""

from __future__ import annotations

from typing import Any

import pytest
from rest_framework.test import APIClient

from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory
from tests.guard.markers import marker

pytestmark = pytest.mark.django_db
NEW_CLAIM = "/affiliate/claims/new"
CLAIM = {"order": "order-2"}
LINK = {"name": "Blog", "target_url": ""}
KEY = {"name": "Sheet", "scopes": ["money"], "days": "30"}
WEBHOOK = {
    "address": f"https://hooks.example.com/{marker('affiliate', 'hook')}",
    "is_active": "on",
}
REFUSED_CLAIM = (
    "Only an active affiliate can claim a missing sale. Ask the support of your brand "
    "about your account."
)
ON_PAGES = [
    ("claims/new", CLAIM, 403),
    ("links/new", LINK, 400),
    ("links/{link_id}", LINK, 400),
    ("payouts/ask/EUR", {}, 409),
    ("destination/wallet", {"is_confirmed": "on"}, 400),
    ("keys/new", KEY, 400),
    ("webhook", WEBHOOK, 400),
    ("webhook/test", {}, 409),
    ("webhook/secret", {}, 409),
]
BY_API = [
    ("post", "claims", CLAIM, 403),
    ("post", "links", {"name": "Blog"}, 409),
    ("patch", "links/{link_id}", {"name": "Blog"}, 409),
    ("post", "payouts", {"currency": "EUR"}, 409),
    ("put", "payout_destination", {"kind": "wallet"}, 409),
    ("post", "keys", {"name": "Sheet", "scopes": ["money"]}, 409),
    ("put", "webhook", {"address": WEBHOOK["address"]}, 409),
    ("post", "webhook/test", {}, 409),
    ("post", "webhook/rotate", {}, 409),
]


@pytest.fixture(params=["suspended", "merged"])
def inactive(request, affiliate, rival, browser) -> Affiliate:
    """An application that was declined is a suspended affiliate too."""
    Affiliate.objects.filter(pk=affiliate.pk).update(
        status=AffiliateStatus.SUSPENDED,
        merged_into=rival if request.param == "merged" else None,
    )
    affiliate.refresh_from_db()
    return affiliate


def test_pages_refuse_what_only_an_active_affiliate_may(browser, objects, inactive):
    def answered(path: str, given: dict[str, Any]) -> int:
        return browser.post(f"/affiliate/{path.format(**objects)}", given).status_code

    with nothing_written():
        found = {path: answered(path, given) for path, given, _ in ON_PAGES}

    assert found == {path: status for path, _, status in ON_PAGES}


@pytest.mark.usefixtures("_nobody_is_asked")
def test_api_refuses_what_only_an_active_affiliate_may(objects, inactive):
    client = APIClient()
    client.force_authenticate(inactive.user)

    def answered(method: str, path: str, given: dict[str, Any]) -> tuple[int, str]:
        call = getattr(client, method)
        answer = call(f"/api/affiliate/{path.format(**objects)}", given, format="json")
        return answer.status_code, answer.json()["errors"][0]["code"]

    with nothing_written():
        found = [answered(method, path, given) for method, path, given, _ in BY_API]

    assert found == [(status, "affiliate_inactive") for *_, status in BY_API]


def test_claim_page_says_whom_to_ask_instead_of_a_form(browser, inactive):
    page = browser.get(NEW_CLAIM)
    refused = browser.post(NEW_CLAIM, CLAIM)
    listed = browser.get("/affiliate/claims")

    for answer, status in ((page, 200), (refused, 403)):
        assert answer.status_code == status
        assert REFUSED_CLAIM in answer.text
        assert 'name="order"' not in answer.text
    assert NEW_CLAIM not in listed.text


def test_claim_is_refused_with_its_reason(objects, inactive):
    client = APIClient()
    client.force_authenticate(inactive.user)

    answer = client.post("/api/affiliate/claims", CLAIM, format="json")

    assert answer.json() == {
        "type": "client_error",
        "errors": [
            {"code": "affiliate_inactive", "detail": REFUSED_CLAIM, "attr": None}
        ],
    }


def test_what_goes_out_or_is_only_read_stays(browser, objects, inactive):
    """A suspended affiliate may read, and end or turn off what it has."""
    posts = {
        f"keys/{objects['key_id']}/revoke": {},
        "webhook/remove": {},
        "notifications": {"sale": "weekly"},
        "profile": {"own_time_zone": "Asia/Tokyo"},
    }

    answers = {path: browser.post(f"/affiliate/{path}", posts[path]) for path in posts}
    read = [browser.get(f"/affiliate/{path}") for path in ("", "payouts", "claims")]

    assert {path: one.status_code for path, one in answers.items()} == dict.fromkeys(
        posts, 302
    )
    assert [one.status_code for one in read] == [200, 200, 200]


def test_active_affiliate_finds_the_form(browser, affiliate, brand, host):
    AffiliateFactory(brand=brand, user=host.client(brand, email="beside@example.com"))

    assert 'name="order"' in browser.get(NEW_CLAIM).text
    assert NEW_CLAIM in browser.get("/affiliate/claims").text
