"""The tests that any payout provider can run, for Wise's."""

from __future__ import annotations

from random import Random

import pytest

from affiliates.contrib.wise.items import transfer_number
from affiliates.contrib.wise.sender import WiseTransfers
from affiliates.outbox.http.types import Response
from affiliates.outbox.protocol import ProviderSettings
from affiliates.payouts.providers.protocol import Transfer
from affiliates.payouts.providers.sender import BatchAnswer, ItemState
from portal.demo.network import wise
from tests.lengths import times
from tests.portal.network.simulated import SimulatedTests

ADDRESS = "https://api.wise.example"
DETAILS = {"EUR": {"iban": "DE02120300000000202051"}}
DETAILS["GBP"] = {"sort_code": "231470", "account_number": "28821822"}


class TestWise(SimulatedTests):
    simulator = wise
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

    def taken(self) -> int:
        assert len(self.state.wise.transfers) in (0, len(self.transfers))
        return sum(bool(group.transfers) for group in self.state.wise.groups.values())

    @pytest.mark.parametrize("seed", times(range(30), long=range(2_000)))
    def test_two_processes_at_once_add_each_payout_once(self, seed: int) -> None:
        """One of them is refused some recipients: what the other adds has not failed."""
        random = Random(seed)  # noqa: S311 - it is no secret
        known = self._batch(self._send().remote_id)
        runs = [self.sender.look_up(known, self.settings) for _ in range(2)]
        calls = [next(run) for run in runs]
        answers: dict[int, BatchAnswer] = {}
        while len(answers) < len(runs):
            at = random.choice([at for at in range(len(runs)) if at not in answers])
            response = self.answer(calls[at])
            if (
                at == 0
                and calls[at].url.endswith("/accounts")
                and random.random() < 0.5
            ):
                response = Response(status=422, headers={}, body=b"{}")
            try:
                calls[at] = runs[at].send(response)
            except StopIteration as end:
                answers[at] = end.value

        made = [*self.state.wise.transfers]
        numbers = {transfer_number(known.reference, one) for one in self.transfers}
        assert (len(made), {*made} <= numbers) == (len({*made}), True)
        failed = {
            transfer_number(known.reference, one)
            for answer in [*answers.values(), self._look_up(known.remote_id)]
            for item in answer.items
            if item.state is ItemState.FAILED
            for one in self.transfers
            if one.reference == item.reference
        }
        assert failed.isdisjoint(made)
        [group] = self.state.wise.groups.values()
        assert len(group.transfers) == len(made)


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
