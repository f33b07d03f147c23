"""Keys of brands: staff make and revoke them; the key itself is kept nowhere."""

from __future__ import annotations

import json
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from standardwebhooks import Webhook

from affiliates.contrib.events_api.models import BrandKey
from affiliates.contrib.events_api.services import give_brand_key
from affiliates.core.secrets.keys import digest_of
from tests.database import nothing_written
from tests.factories.events_api import BrandKeyFactory

ADD = "admin:affiliates_events_api_brandkey_add"


@pytest.fixture
def keyed(admin_client, brand):
    """The answer to staff who have made a key."""
    sent = {"brand": brand.pk, "name": "WHMCS", "scopes": ["events:write"]}
    return admin_client.post(reverse(ADD), sent)


def test_staff_are_shown_a_key_once(keyed, admin_client, brand):
    key = BrandKey.objects.get()
    page = reverse("admin:affiliates_events_api_brandkey_change", args=[key.pk])
    later = admin_client.get(page)

    [secret] = {word for word in keyed.text.split("<") if "abk_" in word}
    secret = secret.partition(">")[2]
    assert (key.brand, key.name, key.scopes) == (brand, "WHMCS", ["events:write"])
    assert (key.digest, key.hint) == (digest_of(secret), secret[:8])
    assert "no-store" in keyed["Cache-Control"]
    assert secret not in later.text
    assert key.digest not in later.text


def test_a_key_without_a_scope_is_not_made(admin_client, brand):
    with nothing_written():
        answer = admin_client.post(reverse(ADD), {"brand": brand.pk, "name": "WHMCS"})

    assert "This field is required" in answer.text


def test_a_revoked_key_is_refused_from_then_on(
    admin_client, key, report, placed, affiliate, now
):
    path = reverse("admin:affiliates_events_api_brandkey_revoke", args=[key.pk])

    with nothing_written():
        asked = admin_client.get(path)
    with time_machine.travel(now, tick=False):
        admin_client.post(path, {"confirmed": "yes"})

    key.refresh_from_db()
    assert "Calls with it are refused" in asked.text
    assert key.ended_at == now
    assert report(placed).status_code == 401


def test_use_is_noted_to_the_hour(report, placed, affiliate, brand, now):
    key = BrandKeyFactory(brand=brand, secret="abk_o", last_used_at=None)
    noted = []

    for minutes in (0, 59, 61):
        with time_machine.travel(now + timedelta(minutes=minutes), tick=False):
            report(placed, secret="abk_o")
        key.refresh_from_db()
        noted.append((key.last_used_at - now) // timedelta(minutes=1))

    assert noted == [0, 0, 61]


@pytest.mark.parametrize(
    ("_case", "change", "status"),
    [
        ("right", {}, 200),
        ("another body", {"body": b'{"events": []}'}, 403),
        ("too old", {"age": timedelta(minutes=6)}, 403),
        ("another secret", {"secret": "whsec_" + "A" * 43 + "="}, 403),
        ("no signature", {"name": "x-other"}, 403),
        ("no text", {"signature": "v1,é"}, 403),
    ],
)
def test_a_signed_body_is_read_if_its_signature_is_right(
    _case, change, status, brand, placed, affiliate
):
    key = BrandKey(brand=brand, name="WHMCS", scopes=["events:write"])
    now = datetime.now(tz=UTC)
    given = give_brand_key(key, is_signed=True, actor_id=None, now=now)
    key.change(last_used_at=now)
    body = json.dumps({"events": [placed]}).encode()
    at = now - change.get("age", timedelta())
    signer = Webhook(change.get("secret", given.signing_secret))
    signature = change.get("signature") or signer.sign("msg_1", at, body.decode())
    headers = {
        "authorization": f"Bearer {given.key}",
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(at.timestamp())),
        change.get("name", "webhook-signature"): signature,
    }

    with nullcontext() if status == 200 else nothing_written():
        answer = Client().post(
            "/api/operator/events",
            change.get("body", body),
            content_type="application/json",
            headers=headers,
        )

    assert answer.status_code == status
    assert given.signing_secret not in key.secrets
    if status == 403:
        assert answer.json()["errors"][0]["code"] == "invalid_signature"


def test_staff_are_shown_the_second_secret_once(admin_client, brand):
    sent = {
        "brand": brand.pk,
        "name": "A",
        "scopes": ["events:write"],
        "is_signed": "on",
    }

    answer = admin_client.post(reverse(ADD), sent)

    assert answer.text.count("whsec_") == 1
    assert BrandKey.objects.get().is_signed


def test_a_command_prints_a_key(brand):
    out = StringIO()

    call_command("affiliates_brand_key", "Blesta", brand=brand.name, stdout=out)

    key = BrandKey.objects.get()
    assert key.digest == digest_of(out.getvalue().strip())
    assert (key.brand, key.name, key.scopes) == (brand, "Blesta", ["events:write"])


def test_a_key_of_no_brand_is_not_made(db):
    with nothing_written(), pytest.raises(CommandError, match="There is no brand"):
        call_command("affiliates_brand_key", "Blesta", brand="Nobody")
