"""What the portal answers to the preflights that browsers send."""

from __future__ import annotations

import re

import pytest

from tests.cases import each
from tests.contract.openapi import ConformingClient
from tests.contract.test_openapi import OPERATIONS
from tests.database import nothing_written

SHOP = "https://shop.example.com"


def preflight(path, method, origin):
    return ConformingClient().options(
        re.sub(r"\{\w+\}", "1", path),
        headers={
            "origin": origin,
            "access-control-request-method": method,
            "access-control-request-headers": "authorization,content-type,idempotency-key",
        },
    )


def cors_headers(answer):
    return {
        name.lower(): value
        for name, value in answer.headers.items()
        if name.lower().startswith("access-control-")
    }


@each(("method", "path"), sorted(OPERATIONS))
def test_client_area_may_call_every_operation(brand, method, path):
    with nothing_written():
        answer = preflight(path, method, SHOP)

    assert (answer.status_code, answer.content) == (200, b"")
    assert cors_headers(answer) == {
        "access-control-allow-origin": SHOP,
        "access-control-allow-methods": "GET, POST, PATCH, PUT, DELETE, OPTIONS",
        "access-control-allow-headers": "authorization, content-type, "
        "idempotency-key, visit-id",
        "access-control-max-age": "7200",
    }
    assert answer["Vary"].lower() == "origin"


@each(("method", "path"), sorted(OPERATIONS))
@each("origin", ["https://evil.example", "null", f"{SHOP}.evil.example"])
def test_nobody_else_may(brand, method, path, origin):
    answer = preflight(path, method, origin)

    assert cors_headers(answer) == {}
    assert answer["Vary"].lower() == "origin"


@pytest.mark.parametrize("path", ["/admin/login/", "/", "/plans", "/static/x.js"])
def test_pages_are_not_for_other_origins(brand, path):
    answer = ConformingClient(HTTP_HOST="api.localhost").options(
        path, headers={"origin": SHOP, "access-control-request-method": "GET"}
    )

    assert cors_headers(answer) == {}
