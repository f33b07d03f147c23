"""How the tests of the interface speak to it, and what they look at afterwards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.guard.markers import marker

VISIT = "/api/affiliate_link/visit"
REGISTER = "/api/clients/register"
GUEST = "/api/clients/register/guest"

SHOP = "https://shop.example.com"
BROWSER = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    f"Chrome/140.0.0.0 Safari/537.36 {marker('visitor', 'agent')}"
)
REFERRER = f"https://blog.example.org/{marker('visitor', 'referrer')}"
CRAWLER = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
# That of the bare host's clients: it lets them in by their password.
PASSWORD = "correct horse battery"


def complete_url(client_id: object) -> str:
    return f"/api/clients/{client_id}/complete_registration"


def convert_url(order_id: object) -> str:
    return f"/api/orders/{order_id}/convert"


def visit_body(visit_url: Any = f"{SHOP}/", **fields: Any) -> dict[str, Any]:
    return {
        "visit_url": visit_url,
        "referrer_url": REFERRER,
        "user_agent": BROWSER,
        **fields,
    }


def registration_body(**fields: Any) -> dict[str, Any]:
    return {
        "email": "ada@example.org",
        "firstname": marker("client", "firstname"),
        "lastname": "Lovelace",
        "password": PASSWORD,
        "user_agent": BROWSER,
        **fields,
    }


def visit(
    api: Any,
    visit_url: Any = f"{SHOP}/",
    *,
    headers: Mapping[str, str] | None = None,
    **fields: Any,
) -> Any:
    body = visit_body(visit_url, **fields)
    return api.post(VISIT, body, format="json", headers=headers)


def visited(api: Any, visit_url: str, **fields: Any) -> dict[str, Any]:
    """What a visit that must succeed answers."""
    response = visit(api, visit_url, **fields)
    assert response.status_code == 200, response.content
    data: dict[str, Any] = response.json()["data"]
    return data


def register(api: Any, **fields: Any) -> Any:
    return api.post(REGISTER, registration_body(**fields), format="json")


def register_guest(api: Any, **fields: Any) -> Any:
    return api.post(GUEST, {"user_agent": BROWSER, **fields}, format="json")


def complete(api: Any, client_id: object, **fields: Any) -> Any:
    body = registration_body(**fields)
    return api.post(complete_url(client_id), body, format="json")


def convert(api: Any, order_id: object, **fields: Any) -> Any:
    return api.patch(convert_url(order_id), fields, format="json")


def refusal(response: Any) -> tuple[int, str, str | None]:
    """Status, code and field of a refusal that has the one shape of all refusals."""
    assert response["Content-Type"] == "application/json"
    body = response.json()
    assert set(body) == {"type", "errors"}
    [error] = body["errors"]
    assert set(error) == {"code", "detail", "attr"}
    assert isinstance(error["detail"], str)
    assert error["detail"]
    return response.status_code, error["code"], error["attr"]
