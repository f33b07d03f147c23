"""People who visit and buy over HTTP, all the time, and what they were answered."""

from __future__ import annotations

import http.client
import itertools
import json
import threading
from collections import Counter
from contextlib import closing
from datetime import UTC, datetime
from typing import Any, Self
from urllib.parse import urlsplit

from portal.billing.webhooks import sign
from tests.lengths import IS_LONG

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
# Enough to overlap with everything, and little enough to leave others the machine.
VISITORS, BUYERS = 2, 3
# Briefly run, they leave the machine to the migration: it is what takes the time.
PAUSE_SECONDS = 0.02 if IS_LONG else 0.2
ANSWER_SECONDS = 60


class Shoppers:
    """``answers`` counts what came back by path and status; "broken" is no answer."""

    def __init__(self, demo: dict[str, Any], *, ports: list[int], secret: str) -> None:
        self.answers: Counter[tuple[str, int | str]] = Counter()
        self.paid = 0
        self._demo, self._secret = demo, secret
        self._ports = itertools.cycle(ports)
        self._numbers = itertools.count()
        self._lock = threading.Lock()
        self._end = threading.Event()
        self._threads = [
            *(threading.Thread(target=self._visit_again) for _ in range(VISITORS)),
            *(threading.Thread(target=self._buy_again) for _ in range(BUYERS)),
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()

    def ask(self, ports: list[int]) -> None:
        """From now on these."""
        with self._lock:
            self._ports = itertools.cycle(ports)

    def _visit_again(self) -> None:
        while not self._end.wait(PAUSE_SECONDS):
            self._visit()

    def _buy_again(self) -> None:
        while not self._end.wait(PAUSE_SECONDS):
            self._buy()

    def _visit(self) -> str | None:
        body = {
            "visit_url": self._demo["link_url"],
            "referrer_url": "https://blog.example.org/",
            "user_agent": BROWSER,
        }
        visit = self._send("POST", "/api/affiliate_link/visit", body)
        return visit["referral_cookie"] if visit else None

    def _buy(self) -> None:
        """One guest's way; it ends where an answer is a refusal."""
        cookie = self._visit()
        guest = cookie and self._send(
            "POST", "/api/clients/register/guest", {"referral_cookie": cookie}
        )
        if not guest:
            return
        as_guest = {"Authorization": f"Bearer {guest['token']}"}
        details = self._send("POST", "/api/payment_details", {}, as_guest)
        order = self._send("POST", "/api/orders", {}, as_guest)
        path = order and f"/api/orders/{order['id']}"
        item = {"product_id": self._demo["product_id"], "quantity": 1}
        if not (details and path and self._send("POST", f"{path}/items", item, as_guest)):
            return
        choice = {"payment_details_id": details["id"], "referral_cookie": cookie}
        invoice = self._send("PATCH", f"{path}/convert", choice, as_guest)
        if invoice and self._pay(invoice):
            with self._lock:
                self.paid += 1

    def _pay(self, invoice: dict[str, Any]) -> bool:
        number = next(self._numbers)
        data = {
            # The release before answers "invoice_id".
            "invoice_id": invoice.get("id") or invoice["invoice_id"],
            "reference": f"bank-{number}",
            "amount": invoice["total"]["amount"],
            "currency": invoice["total"]["currency"],
        }
        event = {"type": "payment.succeeded", "data": data}
        headers = sign(
            secret=self._secret,
            event_id=f"event-{number}",
            body=json.dumps(event).encode(),
            now=datetime.now(UTC),
        )
        return self._send("POST", "/api/payments/webhook/demo", event, headers) is not None

    def _send(
        self, method: str, path: str, body: Any, headers: dict[str, str] | None = None
    ) -> dict[str, Any] | None:
        """What is under ``data`` of a success."""
        with self._lock:
            port = next(self._ports)
        origin = {"Origin": self._demo["origin"], "Content-Type": "application/json"}
        api = urlsplit(self._demo["api_base"])
        caller = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)
        status: int | str = "broken"
        content = b""
        with closing(caller):
            try:
                caller.request(
                    method,
                    path,
                    json.dumps(body),
                    {"Host": f"{api.hostname}:{port}", **origin, **(headers or {})},
                )
                answer = caller.getresponse()
                content, status = answer.read(), answer.status
            except (OSError, http.client.HTTPException):
                pass
        with self._lock:
            self.answers[_kind(path), status] += 1
        if status not in (200, 201):
            return None
        data: dict[str, Any] = json.loads(content).get("data", {})
        return data


def _kind(path: str) -> str:
    return "/".join("<id>" if len(part) > 30 else part for part in path.split("/"))
