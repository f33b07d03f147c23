"""The tests that any payout provider can run, against its simulator without a socket."""

from __future__ import annotations

import time
from types import ModuleType
from typing import ClassVar
from urllib.parse import urlsplit

from affiliates.outbox.http.types import Call, Response
from affiliates.testing import SenderTests
from portal.demo.network.records import LoggedRequest
from portal.demo.network.state import State


class SimulatedTests(SenderTests):
    """``simulator`` is the module that answers for the provider."""

    simulator: ClassVar[ModuleType]

    def begin(self) -> None:
        self.state = State()

    def answer(self, call: Call) -> Response:
        address = self.settings.address
        request = LoggedRequest(
            method=call.method,
            target=call.url.removeprefix(address),
            headers=(*call.headers, ("Host", urlsplit(address).netloc)),
            body=call.body,
            peer="",
            at=time.time(),
        )
        answer = self.simulator.answer(self.state, request)
        return Response(status=answer.status, headers={}, body=answer.body)
