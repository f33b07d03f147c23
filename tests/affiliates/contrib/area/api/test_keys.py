"""Keys for an affiliate's own tools: shown once, bounded, ended."""

from __future__ import annotations

from datetime import timedelta

import pytest
from rest_framework.test import APIClient

from affiliates.contrib.area.keys import services
from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import change_status
from tests.affiliates.api.calls import refusal
from tests.cases import each
from tests.database import nothing_written

KEYS = "/api/affiliate/keys"
BALANCES = "/api/affiliate/balances"
DESTINATION = "/api/affiliate/payout_destination"
REFUSED = (401, "authentication_failed", None)


@pytest.fixture(autouse=True)
def _clock(clock):
    """The service's clock stands still."""


def make(caller, **fields):
    body = {"name": "Tool", "scopes": ["money"], **fields}
    return caller.post(KEYS, body, format="json")


@pytest.fixture
def made(partner):
    return make(partner).json()["data"]


@pytest.fixture
def tool(made) -> APIClient:
    """The affiliate's own tool, on some server."""
    return APIClient(HTTP_AUTHORIZATION=f"Bearer {made['key']}")


def test_key_is_shown_once_and_kept_hashed(partner, made):
    row = AffiliateKey.objects.get()

    secret = made.pop("key")
    assert made == {
        "id": row.pk,
        "name": "Tool",
        "hint": secret[:8],
        "scopes": ["money"],
        "created_at": "2026-03-01T12:00:00+00:00",
        "expires_at": "2026-05-30T12:00:00+00:00",
        "last_used_at": None,
        "ended_at": None,
        "end": "",
    }
    assert partner.get(KEYS).json()["data"]["keys"] == [made]
    assert secret not in str(AffiliateKey.objects.values())


def test_key_opens_what_its_scope_says(tool, made, now):
    assert tool.get(BALANCES).status_code == 200
    assert AffiliateKey.objects.get().last_used_at == now

    refused = tool.get("/api/affiliate/links")
    assert refusal(refused) == (403, "key_scope", None)


def test_no_key_changes_a_destination_or_makes_keys(partner):
    every = make(
        partner, scopes=["statistics", "money", "links", "claims", "payouts"]
    ).json()["data"]
    tool = APIClient(HTTP_AUTHORIZATION=f"Bearer {every['key']}")
    assert tool.get(BALANCES).status_code == 200

    with nothing_written():
        answers = [
            tool.put(DESTINATION, {"kind": "wallet"}, format="json"),
            make(tool),
            tool.delete(f"{KEYS}/{every['id']}"),
            tool.get(KEYS),
        ]

    assert [refusal(one) for one in answers] == [(403, "not_by_key", None)] * 4


def test_use_is_noted_once_an_hour(tool, now, clock):
    tool.get(BALANCES)
    clock.move_to(now + timedelta(minutes=59))

    with nothing_written():
        tool.get(BALANCES)
    clock.move_to(now + timedelta(minutes=61))
    tool.get(BALANCES)

    assert AffiliateKey.objects.get().last_used_at == now + timedelta(minutes=61)


def test_revoked_key_is_refused(partner, tool, made):
    answer = partner.delete(f"{KEYS}/{made['id']}")

    assert answer.json()["data"]["end"] == "revoked"
    with nothing_written():
        assert refusal(tool.get(BALANCES)) == REFUSED


def test_key_ends_by_itself(tool, now, clock):
    clock.move_to(now + timedelta(days=90))

    assert refusal(tool.get(BALANCES)) == REFUSED


def test_suspension_ends_a_key_for_good(tool, affiliate):
    own = Affiliate.objects.filter(pk=affiliate.pk)
    change_status(own, status=AffiliateStatus.SUSPENDED)
    while_suspended = tool.get(BALANCES)
    change_status(own, status=AffiliateStatus.ACTIVE)

    assert refusal(while_suspended) == refusal(tool.get(BALANCES)) == REFUSED
    assert AffiliateKey.objects.get().end == "suspended"


def test_key_of_a_suspended_affiliate_is_refused_however_it_was_suspended(
    tool, affiliate
):
    Affiliate.objects.filter(pk=affiliate.pk).update(status="suspended")

    assert refusal(tool.get(BALANCES)) == REFUSED


@each("secret", ["afk_", "afk_" + "x" * 43, "afk_" + "x" * 9_000, "afk_\u00ff"])
def test_key_that_is_none_is_refused(brand, secret):
    tool = APIClient(HTTP_AUTHORIZATION=f"Bearer {secret}")

    answer = tool.get(BALANCES)

    assert refusal(answer) == REFUSED
    assert answer["WWW-Authenticate"]


def test_a_key_opens_nothing_of_the_hosts(tool):
    answer = tool.patch("/api/orders/7/convert", {}, format="json")

    assert answer.status_code == 401


def test_key_of_another_affiliate_cannot_be_ended(partner, rival, host, made):
    other = APIClient(HTTP_AUTHORIZATION=host.authorization(rival.user))

    with nothing_written():
        answer = other.delete(f"{KEYS}/{made['id']}")

    assert refusal(answer) == (404, "not_found", None)


@each(
    ("fields", "code", "field"),
    [
        ({"name": ""}, "blank", "name"),
        ({"scopes": []}, "empty", "scopes"),
        ({"scopes": ["destination"]}, "invalid_choice", "scopes"),
        ({"scopes": "money"}, "not_a_list", "scopes"),
        ({"days": 0}, "min_value", "days"),
        ({"days": 366}, "max_value", "days"),
    ],
)
def test_key_that_cannot_be_made_is_refused(partner, fields, code, field):
    with nothing_written():
        assert refusal(make(partner, **fields)) == (400, code, field)


def test_keys_are_not_without_number(partner, made, monkeypatch):
    monkeypatch.setattr(services, "MAX_KEYS", 1)

    with nothing_written():
        assert refusal(make(partner)) == (409, "too_many_keys", None)
