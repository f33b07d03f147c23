"""The examples of the API's pages and the table of refusals in docs/api.md are true."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection

from affiliates.api.idempotency import services as idempotency
from portal.clients.models import User
from tests.affiliates.api.calls import (
    REGISTER,
    complete,
    convert,
    refusal,
    register,
    registration_body,
    visit,
)
from tests.affiliates.api.repeating import KEY
from tests.contract.openapi import ConformingClient, operations
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateLinkFactory,
    BrandFactory,
)
from tests.factories.offers import OfferCodeFactory, OfferFactory
from tests.factories.portal import (
    ClientFactory,
    GuestFactory,
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
)

DOCS = Path(__file__).parents[2] / "docs"
# Conversions use the cookies that visits got.
PAGE = "".join(
    (DOCS / f"{name}.md").read_text("utf-8")
    for name in ("api", "api-visits", "api-clients")
)
EXAMPLE = re.compile(
    r"```http\n(?P<method>[A-Z]+) (?P<path>\S+)\n(?P<headers>.*?)\n\n(?P<body>.*?)```\n\n"
    r"Answer (?P<status>\d+):\n\n```json\n(?P<answer>.*?)```",
    re.DOTALL,
)
ROW = re.compile(r"\| (?P<status>\d+) \| `(?P<code>\w+)` \| .+ \|")
SHOP = "https://shop.example.com"
OTHER = "https://other.example.net"


@pytest.fixture
def brand(db):
    return BrandFactory()


@dataclass
class Replay:
    """Replays examples; what differs from call to call is filled in from earlier ones."""

    api: ConformingClient = field(default_factory=ConformingClient)
    cookie: str = ""
    token: str = ""
    client_id: str = ""
    order_id: str = ""

    def send(self, example: re.Match[str]) -> tuple[int, Any]:
        owner = self.client_id if "/clients/" in example["path"] else self.order_id
        headers = dict(line.split(": ", 1) for line in example["headers"].splitlines())
        if "Authorization" in headers:
            headers["Authorization"] = f"Bearer {self.token}"
        body = json.loads(example["body"])
        if "referral_cookie" in body:
            body["referral_cookie"] = self.cookie
        response = self.api.generic(
            example["method"],
            re.sub(r"\w+…", owner, example["path"]),
            json.dumps(body),
            content_type=headers.pop("Content-Type"),
            headers=headers,
        )
        self._remember(response.json().get("data", {}))
        return response.status_code, response.json()

    def _remember(self, data: dict[str, Any]) -> None:
        self.cookie = data.get("referral_cookie", self.cookie)
        self.token = data.get("token", self.token)
        if data.get("is_guest"):
            self.client_id = data["id"]


def matches(documented: Any, actual: Any) -> bool:
    """Equal, except that a text with an ellipsis stands for any other text."""
    if isinstance(documented, dict) and isinstance(actual, dict):
        return documented.keys() == actual.keys() and all(
            matches(documented[name], actual[name]) for name in documented
        )
    if isinstance(documented, list) and isinstance(actual, list):
        return len(documented) == len(actual) and all(map(matches, documented, actual))
    if isinstance(documented, str) and documented.endswith("…"):
        return isinstance(actual, str) and actual != ""
    return documented == actual and type(documented) is type(actual)


def test_every_example_is_true(brand, clock):
    user = ClientFactory(brand=brand, email="affiliate@example.com")
    affiliate = AffiliateFactory(brand=brand, user=user)
    offer = OfferFactory(
        brand=brand,
        translations={"de": "10 % auf die erste Rechnung"},
        valid_until=datetime(2026, 12, 31, 22, 59, 59, tzinfo=UTC),
    )
    OfferCodeFactory(affiliate=affiliate, offer=offer, code="ADA10")
    AffiliateLinkFactory(
        affiliate=affiliate,
        hash="d3300d3300d3300d3300d3300d3300d3300d3300",
        target_url=f"{SHOP}/plans",
    )
    replay = Replay()
    examples = list(EXAMPLE.finditer(PAGE))

    for example in examples:
        if example["path"].endswith("/convert"):
            order = OrderFactory(client=User.objects.get(pk=replay.client_id))
            OrderItemFactory(order=order)
            PaymentDetailsFactory(id=7, client=order.client)
            replay.order_id = str(order.pk)
        status, answer = replay.send(example)
        assert (str(status), matches(json.loads(example["answer"]), answer)) == (
            example["status"],
            True,
        ), (example["path"], answer)
    assert len(examples) == PAGE.count("```http") == 8


def test_every_endpoint_of_affiliates_has_a_heading():
    headings = {
        tuple(line.removeprefix("## ").split(" "))
        for line in PAGE.replace("&lt;", "{").replace("&gt;", "}").splitlines()
        if line.startswith(("## POST", "## PATCH"))
    }

    assert headings == {
        (method, path)
        for method, path in operations()
        if re.search("affiliate_link|register|registration|convert", path)
    }


@pytest.fixture
def provoke(brand, settings, monkeypatch):
    """Calls that meet each documented refusal."""
    client, guest = ClientFactory(brand=brand), GuestFactory(brand=brand)
    BrandFactory(client_area="other.example.net")
    order = OrderFactory(client=client)
    details = PaymentDetailsFactory(client=client)
    OrderItemFactory(order=order)
    empty = OrderFactory(client=client)

    def caller(user=None, *, origin=SHOP):
        api = ConformingClient(raise_request_exception=False, HTTP_ORIGIN=origin)
        if user is not None:
            api.force_authenticate(user)
        return api

    def throttled():
        settings.AFFILIATES_THROTTLE_RATES = {"visit": "1/hour"}
        api = caller()
        api.credentials(REMOTE_ADDR="203.0.113.7")
        return [visit(api), visit(api)][-1]

    def with_database(error, call):
        def fail(execute, sql, params, many, context):
            if "portal_user" in sql:
                raise error
            return execute(sql, params, many, context)

        with connection.execute_wrapper(fail):
            return call()

    def post(body, content_type="application/json", **said):
        path = "/api/affiliate_link/visit"
        return caller().generic("POST", path, body, content_type=content_type, **said)

    def pay_with(value):
        return convert(caller(client), order.pk, payment_details_id=value)

    def complete_twice():
        api = caller(guest)
        return [complete(api, guest.pk), complete(api, guest.pk)][-1]

    def with_wrong_token():
        api = caller()
        api.credentials(HTTP_AUTHORIZATION="Bearer " + "0" * 64)
        return convert(api, order.pk)

    def with_key(key, *emails):
        calls = [
            caller().post(
                REGISTER,
                registration_body(email=email),
                format="json",
                headers={"idempotency-key": key},
            )
            for email in emails
        ]
        return calls[-1]

    def while_answered():
        with monkeypatch.context() as patched:
            patched.setattr(idempotency, "_lock", lambda scope: False)
            return with_key(f'"{KEY}"', "eve@example.org")

    return {
        (400, "origin_required"): lambda: visit(caller(origin="null")),
        (400, "origin_without_scheme"): lambda: visit(
            caller(origin=SHOP.removeprefix("https://"))
        ),
        (400, "parse_error"): lambda: post(b"{"),
        (400, "invalid"): lambda: visit(caller(), "nonsense"),
        (400, "required"): lambda: post(
            b'{"visit_url": "https://x.example/", "referrer_url": ""}'
        ),
        (400, "null"): lambda: visit(caller(), None),
        (400, "blank"): lambda: visit(caller(), ""),
        (400, "max_length"): lambda: register(caller(), firstname="a" * 101),
        (400, "min_value"): lambda: pay_with(0),
        (400, "max_value"): lambda: pay_with(2**63),
        (400, "email_taken"): lambda: register(caller(), email=client.email),
        (400, "idempotency_key_invalid"): lambda: with_key("1", "eve@example.org"),
        (400, "basket_empty"): lambda: convert(
            caller(client), empty.pk, payment_details_id=details.pk
        ),
        (401, "not_authenticated"): lambda: convert(caller(), order.pk),
        (401, "authentication_failed"): with_wrong_token,
        (403, "origin_not_registered"): lambda: visit(caller(origin="https://x.y")),
        (403, "origin_of_another_brand"): lambda: convert(
            caller(client, origin=OTHER), order.pk, payment_details_id=details.pk
        ),
        (404, "not_found"): lambda: caller().get("/api/unknown"),
        (405, "method_not_allowed"): lambda: caller().get("/api/clients/register"),
        (409, "already_registered"): complete_twice,
        (409, "request_in_progress"): while_answered,
        (411, "length_required"): lambda: post(b"{}", HTTP_TRANSFER_ENCODING="chunked"),
        (413, "body_too_large"): lambda: post(b" " * 65_537),
        (415, "unsupported_media_type"): lambda: post(b"{}", "text/plain"),
        (422, "idempotency_key_reused"): lambda: with_key(
            KEY, "eve@example.org", "mallory@example.org"
        ),
        (429, "throttled"): throttled,
        (500, "error"): lambda: with_database(
            RuntimeError("fault"), lambda: register(caller())
        ),
        (503, "unavailable"): lambda: with_database(
            OperationalError("gone"), lambda: register(caller())
        ),
    }


def test_documented_refusals_happen(provoke):
    documented = [(int(row["status"]), row["code"]) for row in ROW.finditer(PAGE)]

    assert documented == list(provoke)
    for expected, call in provoke.items():
        assert refusal(call())[:2] == expected
