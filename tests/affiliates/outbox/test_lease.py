"""Leases, rate and breaker: who may send, and when."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.outbox.http.types import Call, Response
from affiliates.outbox.models.delivery import Delivery, DeliveryAttempt
from affiliates.outbox.models.integration import IntegrationHealth
from affiliates.outbox.queue.services import release
from affiliates.outbox.sending.begin import start_all
from affiliates.outbox.sending.deliver import serve
from affiliates.outbox.sending.lease import take, waits_for
from affiliates.outbox.types import CallOutcome, Operation, OutcomeKind
from tests.affiliates.outbox.outbox import (
    BUSY,
    ERROR,
    FOUND,
    MISSING,
    MOVED,
    NOT_SENT,
    OK,
    REFUSED,
    Wire,
    deliver,
    reversal_of,
    sale_of,
    seconds_until,
    state_of,
)
from tests.factories.affiliates import BrandFactory
from tests.factories.integrations import (
    NOW,
    DeliveryFactory,
    TrackingIntegrationFactory,
)

pytestmark = pytest.mark.django_db
LATE = NOW + timedelta(days=300)


def clicks_of(integration, count: int, **fields) -> list[Delivery]:
    """Due one after the other: rows that share the moment come in any order."""
    return [
        DeliveryFactory(
            integration=integration,
            visitor_ref=f"visitor-{number}",
            next_at=NOW - timedelta(microseconds=count - number),
            **fields,
        )
        for number in range(count)
    ]


def health_of(integration) -> IntegrationHealth:
    return IntegrationHealth.objects.get(pk=integration.pk)


def test_claimed_delivery_is_nobody_elses_until_the_lease_ends(integration, settings):
    settings.AFFILIATES_DELIVERY_LEASE_SECONDS = 60
    (click,) = clicks_of(integration, 1)

    work = take(integration.pk, now=NOW)
    during = take(integration.pk, now=NOW + timedelta(seconds=59))
    after = take(integration.pk, now=NOW + timedelta(seconds=60))

    assert work.until == NOW + timedelta(seconds=60)
    assert [row.pk for row in work.deliveries] == [click.pk]
    assert during is None
    assert [row.pk for row in after.deliveries] == [click.pk]


def test_sender_whose_lease_ended_sends_nothing(integration):
    clicks_of(integration, 1)
    first = take(integration.pk, now=NOW)
    second = take(integration.pk, now=NOW + timedelta(seconds=60))

    late, mine = (
        start_all([(work.deliveries[0], Operation.CLICK)], carries_click=False, now=NOW)
        for work in (first, second)
    )

    assert (len(late), len(mine)) == (0, 1)
    assert Delivery.objects.get().attempt_count == 1


def test_result_of_a_sender_that_was_presumed_dead_is_dropped(
    integration, clock, caplog
):
    (click,) = clicks_of(integration, 1)
    wire = Wire(REFUSED)

    def overtake(_):
        clock.pass_by(seconds=61)
        Delivery.objects.update(next_at=LATE)

    wire.on_call = overtake
    deliver(wire, clock)

    assert state_of(click) == ("sending", 1)
    assert click.next_at == LATE
    assert DeliveryAttempt.objects.count() == 0
    assert "was taken over while being sent" in caplog.text


@pytest.mark.parametrize(
    ("_case", "policy", "answers", "calls", "state"),
    [
        ("there", "look_up", [FOUND], ["lookup"], "sent"),
        ("not there", "look_up", [MISSING, OK], ["lookup", "sale"], "sent"),
        ("sent again", "resend", [OK], ["sale"], "sent"),
        ("held", "hold", [OK], [], "unclear"),
    ],
)
def test_sale_whose_sender_died_is_unclear(
    _case, policy, answers, calls, state, integration, clock
):
    integration.ambiguous_sales = policy
    integration.save()
    sale = sale_of(integration, state="sending", attempt_count=1)
    wire = Wire(*answers)

    deliver(wire, clock)

    assert [url.split("/")[0] for url in wire.calls] == calls
    assert state_of(sale) == (state, 1 + len(calls))
    interrupted = DeliveryAttempt.objects.get(number=1)
    assert (interrupted.operation, interrupted.outcome) == ("sale", "ambiguous")


@pytest.mark.parametrize(
    ("_case", "make"),
    [
        ("click", lambda one, **state: DeliveryFactory(integration=one, **state)),
        ("whole refund", reversal_of),
    ],
)
def test_repeatable_delivery_whose_sender_died_is_sent_again(
    _case, make, integration, clock
):
    if make is reversal_of:
        sale_of(integration, state="sent")
    delivery = make(integration, state="sending", attempt_count=1)
    wire = Wire()

    deliver(wire, clock)

    assert len(wire.calls) == 1
    assert state_of(delivery) == ("sent", 2)


def test_what_was_not_begun_can_be_given_back(integration):
    clicks_of(integration, 2)
    work = take(integration.pk, now=NOW)

    release(work.deliveries[1:], now=NOW)

    assert [one.next_at for one in Delivery.objects.order_by("pk")] == [work.until, NOW]


def test_rate_is_kept_by_all_senders_together(integration, clock):
    integration.requests_per_second = 5
    integration.save()
    clicks_of(integration, 12)
    wire = Wire()

    sent = []
    for _ in range(4):
        deliver(wire, clock)
        deliver(wire, clock)
        sent.append(len(wire.calls))
        clock.pass_by(seconds=1)

    assert sent == [5, 10, 12, 12]


def test_high_rate_is_claimed_in_small_batches(integration, clock):
    integration.requests_per_second = 1000
    integration.save()
    clicks_of(integration, 60)

    states, free_at = serve(integration.pk, transport=Wire(), now=clock)

    assert states.total() == 50
    assert free_at == NOW + timedelta(milliseconds=50)


def test_further_calls_of_a_conversation_use_up_the_rate(
    integration, adapter, clock, monkeypatch
):
    def talk(*_):
        for _number in range(3):
            yield Call(method="GET", url="x")
        return CallOutcome(kind=OutcomeKind.OK)

    monkeypatch.setattr(adapter, "run", talk)
    integration.requests_per_second = 1
    integration.save()
    clicks_of(integration, 1)

    deliver(Wire(), clock)

    assert health_of(integration).next_slot_at == NOW + timedelta(seconds=3)


def test_provider_is_left_alone_after_five_failures(integration, clock):
    clicks = clicks_of(integration, 8)
    wire = Wire(NOT_SENT)

    deliver(wire, clock)
    clock.pass_by(seconds=4)
    deliver(wire, clock)

    assert len(wire.calls) == 5
    health = health_of(integration)
    assert (health.failures, health.paused_until) == (5, NOW + timedelta(seconds=5))
    assert health.last_failure == "No connection to tracker.example.com."
    assert [state_of(one)[0] for one in clicks] == ["retry"] * 5 + ["waiting"] * 3
    assert clicks[5].next_at == NOW


def test_pause_ends_with_one_trial_and_grows(integration, clock):
    clicks_of(integration, 20)
    wire = Wire(NOT_SENT)
    deliver(wire, clock)

    pauses = []
    for _ in range(5):
        clock.at = health_of(integration).paused_until
        before = len(wire.calls)
        deliver(wire, clock)
        assert len(wire.calls) == before + 1
        pauses.append((health_of(integration).paused_until - clock.at).seconds)

    assert pauses == [10, 20, 30, 30, 30]


def test_nobody_else_tries_during_a_trial(integration, clock):
    clicks_of(integration, 3)
    IntegrationHealth(integration=integration, failures=5, paused_until=NOW).save()

    trial = take(integration.pk, now=NOW)
    other = take(integration.pk, now=NOW + timedelta(seconds=2))

    assert trial.is_trial
    assert len(trial.deliveries) == 1
    assert other is None


@pytest.mark.parametrize("field", ["paused_until", "next_slot_at"])
@pytest.mark.parametrize(("seconds", "count"), [(90, 0), (91, 1)])
def test_clock_that_went_wrong_holds_up_nobody_for_long(
    field, seconds, count, integration, clock
):
    clicks_of(integration, 1)
    ahead = NOW + timedelta(seconds=seconds)
    IntegrationHealth(integration=integration, **{field: ahead}).save()
    wire = Wire()

    deliver(wire, clock)

    assert len(wire.calls) == count


def test_trial_that_called_nobody_is_followed_by_another(integration, clock):
    orphan = reversal_of(integration)
    click = clicks_of(integration, 1)[0]
    IntegrationHealth(integration=integration, failures=5, paused_until=NOW).save()

    for _ in range(2):
        deliver(Wire(), clock)
        clock.pass_by(seconds=1)

    assert state_of(orphan) == ("failed", 0)
    assert state_of(click) == ("sent", 1)


def test_recovery_sends_at_once_what_failed_meanwhile(integration, clock):
    clicks = clicks_of(integration, 6)
    wire = Wire(*[NOT_SENT] * 5, OK)
    deliver(wire, clock)

    clock.pass_by(seconds=5)
    deliver(wire, clock)
    clock.pass_by(seconds=1)
    deliver(wire, clock)

    assert {state_of(one)[0] for one in clicks} == {"sent"}
    health = health_of(integration)
    assert (health.failures, health.paused_until) == (0, None)
    assert health.last_ok_at == NOW + timedelta(seconds=5)


@pytest.mark.parametrize(
    ("_case", "failures", "attempts", "outcome", "is_hurried"),
    [
        ("a hiccup", 1, 4, "retry", True),
        ("a hiccup, failing again and again", 1, 5, "retry", False),
        ("an outage", 5, 19, "retry", True),
        ("an outage, failing again and again", 5, 20, "retry", False),
        ("a wrong setting", 1, 4, "config", True),
        ("the provider named a wait", 1, 4, "busy", False),
    ],
)
def test_success_after_hurries_what_failed(
    _case, failures, attempts, outcome, is_hurried, integration, clock
):
    IntegrationHealth(integration=integration, failures=failures).save()
    waiting = DeliveryFactory(
        integration=integration,
        visitor_ref="another",
        state="retry",
        outcome=outcome,
        attempt_count=attempts,
        next_at=LATE,
    )
    clicks_of(integration, 1)

    deliver(Wire(), clock)

    waiting.refresh_from_db()
    assert waiting.next_at == (NOW if is_hurried else LATE)


@pytest.mark.parametrize(
    ("_case", "answer", "failures"),
    [
        ("accepted", OK, 0),
        ("refused", REFUSED, 0),
        ("busy", BUSY, 3),
        ("error", ERROR, 3),
        ("redirect", MOVED, 3),
        ("not sent", NOT_SENT, 3),
    ],
)
def test_answer_counts_for_the_breaker(_case, answer, failures, integration, clock):
    IntegrationHealth(integration=integration, failures=2).save()
    clicks_of(integration, 1)

    deliver(Wire(answer), clock)

    assert health_of(integration).failures == failures


def test_asked_for_wait_is_kept(integration, clock):
    (click,) = clicks_of(integration, 1)
    asked = Response(status=429, headers={"retry-after": "120"}, body=b"")

    deliver(Wire(asked), clock)
    DeliveryFactory(integration=integration, visitor_ref="another")
    deliver(Wire(), clock)

    assert seconds_until(click, clock) == 120
    assert state_of(click) == ("retry", 1)


def test_one_integrations_trouble_is_not_anothers(integration, brand, adapter, clock):
    other = TrackingIntegrationFactory(
        brand=BrandFactory(client_area="other.example.com"),
        provider=adapter.code,
        requests_per_second=1000,
    )
    clicks_of(integration, 6)
    theirs = clicks_of(other, 6)
    wire = Wire(*[NOT_SENT] * 5, OK)

    deliver(wire, clock)

    assert {state_of(one)[0] for one in theirs} == {"sent"}


def test_stop_gives_back_what_was_not_begun(integration, clock):
    clicks = clicks_of(integration, 3)
    wire = Wire()

    serve(
        integration.pk, transport=wire, now=clock, should_stop=lambda: bool(wire.calls)
    )

    assert [state_of(one)[0] for one in clicks] == ["sent", "waiting", "waiting"]
    assert clicks[1].next_at == NOW


@pytest.mark.parametrize("backlog", [20, 60])
def test_cost_of_a_delivery_does_not_grow_with_the_backlog(
    backlog, integration, clock, django_assert_num_queries
):
    integration.requests_per_second = 10
    integration.save()
    clicks_of(integration, backlog)
    deliver(Wire(), clock)
    clock.pass_by(seconds=1)

    # 12 find and claim ten deliveries and find nothing more, 7 send and record each.
    with django_assert_num_queries(82):
        deliver(Wire(), clock)


def test_refunds_of_a_sale_are_taken_back_one_after_the_other(integration):
    sale_of(integration, state="sent", next_at=None)
    first, second = (
        reversal_of(integration, amount=amount, key=f"rev:invoice-1:{amount}")
        for amount in ("10.00", "20.00")
    )

    mine = take(integration.pk, now=NOW)
    others = take(integration.pk, now=NOW + timedelta(seconds=30))

    assert [row.pk for row in mine.deliveries] == [first.pk]
    assert others is None
    assert state_of(second) == ("waiting", 0)


def test_refund_does_not_wait_for_one_that_is_left_to_a_person(integration, clock):
    sale_of(integration, state="sent", next_at=None)
    reversal_of(integration, amount="10.00", state="unclear", next_at=None)
    second = reversal_of(integration, amount="20.00", key="rev:invoice-1:refund-2")

    deliver(Wire(OK), clock)

    assert state_of(second) == ("sent", 1)


def test_delivery_names_the_earlier_one_that_it_waits_for(integration):
    visitor = {"integration": integration, "visitor_ref": "visitor-1"}
    first = DeliveryFactory(**visitor, state="retry", next_at=NOW + timedelta(hours=6))
    second = DeliveryFactory(**visitor)
    other = DeliveryFactory(integration=integration, visitor_ref="visitor-2")
    sent = DeliveryFactory(**visitor, state="sent", next_at=None)

    assert waits_for(second, now=NOW) == first
    assert [waits_for(one, now=NOW) for one in (first, other, sent)] == [None] * 3


def test_refund_names_the_earlier_refund_of_its_sale(integration):
    click = DeliveryFactory(integration=integration)
    first = reversal_of(integration, key="rev:invoice-1:refund-1")
    second = reversal_of(integration, key="rev:invoice-1:refund-2")

    assert waits_for(second, now=NOW) == first
    assert waits_for(first, now=NOW) is None
    assert click.next_at is not None
