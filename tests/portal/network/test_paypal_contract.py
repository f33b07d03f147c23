"""The tests that any payout provider can run, for PayPal's."""

from __future__ import annotations

import time
from urllib.parse import urlsplit

from affiliates.contrib.paypal.sender import PayPalPayouts
from affiliates.outbox.http.types import Call, Response
from affiliates.outbox.protocol import ProviderSettings
from affiliates.payouts.providers.protocol import Transfer
from affiliates.testing import SenderTests
from portal.demo.network import paypal
from portal.demo.network.records import LoggedRequest
from portal.demo.network.state import State

ADDRESS = "https://api-m.paypal.example"


class TestPayPal(SenderTests):
    sender = PayPalPayouts()
    settings = ProviderSettings(
        address=ADDRESS,
        parameters=(),
        values={"client_id": "demo"},
        secrets={"client_secret": "s3cret"},
    )
    transfers = tuple(
        Transfer(
            reference=f"PAYOUT-{number}",
            amount=1_000 + number,
            currency="EUR",
            details={"email": f"partner{number}@example.org"},
            text="Affiliate payout",
        )
        for number in range(30)
    )

    def begin(self) -> None:
        self.state = State()

    def answer(self, call: Call) -> Response:
        request = LoggedRequest(
            method=call.method,
            target=call.url.removeprefix(ADDRESS),
            headers=(*call.headers, ("Host", urlsplit(ADDRESS).netloc)),
            body=call.body,
            peer="",
            at=time.time(),
        )
        answer = paypal.answer(self.state, request)
        return Response(status=answer.status, headers={}, body=answer.body)

    def taken(self) -> int:
        return len(self.state.paypal.batches)
