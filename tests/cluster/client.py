"""A client area before the cluster: it visits, registers, buys and pays by HTTP."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, NamedTuple, Self
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


class Answer(NamedTuple):
    """Status 0: none came. ``data`` is that or the refusal."""

    status: int
    data: Any = None
    visit_id: str = ""


class Shop:
    """One visitor's browser, by nginx; or by the nodes in turn, for a named address."""

    def __init__(
        self, cluster: Cluster, *, address: str = "", page: str = "link_url"
    ) -> None:
        """``page`` is that of the demonstration on which visitors arrive."""
        self._demo = json.loads(cluster.seeded)
        self._secret = cluster.environment()["PAYMENT_WEBHOOK_SECRET_DEMO"]
        places = cluster.places
        self.page = page
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

    @property
    def has_cookie(self) -> bool:
        return bool(self._cookie)

    def forget_cookie(self) -> None:
        self._cookie = {}

    def visit(self, mark: str = "") -> None:
        status = self.try_visit(mark)
        assert status == 200, status

    def try_visit(self, mark: str = "") -> int:
        """The status; 0 without an answer. ``mark`` is stored with the click."""
        return self.send_visit(mark).status

    def is_stored(self, mark: str = "") -> bool:
        """Whether a visit is answered, and need not be sent again."""
        answer = self.send_visit(mark)
        return answer.status == 200 and not answer.visit_id

    def send_visit(self, mark: str = "", visit_id: str = "") -> Answer:
        """``visit_id`` is that of the visit's first answer, if it could not be stored."""
        page = self._demo[self.page]
        body = {
            "visit_url": f"{page}{'&' if '?' in page else '?'}mark={mark}",
            "referrer_url": "",
            "user_agent": BROWSER,
        }
        repeated = {"Visit-Id": visit_id} if visit_id else {}
        try:
            answer = self._ask("POST", "/api/affiliate_link/visit", body, **repeated)
        except UNANSWERED:
            return Answer(0)
        if answer.status == 200 and "referral_cookie" in answer.data:
            self._cookie = {"referral_cookie": answer.data["referral_cookie"]}
        return answer

    def try_login(self, number: int) -> int:
        body = {"email": f"nobody{number}@example.org", "password": PASSWORD}
        return self._ask("POST", "/api/clients/login", body).status

    def buy(self, email: str) -> dict[str, Any]:
        """The initial invoice of a new client whom the demonstration's link brought."""
        self.visit()
        return self.order(email)

    def order(self, email: str) -> dict[str, Any]:
        """The initial invoice of a new client with the cookie of the last visit."""
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
        event_id = str(uuid4())
        for _ in range(2):
            status, data, _ = self.send_payment(invoice, event_id)
            assert status == 200, data

    def send_payment(self, invoice: dict[str, Any], event_id: str) -> Answer:
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
        signed = sign(secret=self._secret, event_id=event_id, body=body, now=now)
        try:
            return self._send("POST", "/api/payments/webhook/demo", body, **signed)
        except UNANSWERED:
            return Answer(0)

    def await_minute(self) -> None:
        """Until a whole window of the limits is ahead."""
        if time.time() % 60 > 40:
            time.sleep(61 - time.time() % 60)

    def _data(self, method: str, path: str, body: Any, **headers: str) -> Any:
        answer = self._ask(method, path, body, **headers)
        assert answer.status in (200, 201), (path, answer)
        return answer.data

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
        received = {name.lower(): value.decode() for name, value in response.headers}
        visit_id = received.get(b"visit-id", "")
        if not response.content.startswith(b"{"):
            return Answer(response.status, None, visit_id)
        answer = json.loads(response.content)
        return Answer(response.status, answer.get("data", answer), visit_id)
