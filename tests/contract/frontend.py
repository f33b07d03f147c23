"""A client area that does what the specification asks of one, and the bank behind it."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

from portal.billing.webhooks import sign
from tests.contract.openapi import ConformingClient
from tests.guard.markers import marker

BROWSER = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    f"Chrome/140.0.0.0 Safari/537.36 {marker('visitor', 'agent')}"
)
GATEWAY = "acme"
WEBHOOK_SECRET = "whsec_" + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo="
PERSON = {
    "email": "ada@example.org",
    "firstname": marker("client", "firstname"),
    "lastname": marker("client", "lastname"),
    "password": "correct horse battery",
}


class Frontend:
    """One visitor's browser in the client area: it holds a cookie and a token."""

    def __init__(self, *, origin: str) -> None:
        self.api = ConformingClient(HTTP_ORIGIN=origin)
        self.cookie: str | None = None
        self.max_age: int | None = None
        self.client_id = ""

    def visit(self, url: str, **fields: Any) -> dict[str, Any]:
        """Steps 2 to 4 of the client-side flow: the answer's ``data``."""
        body = {"visit_url": url, "referrer_url": "", "user_agent": BROWSER}
        if self.cookie is not None:
            body["referral_cookie"] = self.cookie
        response = self.api.post(
            "/api/affiliate_link/visit", {**body, **fields}, format="json"
        )
        assert response.status_code == 200, response.content
        data: dict[str, Any] = response.json()["data"]
        self.cookie = data.get("referral_cookie")
        self.max_age = data.get("referral_cookie_max_age")
        return data

    def register(self, path: str = "/api/clients/register", **fields: Any) -> Any:
        """Step 5: the cookie goes along when there is one."""
        body = {**PERSON, "user_agent": BROWSER, **self._referral(), **fields}
        return self._sign_in(self.api.post(path, body, format="json"))

    def become_guest(self, **fields: Any) -> Any:
        body = {"user_agent": BROWSER, **self._referral(), **fields}
        path = "/api/clients/register/guest"
        return self._sign_in(self.api.post(path, body, format="json"))

    def complete_registration(self, **fields: Any) -> Any:
        path = f"/api/clients/{self.client_id}/complete_registration"
        return self.register(path, **fields)

    def fill_basket(self, product_id: int) -> tuple[str, int]:
        """A basket with one product, and payment details to convert it with."""
        order = self._post("/api/orders", {})
        self._post(f"/api/orders/{order['id']}/items", {"product_id": product_id})
        details = self._post("/api/payment_details", {"gateway": GATEWAY})
        return order["id"], details["id"]

    def convert(self, order_id: str, payment_details_id: int, **fields: Any) -> Any:
        """Step 6: the cookie goes along again."""
        body = {
            "payment_details_id": payment_details_id,
            **self._referral(),
            **fields,
        }
        return self.api.patch(f"/api/orders/{order_id}/convert", body, format="json")

    def buy(self, product_id: int) -> dict[str, Any]:
        """The initial invoice of a new basket."""
        response = self.convert(*self.fill_basket(product_id))
        assert response.status_code == 200, response.content
        invoice: dict[str, Any] = response.json()["data"]
        return invoice

    def pay(self, invoice: dict[str, Any]) -> None:
        """The gateway reports that the invoice is paid."""
        notice = {
            "type": "payment.succeeded",
            "data": {
                "invoice_id": invoice["id"],
                "reference": "payment-1",
                **invoice["total"],
            },
        }
        body = json.dumps(notice).encode()
        headers = sign(
            secret=WEBHOOK_SECRET,
            event_id="event-1",
            body=body,
            now=datetime.now(tz=UTC),
        )
        response = self.api.generic(
            "POST",
            f"/api/payments/webhook/{GATEWAY}",
            body,
            content_type="application/json",
            headers=headers,
        )
        assert response.status_code == 200, response.content

    def _referral(self) -> dict[str, str]:
        return {} if self.cookie is None else {"referral_cookie": self.cookie}

    def _post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        response = self.api.post(path, body, format="json")
        assert response.status_code == 201, response.content
        data: dict[str, Any] = response.json()["data"]
        return data

    def _sign_in(self, response: Any) -> Any:
        if response.status_code in {200, 201}:
            data = response.json()["data"]
            self.client_id = data["id"]
            self.api.credentials(HTTP_AUTHORIZATION=f"Bearer {data['token']}")
        return response


def cookie_octets(value: str) -> bool:
    """Whether browsers store the value as it is, without any encoding (RFC 6265)."""
    return re.fullmatch(r"[!#-+\--:<-\[\]-~]{1,4000}", value) is not None
