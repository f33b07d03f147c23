"""What becomes of a delivery, told by the rows it leaves."""

from __future__ import annotations

from collections import Counter

import pytest

from affiliates.outbox.http.types import Call, Response
from affiliates.outbox.models.delivery import DeliveryAttempt, VisitorAlias
from affiliates.outbox.models.integration import IntegrationHealth
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.rules import SWITCHED_OFF
from affiliates.outbox.sending.exchange import INTERNAL_ERROR, TOO_LATE
from affiliates.outbox.sending.plan import UNREADABLE
from affiliates.outbox.types import CallOutcome, Operation, OutcomeKind
from tests.affiliates.outbox.outbox import (
    ERROR,
    FOUND,
    MISSING,
    MOVED,
    NO_ANSWER,
    NOT_SENT,
    OK,
    REFUSED,
    VISITOR,
    Wire,
    deliver,
    lead_of,
    reversal_of,
    sale_of,
    seconds_until,
    state_of,
)
from tests.factories.integrations import DeliveryFactory

pytestmark = pytest.mark.django_db


def test_click_that_is_accepted_is_done(integration, clock):
    click = DeliveryFactory(integration=integration, key="click:c1")
    wire = Wire()

    report = deliver(wire, clock)

    assert report == Counter({QueueState.SENT: 1})
    assert wire.calls == [f"click/{VISITOR}/c1"]
    assert state_of(click) == ("sent", 1)
    assert (click.next_at, click.finished_at) == (None, clock.at)


def test_attempt_is_recorded(integration, clock):
    click = DeliveryFactory(integration=integration)
    wire = Wire(ERROR)
    wire.on_call = lambda _: clock.pass_by(milliseconds=250)

    deliver(wire, clock)

    (attempt,) = DeliveryAttempt.objects.values(
        "delivery", "number", "operation", "duration_ms", "status_code", "outcome"
    )
    assert attempt == {
        "delivery": click.pk,
        "number": 1,
        "operation": "click",
        "duration_ms": 250,
        "status_code": 500,
        "outcome": "retry",
    }


def test_address_of_a_finished_click_is_cut_to_its_network(integration, clock):
    click = DeliveryFactory(integration=integration)
    assert click.payload["ip"] == "203.0.113.7"

    deliver(Wire(), clock)

    click.refresh_from_db()
    assert click.payload["ip"] == "203.0.113.0"
    assert click.payload["affiliate"] == "testaff"


@pytest.mark.parametrize(
    ("_case", "answer", "state", "wait"),
    [
        ("nothing was sent", NOT_SENT, "retry", (24, 36)),
        ("no answer", NO_ANSWER, "unclear", (20, 20)),
        ("500", ERROR, "unclear", (20, 20)),
        ("redirect", MOVED, "retry", (17_280, 25_920)),
    ],
)
def test_sale_waits_after(_case, answer, state, wait, integration, clock):
    sale = sale_of(integration)

    deliver(Wire(answer), clock)

    assert state_of(sale) == (state, 1)
    assert wait[0] <= seconds_until(sale, clock) <= wait[1]


def test_refused_sale_is_final_and_says_why(integration, clock):
    sale = sale_of(integration)

    deliver(Wire(REFUSED), clock)

    assert state_of(sale) == ("failed", 1)
    assert (sale.next_at, sale.outcome) == (None, "rejected")
    assert sale.detail == "The provider answered with status 422."


def test_delivery_is_sent_again_when_its_time_has_come(integration, clock):
    click = DeliveryFactory(integration=integration)
    wire = Wire(NOT_SENT, OK)

    deliver(wire, clock)
    clock.pass_by(seconds=20)
    deliver(wire, clock)
    assert state_of(click) == ("retry", 1)
    clock.pass_by(seconds=20)
    deliver(wire, clock)

    assert state_of(click) == ("sent", 2)
    assert wire.calls == [f"click/{VISITOR}/{click.payload['click_id']}"] * 2


def test_unclear_sale_that_is_found_is_done_and_not_sent_again(integration, clock):
    sale = sale_of(integration)
    wire = Wire(NO_ANSWER, FOUND)

    deliver(wire, clock)
    clock.pass_by(seconds=20)
    deliver(wire, clock)

    assert wire.calls == [f"sale/{VISITOR}/invoice-1", f"lookup/{VISITOR}/invoice-1"]
    assert state_of(sale) == ("sent", 2)
    assert sale.detail == "Found at the provider after an unclear answer."


def test_unclear_sale_that_is_not_found_is_sent_at_once(integration, clock):
    sale = sale_of(integration)
    wire = Wire(NO_ANSWER, MISSING, Response(status=200, headers={}, body=b"ref=T1"))

    deliver(wire, clock)
    clock.pass_by(seconds=20)
    deliver(wire, clock)

    assert [url.split("/")[0] for url in wire.calls] == ["sale", "lookup", "sale"]
    assert state_of(sale) == ("sent", 3)
    assert sale.remote_ref == "T1"
    assert list(
        DeliveryAttempt.objects.values_list("number", "operation", "outcome")
    ) == [(1, "sale", "ambiguous"), (2, "lookup", "not_found"), (3, "sale", "ok")]


def test_failed_look_up_sends_nothing(integration, clock):
    sale = sale_of(integration)
    wire = Wire(NO_ANSWER, ERROR)

    deliver(wire, clock)
    clock.pass_by(seconds=20)
    deliver(wire, clock)

    assert [url.split("/")[0] for url in wire.calls] == ["sale", "lookup"]
    assert state_of(sale) == ("unclear", 2)
    assert 96 <= seconds_until(sale, clock) <= 144


def test_held_sale_waits_for_a_person(integration, clock):
    integration.ambiguous_sales = "hold"
    integration.save()
    sale = sale_of(integration)

    deliver(Wire(NO_ANSWER), clock)

    assert state_of(sale) == ("unclear", 1)
    assert sale.next_at is None


def test_unclear_sale_is_sent_again_where_the_brand_says_so(integration, clock):
    integration.ambiguous_sales = "resend"
    integration.save()
    sale = sale_of(integration)
    wire = Wire(NO_ANSWER, OK)

    deliver(wire, clock)
    clock.pass_by(seconds=36)
    deliver(wire, clock)

    assert [url.split("/")[0] for url in wire.calls] == ["sale", "sale"]
    assert state_of(sale) == ("sent", 2)


def test_unclear_sale_is_held_where_the_provider_cannot_be_asked(
    integration, adapter, clock
):
    adapter.offered -= {Operation.LOOKUP}
    sale = sale_of(integration)

    deliver(Wire(NO_ANSWER), clock)

    assert state_of(sale) == ("unclear", 1)
    assert sale.next_at is None


def test_unclear_part_of_a_refund_is_held(integration, clock):
    sale_of(integration, state="sent")
    reversal = reversal_of(integration, amount="20.00")

    deliver(Wire(NO_ANSWER), clock)

    assert state_of(reversal) == ("unclear", 1)
    assert reversal.next_at is None


def test_whole_refund_without_an_answer_is_sent_again(integration, clock):
    sale_of(integration, state="sent")
    reversal = reversal_of(integration)
    wire = Wire(NO_ANSWER, OK)

    deliver(wire, clock)
    clock.pass_by(seconds=36)
    deliver(wire, clock)

    assert state_of(reversal) == ("sent", 2)


@pytest.mark.parametrize(
    ("_case", "operation", "state"),
    [
        ("a lead", Operation.LEAD, "failed"),
        ("a reversal", Operation.REVERSAL, "failed"),
    ],
)
def test_what_the_provider_cannot_do_is_left_to_a_person(
    _case, operation, state, integration, adapter, clock
):
    adapter.offered -= {operation}
    sale_of(integration, state="sent")
    make = lead_of if operation is Operation.LEAD else reversal_of
    delivery = make(integration)
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == []
    assert state_of(delivery) == (state, 0)
    assert "by hand in the provider's panel" in delivery.detail


@pytest.mark.parametrize("state", ["sending", "unclear"])
def test_unclear_sale_that_cannot_be_sent_any_more_stays_unclear(
    state, integration, adapter, clock
):
    adapter.offered -= {Operation.SALE}
    sale = sale_of(integration, state=state, attempt_count=1)
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == []
    assert state_of(sale) == ("failed", 1)
    assert sale.outcome == "ambiguous"
    assert sale.detail.startswith("Whether it arrived is not known.")


def test_faulty_adapter_loses_nothing_and_logs_no_payload(
    integration, adapter, clock, monkeypatch, caplog
):
    def fail(*args):
        raise ValueError("Mozilla/5.0 (X11)")
        yield

    monkeypatch.setattr(adapter, "run", fail)
    sale = sale_of(integration)

    deliver(Wire(), clock)

    assert state_of(sale) == ("retry", 1)
    assert (sale.outcome, sale.detail) == ("config", INTERNAL_ERROR)
    assert "ValueError" in caplog.text
    assert "Mozilla" not in caplog.text


def test_sale_is_unclear_when_the_adapter_fails_after_sending(integration, clock):
    sale = sale_of(integration)

    deliver(Wire(KeyError("203.0.113.7")), clock)

    assert state_of(sale) == ("unclear", 1)


def test_row_that_cannot_be_read_waits_for_a_release_that_can(integration, clock):
    click = DeliveryFactory(integration=integration, payload={"from": "elsewhere"})
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == []
    assert state_of(click) == ("retry", 1)
    assert click.outcome == "config"


@pytest.mark.parametrize(
    ("state", "expected"),
    [("waiting", "retry"), ("retry", "retry"), ("unclear", "unclear")],
)
def test_delivery_of_the_next_release_holds_up_no_other(
    state, expected, integration, clock, caplog
):
    odd = DeliveryFactory(
        integration=integration, operation="of-the-next", state=state, visitor_ref="a"
    )
    click = DeliveryFactory(integration=integration, visitor_ref="b")
    wire = Wire()

    deliver(wire, clock)

    assert len(wire.calls) == 1
    assert state_of(click) == ("sent", 1)
    assert state_of(odd) == (expected, 0)
    assert (odd.outcome, odd.detail) == ("config", UNREADABLE)
    assert seconds_until(odd, clock) == 21_600
    assert f"ValueError while planning delivery {odd.pk}" in caplog.text


def test_unreadable_credentials_are_a_matter_of_configuration(integration, clock):
    integration.secrets = "of-another-key"
    integration.save()
    click = DeliveryFactory(integration=integration)
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == []
    assert state_of(click) == ("retry", 0)
    assert click.outcome == "config"
    assert "Enter them again" in click.detail
    assert seconds_until(click, clock) == 21_600


def test_unknown_provider_is_a_matter_of_configuration(integration, clock):
    integration.provider = "of-the-next-release"
    integration.save()
    click = DeliveryFactory(integration=integration)

    deliver(Wire(), clock)

    assert state_of(click) == ("retry", 0)
    assert "of-the-next-release" in click.detail


@pytest.mark.parametrize("sign", ["\0", "\ud800"])
def test_answer_with_what_no_database_takes_is_recorded(
    sign, integration, adapter, clock, monkeypatch
):
    def run(*_):
        yield Call(method="POST", url="sale")
        return CallOutcome(
            kind=OutcomeKind.RETRY,
            detail=f"Busy{sign}.",
            remote_ref=f"ref{sign}1",
            visitor_id=f"theirs{sign}",
        )

    monkeypatch.setattr(adapter, "run", run)
    sale = sale_of(integration)

    deliver(Wire(), clock)

    shown = sign.replace("\0", "").replace("\ud800", "?")
    assert state_of(sale) == ("retry", 1)
    assert (sale.detail, sale.remote_ref) == (f"Busy{shown}.", f"ref{shown}1")
    assert IntegrationHealth.objects.get().last_failure == f"Busy{shown}."
    assert not VisitorAlias.objects.exists()


def test_sender_that_stood_still_after_it_began_sends_nothing(
    integration, adapter, clock, monkeypatch
):
    run = adapter.run

    def stand_still(*given):
        clock.pass_by(minutes=5)
        return (yield from run(*given))

    monkeypatch.setattr(adapter, "run", stand_still)
    sale = sale_of(integration)
    wire = Wire()

    deliver(wire, clock)

    assert wire.calls == []
    assert state_of(sale) == ("retry", 1)
    assert sale.detail == TOO_LATE


def test_identifier_given_by_the_provider_is_used_from_then_on(integration, clock):
    DeliveryFactory(integration=integration, key="click:c1")
    sale_of(integration)
    wire = Wire(Response(status=200, headers={}, body=b"id=their-own"), OK)

    deliver(wire, clock)
    clock.pass_by(seconds=1)
    deliver(wire, clock)

    assert wire.calls == [f"click/{VISITOR}/c1", "sale/their-own/invoice-1"]
    assert VisitorAlias.objects.get().remote_id == "their-own"


@pytest.mark.parametrize(
    ("_case", "make", "age_days", "is_given_up"),
    [
        ("a click of 7 days", DeliveryFactory, 7, False),
        ("an older click", DeliveryFactory, 8, True),
        ("a sale of 30 days", sale_of, 30, False),
        ("an older sale", sale_of, 31, True),
    ],
)
def test_what_is_too_old_is_given_up(
    _case, make, age_days, is_given_up, integration, clock
):
    make_it = make if make is sale_of else lambda one: DeliveryFactory(integration=one)
    delivery = make_it(integration)
    delivery.detail = "The provider answered with status 503."
    delivery.save()
    clock.pass_by(days=age_days)
    wire = Wire()

    deliver(wire, clock)

    state = ("given_up", 0) if is_given_up else ("sent", 1)
    assert state_of(delivery) == state
    assert len(wire.calls) == (0 if is_given_up else 1)
    if is_given_up:
        reason = (
            f"Given up after {age_days} days. The provider answered with status 503."
        )
        assert delivery.detail == reason


def test_click_that_a_sale_waits_for_is_kept_as_long_as_the_sale(integration, clock):
    click = DeliveryFactory(integration=integration)
    sale_of(integration, next_at=clock.at.replace(year=2027))
    clock.pass_by(days=8)

    deliver(Wire(), clock)

    assert state_of(click) == ("sent", 1)


def test_switched_off_integration_gives_up_what_waits(
    integration, clock, django_assert_max_num_queries
):
    clicks = [DeliveryFactory(integration=integration) for _ in range(600)]
    unclear = sale_of(integration, state="unclear")
    sending = DeliveryFactory(
        integration=integration, state="sending", next_at=clock.at.replace(hour=13)
    )
    integration.is_active = False
    integration.save()
    wire = Wire()

    with django_assert_max_num_queries(20):
        report = deliver(wire, clock)

    assert wire.calls == []
    assert report == Counter({QueueState.GIVEN_UP: 601})
    assert state_of(clicks[0]) == ("given_up", 0)
    assert clicks[0].detail == SWITCHED_OFF
    assert clicks[0].payload["ip"] == "203.0.113.0"
    assert state_of(unclear) == ("given_up", 0)
    assert unclear.detail == f"{SWITCHED_OFF} Whether it arrived is not known."
    assert state_of(sending) == ("sending", 0)
