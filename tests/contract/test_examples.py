"""Every operation is described in words of its own, with a request and an answer.

``RECORD_EXAMPLES=1`` writes the examples anew, as the service answers them.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from string import Template
from typing import Any

from django.db import transaction
from rest_framework.test import APIClient
from standardwebhooks import Webhook

from affiliates.api.http import guide
from affiliates.api.http.guide import introduction
from affiliates.core.secrets.keys import digest_of
from affiliates.referrals.models import OrderReferral
from portal import openapi
from portal.billing.webhooks import sign
from portal.clients.open_sessions import AuthToken
from tests.affiliates.api.http.test_schema import OURS
from tests.contract.fitting import REACHED_BY, fitting_body
from tests.contract.frontend import WEBHOOK_SECRET
from tests.contract.openapi import check_against, document, find_operation
from tests.contract.roles import ORIGIN, Role, make_callers
from tests.factories.area import AffiliateKeyFactory
from tests.factories.portal import ClientFactory, OrderFactory, OrderItemFactory
from tests.guard.markers import PREFIX

OWN = Path(guide.__file__).with_name("examples.json")
PORTAL = Path(openapi.__file__).parent / "api/examples.json"
# The first of them that an operation answers.
ASKED_BY = (
    Role.ANONYMOUS,
    Role.AFFILIATE,
    Role.CLIENT,
    Role.GUEST,
    Role.BILLER,
    Role.READER,
)
WEBHOOK = "/api/payments/webhook/{gateway}"
JSON = "application/json"
SHELL = re.compile(r"```sh\n(.*?)```", re.DOTALL)
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
WORDS = {"firstname": "Ada", "lastname": "Lovelace"}


def _operations() -> dict[str, dict[str, Any]]:
    return {
        operation["operationId"]: operation
        for operations in document()["paths"].values()
        for operation in operations.values()
    }


def _examples_of(operation: dict[str, Any]) -> dict[str, Any]:
    answers = [
        response
        for status, response in operation["responses"].items()
        if status.startswith("2")
    ]
    bodies = {"request": operation.get("requestBody"), "answer": answers[0]}
    return {
        name: body["content"][JSON]["example"]
        for name, body in bodies.items()
        if body is not None
    }


def test_every_operation_has_a_description_of_its_own():
    first_lines = [
        operation["description"].partition("\n")[0]
        for operation in _operations().values()
    ]

    assert len(set(first_lines)) == len(first_lines) == 72
    assert "viewset" not in " ".join(first_lines)


def test_every_operation_has_an_example_that_fits_its_description():
    for operation in _operations().values():
        for name, example in _examples_of(operation).items():
            body = operation["requestBody"] if name == "request" else None
            status = next(iter(operation["responses"]))
            described = body or operation["responses"][status]
            check_against(described["content"][JSON]["schema"], example)


def test_scopes_and_limits_are_those_of_the_settings():
    described = {
        name: operation["description"].split("\n\n")[1:]
        for name, operation in _operations().items()
    }

    limit = "Limit: 120 calls a minute from one network."
    assert described["list_commissions"] == ["A key needs the scope `money`.", limit]
    assert described["create_key"] == [
        "No key may do this: it takes the client's own token.",
        limit,
    ]
    assert described["submit_claim"] == [
        "A key needs the scope `claims`.",
        limit,
        "Limit: 20 calls a day of one client.",
    ]
    assert described["track_affiliate_link_visit"] == [
        "Limit: 600 calls a minute from one network."
    ]
    assert described["create_order"] == ["Limit: 240 calls a minute from one address."]


def test_operations_of_affiliates_come_first():
    assert [tag["name"] for tag in document()["tags"]] == [
        "Affiliate links",
        "Clients",
        "Orders",
        "Affiliates",
        "Operators",
        "Billing",
        "Basket",
    ]


def test_examples_are_what_the_service_answers(db, clock):
    callers = make_callers()
    asked = {
        find_operation(method, path)["operationId"]: _ask(method, path, callers)
        for method, path in REACHED_BY
    }
    if os.environ.get("RECORD_EXAMPLES"):
        _record(asked)

    recorded = {
        name: example
        for file in (OWN, PORTAL)
        for name, example in json.loads(file.read_text()).items()
    }
    assert {name: _shape(one) for name, one in recorded.items()} == {
        name: _shape(one) for name, one in asked.items()
    }


def _ask(method: str, path: str, callers: dict[Role, Any]) -> dict[str, Any]:
    """Returns body and answer of the operation. Writes nothing that stays."""
    role = next(role for role in ASKED_BY if role in REACHED_BY[method, path])
    ids = callers[role].ids_for(path)
    body = fitting_body(method, path, ids)
    sent = b"" if body is None else json.dumps(body).encode()
    headers = callers[role].headers
    if path == WEBHOOK:
        now = datetime.now(tz=UTC)
        headers |= sign(secret=WEBHOOK_SECRET, event_id="1", body=sent, now=now)
    with transaction.atomic():
        answer = APIClient().generic(
            method, path.format(**ids), sent, content_type=JSON, headers=headers
        )
        transaction.set_rollback(True)
    assert answer.status_code in {200, 201}, (method, path, answer.content)
    request = {} if body is None else {"request": body}
    return {**request, "answer": answer.json()}


def _shape(value: Any) -> Any:
    """Names and types; of a list those of its first row."""
    if isinstance(value, dict):
        return {name: _shape(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_shape(inner) for inner in value[:1]]
    return type(value).__name__


def _record(asked: dict[str, Any]) -> None:
    own_ids = {
        document()["paths"][path][method]["operationId"]
        for path, methods in OURS.items()
        for method in methods
    }
    for file, names in ((OWN, own_ids), (PORTAL, asked.keys() - own_ids)):
        lines = [
            f"{json.dumps(name)}: {_readable(json.dumps(_brief(asked[name])))}"
            for name in sorted(names)
        ]
        file.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _brief(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _brief(inner) for name, inner in value.items()}
    return [_brief(inner) for inner in value[:1]] if isinstance(value, list) else value


def _readable(text: str) -> str:
    """Writes words in place of the values that the guard of the tests looks for."""
    return re.sub(
        rf"{PREFIX}[a-z]+-([a-z]+)-\d+",
        lambda found: WORDS.get(found[1], found[1]),
        re.sub(
            r"whsec_[\w+/=]{20,}",
            "whsec_of-your-webhook",
            re.sub(r"correct[ -]horse[ -]battery", "four words of yours", text),
        ),
    )


def test_the_tasks_of_the_introduction_run_as_they_are_written(brand, link, affiliate):
    client = ClientFactory(brand=brand)
    order = OrderFactory(client=client)
    OrderItemFactory(order=order)
    AffiliateKeyFactory(
        affiliate=affiliate, digest=digest_of("afk_key"), scopes=["money"]
    )
    known = {"API": "", "SHOP": ORIGIN, "KEY": "afk_key", "ORDER": str(order.pk)}
    _, token = AuthToken.objects.create(client)

    statuses = []
    for line in _commands():
        answer = _run(line, known)
        statuses.append(answer.status_code)
        if answer["Content-Type"] == JSON:
            data = answer.json()["data"]
            known["COOKIE"] = data.get("referral_cookie", known.get("COOKIE", ""))
            # The basket is of another client than the one that has just registered.
            known["TOKEN"] = str(token)

    assert statuses == [200, 201, 200, 200, 200]
    assert OrderReferral.objects.get().affiliate == affiliate


def test_the_introduction_verifies_a_webhook():
    [code] = PYTHON.findall(introduction())
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - the documentation's own example
    body, now = b'{"type": "ping"}', datetime.now(tz=UTC)
    signature = Webhook(WEBHOOK_SECRET).sign("msg_1", now, body.decode())
    headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": f"v1,AAAA {signature}",
    }

    assert names["is_genuine"](WEBHOOK_SECRET, headers, body)
    assert not names["is_genuine"](WEBHOOK_SECRET, headers, body + b" ")


def _commands() -> list[str]:
    blocks = "".join(SHELL.findall(introduction())).replace("\\\n", " ")
    return [f"curl {command}" for command in blocks.split("curl ")[1:]]


def _run(command: str, known: dict[str, str]) -> Any:
    """Sends what curl would send."""
    _, *words = shlex.split(Template(command).substitute(known))
    headers, method, body, url = {}, "GET", "", ""
    while words:
        word = words.pop(0)
        if word == "-H":
            name, _, value = words.pop(0).partition(": ")
            headers[name] = value
        elif word == "-d":
            method, body = "POST" if method == "GET" else method, words.pop(0)
        elif word == "-X":
            method = words.pop(0)
        else:
            url = word
    content_type = headers.pop("Content-Type", JSON)
    return APIClient().generic(
        method, url, body, content_type=content_type, headers=headers
    )
