"""The adapter and the simulated install understand each other, over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal

import pytest

from affiliates.outbox.http.client import Transport
from affiliates.outbox.http.types import CallFailed
from affiliates.outbox.protocol import ProviderSettings
from affiliates.outbox.types import CallOutcome, Facts, OutcomeKind, ReversalKind
from portal.demo.network.options import Options
from portal.demo.network.server import Simulator
from tests.affiliates.tracking.providers.pap_world import (
    ADAPTER,
    LOOKUP,
    PROBE,
    VISITOR,
    merchant_settings,
    refund,
    sale,
    visit,
)

OTHER_VISITOR = "1" * 32


class Install:
    """The simulator, and the adapter with its login, over one transport."""

    def __init__(self, simulator: Simulator, transport: Transport) -> None:
        self.simulator = simulator
        self.transport = transport

    def settings(self, **values: str | bool) -> ProviderSettings:
        options = self.simulator.settings
        return replace(
            merchant_settings(**values),
            address=self.simulator.address,
            values={**merchant_settings(**values).values, "username": options.username},
            secrets={"password": options.password},
        )

    def do(
        self,
        facts: Facts,
        visitor_id: str = VISITOR,
        **values: str | bool,
    ) -> CallOutcome:
        run = ADAPTER.run(facts, visitor_id, self.settings(**values))
        try:
            call = next(run)
            while True:
                try:
                    response = self.transport.send(call)
                except CallFailed as failure:
                    call = run.throw(failure)
                else:
                    call = run.send(response)
        except StopIteration as end:
            outcome: CallOutcome = end.value
            return outcome

    def booked(self) -> list[tuple[str, str, str, Decimal]]:
        return [
            (one.type, one.status, one.refid, one.totalcost)
            for one in self.simulator.state.transactions
        ]


@pytest.fixture
def install() -> Iterator[Install]:
    simulator = Simulator(options=Options())
    simulator.start()
    host = simulator.address.removeprefix("http://")
    try:
        with Transport(allowed_hosts=[host]) as transport:
            yield Install(simulator, transport)
    finally:
        simulator.stop()


def test_click_then_sale_credit_the_affiliate(install: Install):
    install.do(visit())

    outcome = install.do(sale())

    assert outcome.kind is OutcomeKind.OK
    (click,) = install.simulator.state.clicks
    assert (click.visitorid, click.ip) == (VISITOR, "203.0.113.7")
    assert [row[2:] for row in install.booked()] == [("testaff", Decimal("49.90"))]


@pytest.mark.parametrize(
    ("query", "fragment"),
    [("aid=testaff", ""), ("", "a_aid=testaff"), ("", "/?aid=testaff")],
)
def test_affiliate_of_any_configured_link_is_credited(
    install: Install, query, fragment
):
    click = visit(query=query, fragment=fragment)

    install.do(sale(click=click))

    assert [row[2] for row in install.booked()] == ["testaff"]


def test_two_visitors_over_one_transport_stay_two(install: Install):
    install.do(visit())
    install.do(visit(query="a_aid=otheraff"), OTHER_VISITOR)

    install.do(sale())

    assert [row[2] for row in install.booked()] == ["testaff"]


def test_sale_is_looked_up_and_taken_back_once(install: Install):
    install.do(visit())
    assert install.do(LOOKUP).kind is OutcomeKind.NOT_FOUND
    install.do(sale())

    found = install.do(LOOKUP)
    first = install.do(refund())
    again = install.do(refund())

    assert [(one.amount, one.currency) for one in found.sales] == [
        (Decimal("49.90"), "EUR")
    ]
    assert (first.kind, again.kind) == (OutcomeKind.OK, OutcomeKind.OK)
    assert [(row[0], row[3]) for row in install.booked()] == [
        ("S", Decimal("49.90")),
        ("R", Decimal("-49.90")),
    ]
    assert len(install.do(LOOKUP).sales) == 1


def test_chargeback_is_booked_as_one(install: Install):
    install.do(sale(click=visit()))

    install.do(refund(kind=ReversalKind.CHARGEBACK))

    assert [row[0] for row in install.booked()] == ["S", "H"]


def test_pending_sale_is_declined(install: Install):
    install.do(sale(click=visit()), sale_status="P")

    install.do(refund(), sale_status="P")

    assert [row[:2] for row in install.booked()] == [("S", "D")]


def test_part_is_left_to_a_person_also_when_switched_on(install: Install):
    install.do(sale(click=visit()))

    outcome = install.do(refund(amount=Decimal(5)), partial_refunds=True)

    assert outcome.kind is OutcomeKind.REJECTED
    assert "Refund 5 EUR of order INV-1001 by hand" in outcome.detail
    assert [row[0] for row in install.booked()] == ["S"]


def test_probe_tracks_nothing(install: Install):
    outcome = install.do(PROBE)

    assert outcome.detail == "Tracking works, and so does the merchant's login."
    assert install.simulator.state.clicks == []
    assert install.booked() == []


def test_probe_and_click_notice_another_length_of_identifiers(install: Install):
    install.simulator.settings.visitor_id_length = 40

    probe = install.do(PROBE)
    click = install.do(visit())
    install.do(sale(), click.visitor_id)

    assert "wants visitor identifiers of 40 characters" in probe.detail
    assert len(click.visitor_id) == 40
    assert [row[2] for row in install.booked()] == ["testaff"]
