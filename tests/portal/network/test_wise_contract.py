"""The tests that any payout provider can run, for Wise's."""

from __future__ import annotations

import time

import pytest

from affiliates.contrib.wise.sender import WiseTransfers
from affiliates.outbox.http.types import Call, Response
from affiliates.outbox.protocol import ProviderSettings
from affiliates.payouts.providers.protocol import Transfer
from affiliates.testing import SenderTests
from portal.demo.network import wise
from portal.demo.network.records import LoggedRequest
from portal.demo.network.state import State

ADDRESS = "https://api.wise.example"
DETAILS = {"EUR": {"iban": "DE02120300000000202051"}}
DETAILS["GBP"] = {"sort_code": "231470", "account_number": "28821822"}


class TestWise(SenderTests):
    sender = WiseTransfers()
    settings = ProviderSettings(
        address=ADDRESS,
        parameters=(),
        values={"profile": "7"},
        secrets={"token": "s3cret"},
    )
    transfers = tuple(
        Transfer(
            reference=f"PAYOUT-{number}",
            amount=1_000 + number,
            currency="EUR",
            details={
                "payout_currency": currency,
                "account_holder": "Ann Johnson",
                "holder_type": "PRIVATE",
                **DETAILS[currency],
            },
            text="Affiliate payout",
        )
        for number, currency in enumerate(("EUR", "GBP", "EUR"))
    )

    def begin(self) -> None:
        self.state = State()

    def answer(self, call: Call) -> Response:
        request = LoggedRequest(
            method=call.method,
            target=call.url.removeprefix(ADDRESS),
            headers=call.headers,
            body=call.body,
            peer="",
            at=time.time(),
        )
        answer = wise.answer(self.state, request)
        return Response(status=answer.status, headers={}, body=answer.body)

    def taken(self) -> int:
        assert len(self.state.wise.transfers) in (0, len(self.transfers))
        return sum(bool(group.transfers) for group in self.state.wise.groups.values())


class TestWiseFunded(TestWise):
    settings = ProviderSettings(
        address=ADDRESS,
        parameters=(),
        values={"profile": "7", "funds": True},
        secrets={"token": "s3cret"},
    )


class TestWiseOfThatDay(TestWise):
    """Transfers are listed by pages, since they are made on the day of the batch."""

    @pytest.fixture(autouse=True)
    def _today(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(
            "portal.demo.network.state.time.time", lambda: 1_772_366_400
        )
