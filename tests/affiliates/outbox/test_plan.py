"""In what order a visitor's deliveries go, and which of them wait for another."""

from __future__ import annotations

from collections import Counter

import pytest

from affiliates.outbox import payload
from affiliates.outbox.models.delivery import Delivery, VisitorAlias
from affiliates.outbox.protocol import Identifier
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.sending.plan import (
    ERASE_BY_HAND,
    NO_IDENTIFIER,
    SALE_NOT_DELIVERED,
    SALE_UNKNOWN,
)
from affiliates.outbox.types import ErasureFacts, Operation
from tests.affiliates.outbox.outbox import (
    BUSY,
    NO_ANSWER,
    NOT_SENT,
    OK,
    VISITOR,
    Wire,
    deliver,
    lead_of,
    reversal_of,
    sale_of,
    seconds_until,
    state_of,
)
from tests.factories.integrations import NOW, DeliveryFactory

pytestmark = pytest.mark.django_db


def click_of(integration, click_id: str, **fields) -> Delivery:
    return DeliveryFactory(integration=integration, key=f"click:{click_id}", **fields)


def deliver_all(wire: Wire, clock, *, passes: int = 5) -> None:
    for _ in range(passes):
        deliver(wire, clock)
        clock.pass_by(seconds=1)


def test_deliveries_of_a_visitor_go_in_the_order_they_were_made(integration, clock):
    click_of(integration, "c1")
    click_of(integration, "c2")
    sale_of(integration)
    wire = Wire()

    deliver_all(wire, clock)

    assert wire.calls == [
        f"click/{VISITOR}/c1",
        f"click/{VISITOR}/c2",
        f"sale/{VISITOR}/invoice-1",
    ]


def test_later_delivery_waits_while_an_earlier_one_waits(integration, clock):
    click = click_of(integration, "c1", next_at=NOW.replace(hour=13))
    sale = sale_of(integration)
    wire = Wire()

    report = deliver(wire, clock)

    assert (wire.calls, report) == ([], Counter())
    assert state_of(click) == ("waiting", 0)
    assert state_of(sale) == ("waiting", 0)


def test_another_visitor_does_not_wait(integration, clock):
    click_of(integration, "c1", next_at=NOW.replace(hour=13))
    click_of(integration, "c2", visitor_ref="another")
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == ["click/another/c2"]


def test_deliveries_without_a_visitor_wait_for_none(integration, clock):
    click_of(integration, "c1", visitor_ref="", next_at=NOW.replace(hour=13))
    sale_of(integration, visitor_ref="")
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == ["sale//invoice-1"]


@pytest.mark.parametrize(
    ("_case", "minutes", "calls"),
    [
        ("9 minutes", 9, []),
        ("10 minutes", 10, [f"sale/{VISITOR}/invoice-1/with-c2"]),
    ],
)
def test_sale_loses_patience_with_its_clicks_after(
    _case, minutes, calls, integration, clock
):
    tomorrow = NOW.replace(day=2)
    early = click_of(integration, "c1", next_at=tomorrow)
    late = click_of(integration, "c2", next_at=tomorrow)
    sale = sale_of(integration)
    clock.pass_by(minutes=minutes)
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == calls
    if calls:
        assert state_of(sale) == ("sent", 1)
        assert state_of(late) == ("sent", 0)
        assert late.detail == "Carried by its sale."
        assert state_of(early) == ("sent", 0)
        assert early.detail == "A later click of this visitor went with a sale."
        assert early.payload["ip"] == late.payload["ip"] == "203.0.113.0"
    else:
        assert state_of(sale) == ("waiting", 0)


def test_impatient_sale_waits_while_its_click_is_under_way(integration, clock):
    clock.pass_by(minutes=10)
    until = clock.at.replace(second=30)
    click_of(integration, "c1", state="sending", attempt_count=1, next_at=until)
    sale_of(integration)
    wire = Wire()

    deliver(wire, clock)
    during = list(wire.calls)
    # Its sender has died: it is sent again, and then the sale.
    clock.pass_by(seconds=30)
    deliver_all(wire, clock, passes=2)

    assert during == []
    assert wire.calls == [f"click/{VISITOR}/c1", f"sale/{VISITOR}/invoice-1"]


def test_click_is_not_carried_by_a_sale_that_did_not_arrive(integration, clock):
    click = click_of(integration, "c1", next_at=NOW.replace(day=2))
    sale = sale_of(integration)
    clock.pass_by(minutes=10)

    deliver(Wire(BUSY), clock)

    assert state_of(sale) == ("retry", 1)
    assert state_of(click) == ("waiting", 0)


def test_sale_does_not_overtake_an_earlier_sale(integration, clock):
    sale_of(integration, next_at=NOW.replace(day=2))
    later = sale_of(integration, reference="invoice-2")
    clock.pass_by(hours=1)
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == []
    assert state_of(later) == ("waiting", 0)


@pytest.mark.parametrize(
    ("_case", "time", "calls"),
    [
        ("just under a day", {"hours": 23, "minutes": 59}, []),
        ("a day", {"days": 1}, [f"sale/{VISITOR}/invoice-2"]),
    ],
)
def test_sale_loses_patience_with_an_earlier_sale_that_cannot_be_sent(
    _case, time, calls, integration, clock
):
    sale_of(integration, next_at=NOW.replace(day=9))
    sale_of(integration, reference="invoice-2")
    clock.pass_by(**time)
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == calls


def test_earlier_of_two_impatient_sales_goes_first(integration, clock):
    sale_of(integration, next_at=NOW.replace(second=2))
    sale_of(integration, reference="invoice-2", next_at=NOW.replace(second=1))
    clock.pass_by(days=2)
    wire = Wire()

    deliver_all(wire, clock)

    assert wire.calls == [
        f"sale/{VISITOR}/invoice-1",
        f"sale/{VISITOR}/invoice-2",
    ]


def test_sale_does_not_wait_for_the_look_up_of_an_earlier_one(integration, clock):
    sale_of(integration, state="unclear", next_at=NOW.replace(day=9))
    later = sale_of(integration, reference="invoice-2")
    clock.pass_by(minutes=10)
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == [f"sale/{VISITOR}/invoice-2"]
    assert state_of(later) == ("sent", 1)


def test_sale_loses_patience_with_a_lead(integration, clock):
    lead = lead_of(integration, next_at=NOW.replace(day=9))
    sale = sale_of(integration)
    clock.pass_by(minutes=10)
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == [f"sale/{VISITOR}/invoice-1"]
    assert (state_of(lead), state_of(sale)) == (("waiting", 0), ("sent", 1))


def test_nothing_waits_for_a_reversal(integration, clock):
    sale_of(integration, state="unclear", next_at=None)
    reversal_of(integration, next_at=NOW.replace(day=9))
    click_of(integration, "c1")
    sale_of(integration, reference="invoice-2")
    wire = Wire()

    deliver_all(wire, clock)

    assert wire.calls == [f"click/{VISITOR}/c1", f"sale/{VISITOR}/invoice-2"]


def test_reversal_waits_for_nothing_but_its_sale(integration, clock):
    sale_of(integration, state="sent")
    click_of(integration, "c1", next_at=NOW.replace(day=9))
    reversal = reversal_of(integration)
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == [f"reversal/{VISITOR}/invoice-1"]
    assert state_of(reversal) == ("sent", 1)


def test_lead_never_overtakes_a_click(integration, clock):
    click_of(integration, "c1", next_at=NOW.replace(day=2))
    lead = lead_of(integration)
    clock.pass_by(hours=1)

    deliver(Wire(), clock)

    assert state_of(lead) == ("waiting", 0)


def test_sale_goes_without_the_click_where_the_provider_takes_none(
    integration, adapter, clock, monkeypatch
):
    monkeypatch.setattr(adapter, "carries_click", False, raising=False)
    click = click_of(integration, "c1", next_at=NOW.replace(day=2))
    sale_of(integration)
    clock.pass_by(minutes=10)
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == [f"sale/{VISITOR}/invoice-1"]
    assert state_of(click) == ("waiting", 0)


def test_one_delivery_of_a_visitor_is_sent_at_a_time(integration, clock):
    click_of(integration, "c1")
    sale = sale_of(integration)
    wire = Wire(NOT_SENT)

    clock.pass_by(minutes=10)
    deliver(wire, clock)

    assert wire.calls == [f"sale/{VISITOR}/invoice-1/with-c1"]
    assert state_of(sale) == ("retry", 1)


def test_reversal_of_a_sale_that_arrived_is_sent(integration, clock):
    sale_of(integration, state="sent")
    reversal = reversal_of(integration)
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == [f"reversal/{VISITOR}/invoice-1"]
    assert state_of(reversal) == ("sent", 1)


def test_reversal_waits_for_a_held_sale(integration, clock):
    sale_of(integration, state="unclear", next_at=None)
    reversal = reversal_of(integration)
    wire = Wire()

    report = deliver(wire, clock)

    assert wire.calls == []
    assert report == Counter({QueueState.WAITING: 1})
    assert state_of(reversal) == ("waiting", 0)
    assert seconds_until(reversal, clock) == 300


@pytest.mark.parametrize("state", ["failed", "given_up"])
def test_reversal_of_a_sale_that_was_not_delivered_fails(state, integration, clock):
    sale_of(integration, state=state)
    reversal = reversal_of(integration)
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == []
    assert state_of(reversal) == ("failed", 0)
    assert reversal.detail == SALE_NOT_DELIVERED


def test_reversal_without_a_sale_fails(integration, clock):
    reversal = reversal_of(integration)

    deliver(Wire(), clock)

    assert state_of(reversal) == ("failed", 0)
    assert reversal.detail == SALE_UNKNOWN


@pytest.mark.parametrize("is_offered", [True, False])
def test_erasure_is_sent_without_identifier_or_left_to_a_person(
    is_offered, integration, adapter, clock, monkeypatch
):
    monkeypatch.setattr(adapter, "identifier", Identifier.REMOTE, raising=False)
    if not is_offered:
        adapter.offered.remove(Operation.ERASURE)
    row = DeliveryFactory(
        integration=integration,
        operation=Operation.ERASURE,
        key="erasure:7",
        visitor_ref="",
        payload=payload.to_json(ErasureFacts(customer_ref="7", occurred_at=NOW)),
    )
    wire = Wire()

    deliver(wire, clock)

    if is_offered:
        assert wire.calls == ["erasure//"]
        assert state_of(row) == ("sent", 1)
    else:
        assert wire.calls == []
        assert state_of(row) == ("unclear", 0)
        assert (row.detail, row.next_at) == (ERASE_BY_HAND, None)


def test_conversion_waits_for_the_identifier_that_the_provider_makes(
    integration, adapter, clock, monkeypatch
):
    monkeypatch.setattr(adapter, "identifier", Identifier.REMOTE, raising=False)
    click_of(integration, "c1", next_at=NOW.replace(day=2))
    sale = sale_of(integration)
    clock.pass_by(minutes=10)
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == []
    assert state_of(sale) == ("waiting", 0)
    assert seconds_until(sale, clock) == 300


@pytest.mark.parametrize("has_alias", [True, False])
def test_conversion_needs_the_identifier_that_the_provider_makes(
    has_alias, integration, adapter, clock, monkeypatch
):
    monkeypatch.setattr(adapter, "identifier", Identifier.REMOTE, raising=False)
    if has_alias:
        VisitorAlias(
            integration=integration,
            visitor_ref=VISITOR,
            remote_id="theirs",
            created_at=NOW,
        ).save()
    sale = sale_of(integration)
    wire = Wire()

    deliver(wire, clock)

    if has_alias:
        assert wire.calls == ["sale/theirs/invoice-1"]
        assert state_of(sale) == ("sent", 1)
    else:
        assert wire.calls == []
        assert state_of(sale) == ("failed", 0)
        assert sale.detail == NO_IDENTIFIER


def test_sale_that_may_have_arrived_holds_up_what_comes_after(integration, clock):
    sale_of(integration)
    later = sale_of(integration, reference="invoice-2")
    wire = Wire(NO_ANSWER, OK)

    deliver_all(wire, clock)

    assert wire.calls == [f"sale/{VISITOR}/invoice-1"]
    assert state_of(later) == ("waiting", 0)
