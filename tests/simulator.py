"""The simulated affiliate network, a program of its own, and somebody who calls it."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode, urlsplit

from benchmarks.running import simulator
from portal.demo.network.server import Simulator

VISITOR = "0f3c9a7be2d14c55a1b2c3d4e5f60718"
OTHER_VISITOR = "1" * 32
FORM = "application/x-www-form-urlencoded"
VECTOR = (
    "/scripts/track.php?visitorId=0f3c9a7be2d14c55a1b2c3d4e5f60718&accountId=default1"
    "&url=S_shop.example%2Fplans&referrer=S_blog.example%2Fpost%3Fx%3D1&tracking=1"
    "&getParams=%3Fa_aid%3Dtestaff%26a_bid%3D11110001%26chan%3Dcode2"
    "%26data1%3Da%2Bb%2526c&anchor=&isInIframe=false&cookies=&ip=203.0.113.7"
    "&useragent=Mozilla%2F5.0+%28X11%29"
)


@contextmanager
def trusted_simulator(settings: Any) -> Iterator[Simulator]:
    """One that integrations may send to, though it listens on loopback."""
    with Simulator() as simulator:
        place = urlsplit(simulator.address).netloc
        settings.AFFILIATES_TRACKING_ALLOWED_HOSTS = [place]
        yield simulator


@dataclass(frozen=True)
class Elsewhere:
    """A simulator in a process of its own."""

    address: str


@contextmanager
def trusted_elsewhere(settings: Any) -> Iterator[Elsewhere]:
    with simulator() as address:
        settings.AFFILIATES_TRACKING_ALLOWED_HOSTS = [urlsplit(address).netloc]
        yield Elsewhere(address)


@dataclass(frozen=True)
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    def json(self) -> Any:
        return json.loads(self.body)


class Caller:
    """Somebody who calls the simulator over a socket, without keeping cookies."""

    def __init__(self, simulator: Simulator | Elsewhere) -> None:
        self.simulator = simulator

    def call(
        self,
        method: str,
        target: str,
        *,
        body: str | None = None,
        headers: dict[str, str] | None = None,
        timeout: float = 10,
    ) -> Reply:
        place = urlsplit(self.simulator.address).netloc
        connection = http.client.HTTPConnection(place, timeout=timeout)
        try:
            connection.request(method, target, body=body, headers=headers or {})
            answer = connection.getresponse()
            return Reply(answer.status, dict(answer.getheaders()), answer.read())
        finally:
            connection.close()

    def track(
        self,
        *,
        sale: object = None,
        headers: dict[str, str] | None = None,
        **parameters: str,
    ) -> Reply:
        parameters = {"visitorId": VISITOR, "ip": "203.0.113.7", **parameters}
        body = None
        if sale is not None:
            text = sale if isinstance(sale, str) else json.dumps(sale)
            body = urlencode({"sale": text})
            headers = {"Content-Type": FORM, **(headers or {})}
        target = f"/scripts/track.php?{urlencode(parameters)}"
        return self.call("POST", target, body=body, headers=headers)

    def click(self, affiliate: str = "testaff", **parameters: str) -> Reply:
        return self.track(getParams=f"?a_aid={affiliate}", **parameters)

    def sell(self, order: str = "INV-1", **more: str) -> Reply:
        visitor = more.pop("visitorId", VISITOR)
        sale = {"t": "10.00", "o": order, "cr": "EUR", **more}
        return self.track(sale=[sale], visitorId=visitor)

    def rpc(self, request: dict[str, Any]) -> Any:
        reply = self.call(
            "POST",
            "/scripts/server.php",
            body=urlencode({"D": json.dumps(request)}),
            headers={"Content-Type": FORM},
        )
        assert reply.status == 200
        return reply.json()

    def log_in(self, *, password: str = "demo", service: str = "Pap") -> Any:  # noqa: S107 - the vendor's own example
        rows = [
            ["name", "value", "values", "error"],
            ["username", "merchant@example.com", None, ""],
            ["password", password, None, ""],
            ["roleType", "M", None, ""],
            ["isFromApi", "Y", None, ""],
            ["apiVersion", "", None, ""],
        ]
        name = f"{service}_Api_AuthService"
        return self.rpc({"C": name, "M": "authenticate", "fields": rows})

    def session(self) -> str:
        fields = {row[0]: row[1] for row in self.log_in()["fields"]}
        session: str = fields["S"]
        return session

    def run(self, *requests: dict[str, Any], session: str | None = None) -> Any:
        session = self.session() if session is None else session
        batch = {"C": "Gpf_Rpc_Server", "M": "run", "requests": list(requests)}
        return self.rpc({**batch, "S": session})

    def control(self, name: str, **values: Any) -> Reply:
        return self.call("POST", f"/__sim/{name}", body=json.dumps(values))

    def shown(self, name: str) -> Any:
        return self.call("GET", f"/__sim/{name}").json()


def credited(simulator: Simulator) -> list[tuple[str, str]]:
    return [(one.orderid, one.refid) for one in simulator.state.transactions]
