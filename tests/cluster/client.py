"""A client area before the cluster: it visits, registers, buys and pays by HTTP."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self
from uuid import uuid4

import httpcore

from benchmarks.running import HOST
from portal.billing.webhooks import sign
from tests.cluster.topology import Cluster
from tests.deploy.conftest import DOMAIN, TLS

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
PASSWORD = "correct horse battery"
TIMEOUT_SECONDS = 10
UNANSWERED = (
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.TimeoutException,
)
# Status, and the data or the refusal.
Answer = tuple[int, Any]


class Shop:
    """One visitor's browser, by nginx; or by the nodes in turn, for a named address."""

    def __init__(self, cluster: Cluster, *, address: str = "") -> None:
        self._demo = json.loads(cluster.seeded)
        self._secret = cluster.environment()["PAYMENT_WEBHOOK_SECRET_DEMO"]
        places = cluster.places
        self._headers = {"Host": DOMAIN, "Origin": self._demo["origin"]}
        self._urls = [f"https://{HOST}:{places.https}"]
        if address:
            self._headers |= {"X-Forwarded-For": address, "X-Forwarded-Proto": "https"}
            self._urls = [f"http://{HOST}:{port}" for port in places.web.values()]
        self._pool = httpcore.ConnectionPool(ssl_context=TLS)
        self._cookie: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pool.close()

    def visit(self, mark: str = "") -> None:
        status = self.try_visit(mark)
        assert status == 200, status

    def try_visit(self, mark: str = "") -> int:
        """The status; 0 without an answer. ``mark`` is stored with the click."""
        body = {
            "visit_url": f"{self._demo['link_url']}?mark={mark}",
            "referrer_url": "",
            "user_agent": BROWSER,
        }
        try:
            status, data = self._ask("POST", "/api/affiliate_link/visit", body)
        except UNANSWERED:
            return 0
        if status == 200:
            self._cookie = {"referral_cookie": data["referral_cookie"]}
        return status

    def try_login(self, number: int) -> int:
        body = {"email": f"nobody{number}@example.org", "password": PASSWORD}
        return self._ask("POST", "/api/clients/login", body)[0]

    def buy(self, email: str) -> dict[str, Any]:
        """The initial invoice of a new client whom the demonstration's link brought."""
        self.visit()
        person = {
            "email": email,
            "firstname": "Ada",
            "lastname": "Lovelace",
            "password": PASSWORD,
            "user_agent": BROWSER,
            **self._cookie,
        }
        token = self._data("POST", "/api/clients/register", person)["token"]
        named = {"Authorization": f"Bearer {token}"}
        order = self._data("POST", "/api/orders", {}, **named)["id"]
        item = {"product_id": self._demo["product_id"]}
        self._data("POST", f"/api/orders/{order}/items", item, **named)
        details = self._data(
            "POST", "/api/payment_details", {"gateway": "demo"}, **named
        )
        convert = {"payment_details_id": details["id"], **self._cookie}
        return self._data("PATCH", f"/api/orders/{order}/convert", convert, **named)

    def pay(self, invoice: dict[str, Any]) -> None:
        """As the gateway does; repeated, since it may send an event twice."""
        notice = {
            "type": "payment.succeeded",
            "data": {
                "invoice_id": invoice["id"],
                "reference": f"payment-{invoice['id']}",
                **invoice["total"],
            },
        }
        body = json.dumps(notice).encode()
        now = datetime.now(tz=UTC)
        signed = sign(secret=self._secret, event_id=str(uuid4()), body=body, now=now)
        for _ in range(2):
            status, data = self._send(
                "POST", "/api/payments/webhook/demo", body, **signed
            )
            assert status == 200, data

    def await_minute(self) -> None:
        """Until a whole window of the limits is ahead."""
        if time.time() % 60 > 40:
            time.sleep(61 - time.time() % 60)

    def _data(self, method: str, path: str, body: Any, **headers: str) -> Any:
        status, data = self._ask(method, path, body, **headers)
        assert status in (200, 201), (path, status, data)
        return data

    def _ask(self, method: str, path: str, body: Any, **headers: str) -> Answer:
        return self._send(method, path, json.dumps(body).encode(), **headers)

    def _send(self, method: str, path: str, body: bytes, **headers: str) -> Answer:
        self._urls.append(self._urls.pop(0))
        response = self._pool.request(
            method,
            self._urls[0] + path,
            headers={
                **self._headers,
                **headers,
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
            },
            content=body,
            extensions={
                "sni_hostname": DOMAIN,
                "timeout": dict.fromkeys(("connect", "read", "write"), TIMEOUT_SECONDS),
            },
        )
        if not response.headers or not response.content.startswith(b"{"):
            return response.status, None
        answer = json.loads(response.content)
        return response.status, answer.get("data", answer)
