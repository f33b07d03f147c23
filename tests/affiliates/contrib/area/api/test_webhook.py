"""An affiliate sets, tests and removes its webhook; its secret is shown once."""

from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from affiliates.outbox.sending.deliver import deliver_due
from affiliates.webhooks.models import Webhook
from tests.affiliates.api.calls import refusal
from tests.affiliates.webhooks.receiver import Receiver, answer
from tests.cases import each
from tests.database import nothing_written
from tests.factories.area import AffiliateKeyFactory
from tests.factories.integrations import WebhookFactory
from tests.guard.markers import marker

WEBHOOK = "/api/affiliate/webhook"
ADDRESS = f"https://hooks.example.com/{marker('affiliate', 'hook')}"
BODY = {"address": ADDRESS}


@pytest.fixture(autouse=True)
def _clock(clock):
    """The service's clock stands still."""


def put(caller, **fields):
    return caller.put(WEBHOOK, {**BODY, **fields}, format="json")


def test_it_is_set_once_and_changed_after_that(partner):
    none = partner.get(WEBHOOK).json()
    made = put(partner, events=["payout.changed"]).json()["data"]
    changed = put(partner, is_active=False).json()["data"]

    secret = made.pop("secret")
    assert none == {"data": None}
    assert made == {
        "address": ADDRESS,
        "events": ["payout.changed"],
        "is_active": True,
        "end": "",
        "deliveries": [],
    }
    assert secret.startswith("whsec_")
    assert changed == {**made, "events": [], "is_active": False, "secret": ""}
    changed.pop("secret")
    assert partner.get(WEBHOOK).json() == {"data": changed}
    assert Webhook.objects.count() == 1


def test_a_test_is_shown_with_its_answer_and_no_body(partner, now):
    put(partner)
    waiting = partner.post(f"{WEBHOOK}/test").json()["data"]["deliveries"]
    with nothing_written():
        assert refusal(partner.post(f"{WEBHOOK}/test")) == (409, "test_waiting", None)
    deliver_due(transport=Receiver(answer(503)), now=lambda: now)

    [shown] = partner.get(WEBHOOK).json()["data"]["deliveries"]
    assert [one["state"] for one in waiting] == ["waiting"]
    assert shown == {
        "id": shown["id"],
        "event": "ping",
        "created_at": "2026-03-01T12:00:00+00:00",
        "state": "retry",
        "attempts": 1,
        "status_code": 503,
        "next_at": shown["next_at"],
    }


def test_new_secret_and_removal(partner):
    first = put(partner).json()["data"]["secret"]
    second = partner.post(f"{WEBHOOK}/rotate").json()["data"]
    gone = [partner.delete(WEBHOOK).json() for _ in range(2)]

    assert set(second) == {"secret"}
    assert second["secret"] != first
    assert gone == [{"data": None}] * 2
    with nothing_written():
        for path in ("rotate", "test"):
            answered = partner.post(f"{WEBHOOK}/{path}")
            assert refusal(answered) == (404, "no_webhook", None)


@each(
    ("body", "code", "field"),
    [
        ({}, "required", "address"),
        ({"address": None}, "null", "address"),
        ({"address": 5}, "invalid", "address"),
        ({"address": [ADDRESS]}, "invalid", "address"),
        ({"address": ""}, "blank", "address"),
        ({"address": f"{ADDRESS}/{'a' * 255}"}, "max_length", "address"),
        ({"address": "http://hooks.example.com"}, "address", "address"),
        ({"address": "https://localhost/x"}, "address", "address"),
        ({"address": "https://169.254.169.254/"}, "address", "address"),
        ({"address": "https://hooks.example.com/?a=1"}, "address", "address"),
        ({**BODY, "events": "payout.changed"}, "not_a_list", "events"),
        ({**BODY, "events": ["sale.recorded"]}, "invalid_choice", "events"),
        ({**BODY, "is_active": "perhaps"}, "invalid", "is_active"),
    ],
)
def test_what_cannot_be_is_refused_with_its_field(partner, body, code, field):
    with nothing_written():
        answered = partner.put(WEBHOOK, body, format="json")

    assert refusal(answered) == (400, code, field)


def test_the_guard_says_what_to_do(partner):
    answered = partner.put(WEBHOOK, {"address": "https://intranet/x"}, format="json")

    assert answered.json()["errors"][0]["detail"] == (
        "The address names a host inside one network only. "
        "Enter a public one, such as hooks.example.com."
    )


def test_nobody_else_sees_it_and_no_key(partner, affiliate, rival, host):
    WebhookFactory(brand=affiliate.brand, affiliate=affiliate)
    theirs = APIClient(HTTP_AUTHORIZATION=host.authorization(rival.user))

    assert theirs.get(WEBHOOK).json() == {"data": None}
    assert refusal(APIClient().get(WEBHOOK))[0] == 401
    assert AffiliateKeyFactory(affiliate=affiliate).pk
    assert ADDRESS not in theirs.get(WEBHOOK).text
