"""Webhooks on their way: through the outbox, signed, each once and in order."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.utils import timezone
from standardwebhooks import WebhookVerificationError

from affiliates.outbox import services
from affiliates.outbox.active import active_webhooks
from affiliates.outbox.models.delivery import Delivery, DeliveryAttempt
from affiliates.outbox.models.integration import IntegrationHealth
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.secrets import CREDENTIALS
from affiliates.webhooks import services as webhooks
from affiliates.webhooks.announce import FactKind, announce
from affiliates.webhooks.models import Webhook
from tests.affiliates.outbox.outbox import (
    NO_ANSWER,
    NOT_SENT,
    Clock,
    deliver,
    seconds_until,
    state_of,
)
from tests.affiliates.webhooks.receiver import Receiver, answer, fact, header, verified
from tests.factories.affiliates import BrandFactory
from tests.factories.integrations import WEBHOOK_SECRET, WebhookFactory

pytestmark = pytest.mark.django_db

DAY = 86_400


def deliver_all(receiver: Receiver, clock: Clock) -> None:
    """Passes until nothing is due: a second's pace lies between them."""
    for _ in range(6):
        clock.pass_by(seconds=1)
        deliver(receiver, clock)


@pytest.fixture
def clock() -> Clock:
    """The verifying library knows no other time than the present."""
    return Clock(timezone.now())


@pytest.mark.parametrize("kind", FactKind)
def test_each_kind_arrives_signed(kind, brand, clock):
    WebhookFactory(brand=brand)
    receiver = Receiver()

    announce([fact(brand, kind)], now=clock.at)
    report = deliver(receiver, clock)

    assert report[QueueState.SENT] == 1
    assert receiver.messages == [
        {
            "type": kind,
            "timestamp": clock.at.isoformat().replace("+00:00", "Z"),
            "data": {"invoice": "INV-1", "amount": "100.00", "currency": "EUR"},
        }
    ]
    attempt = DeliveryAttempt.objects.get()
    assert (attempt.operation, attempt.outcome) == ("event", "ok")
    assert attempt.status_code == 200


def test_identifier_stays_and_the_time_is_the_attempts(brand, clock):
    WebhookFactory(brand=brand)
    receiver = Receiver(NO_ANSWER, answer(500), answer(200))

    announce([fact(brand)], now=clock.at)
    moments = []
    for _ in range(3):
        moments.append(str(int(clock.at.timestamp())))
        deliver(receiver, clock)
        clock.pass_by(minutes=3)

    assert len(receiver.calls) == 3
    assert len(set(receiver.ids)) == 1
    assert [header(call, "webhook-timestamp") for call in receiver.calls] == moments
    assert len({call.body for call in receiver.calls}) == 1
    assert state_of(Delivery.objects.get()) == ("sent", 3)


@pytest.mark.parametrize(
    ("what", "state", "wait"),
    [
        (answer(200), "sent", None),
        (answer(204), "sent", None),
        (answer(302), "retry", 21_600),
        (answer(400), "retry", 30),
        (answer(401), "retry", 30),
        (answer(404), "retry", 30),
        (answer(422), "retry", 30),
        (answer(500), "retry", 30),
        (answer(503, **{"retry-after": "3600"}), "retry", 3600),
        (NOT_SENT, "retry", 30),
        (NO_ANSWER, "retry", 30),
        (answer(410), "failed", None),
    ],
)
def test_what_follows_an_answer(what, state, wait, brand, clock):
    WebhookFactory(brand=brand)

    announce([fact(brand)], now=clock.at)
    deliver(Receiver(what), clock)

    delivery = Delivery.objects.get()
    assert state_of(delivery) == (state, 1)
    if wait is None:
        assert delivery.next_at is None
    else:
        assert seconds_until(delivery, clock) == pytest.approx(wait, rel=0.2)


def test_receiver_that_never_answers_is_given_up_after_a_week(brand, clock):
    WebhookFactory(brand=brand)
    receiver = Receiver(answer(500))
    announced_at = clock.at

    announce([fact(brand)], now=clock.at)
    waits = []
    while (delivery := Delivery.objects.get()).next_at is not None:
        waits.append((delivery.next_at - clock.at).total_seconds())
        clock.at = delivery.next_at
        deliver(receiver, clock)
        IntegrationHealth.objects.update(paused_until=None)

    assert (delivery.state, delivery.attempt_count) == ("given_up", len(receiver.calls))
    assert delivery.detail == (
        "Given up after 7 days. The receiver answered with status 500."
    )
    schedule = [0, 30, 120, 600, 1_800, 7_200, 21_600]
    assert waits[:7] == pytest.approx(schedule, rel=0.2)
    assert max(waits) <= 21_600 * 1.2
    assert 7 * DAY < (clock.at - announced_at).total_seconds() < 7.4 * DAY


def test_receiver_that_is_gone_is_told_nothing_more(brand, clock):
    webhook = WebhookFactory(brand=brand)
    WebhookFactory(brand=brand, address="https://other.example.com/hooks")
    first = fact(brand, subject="invoice:INV-1", key="1")
    second = fact(brand, subject="invoice:INV-2", key="2")

    announce([first, second], now=clock.at)
    deliver(Receiver(answer(410), answer(200)), clock)
    switched_off_at = clock.at
    announce([fact(brand, key="3")], now=clock.at)
    deliver_all(Receiver(), clock)

    webhook.refresh_from_db()
    assert not webhook.is_active
    assert webhook.health.last_failure == (
        "The receiver answered 410 Gone: the webhook was switched off."
    )
    assert webhook.health.last_failure_at == switched_off_at
    assert [one.id == webhook.pk for one in active_webhooks(brand.pk)] == [False]
    # Which of the two is told first is left to the database: both are due at once.
    gone = Delivery.objects.filter(integration=webhook).values_list("state", "detail")
    assert sorted(gone) == [
        ("failed", "The receiver answered 410 Gone: the webhook was switched off."),
        ("given_up", "The integration was switched off."),
    ]
    others = Delivery.objects.exclude(integration=webhook)
    assert [row.state for row in others] == ["sent"] * 3


def test_facts_about_one_subject_arrive_in_their_order(brand, clock):
    WebhookFactory(brand=brand)
    receiver = Receiver(answer(500), answer(200))
    states = ["pending", "held", "approved"]

    for state in states:
        announce(
            [
                fact(
                    brand,
                    FactKind.COMMISSION_CHANGED,
                    subject="commission:17",
                    key=f"commission:17:{state}",
                    data={"status": state},
                )
            ],
            now=clock.at,
        )
    clock.pass_by(milliseconds=1)
    announce([fact(brand, subject="commission:18", key="18", data={})], now=clock.at)
    deliver_all(receiver, clock)
    between = len(receiver.calls)
    clock.pass_by(minutes=3)
    deliver_all(receiver, clock)

    told = [message["data"].get("status") for message in receiver.messages]
    assert told[0] == "pending"
    assert None in told[:between]
    assert [one for one in told[1:] if one] == states


def test_delivered_event_is_sent_again_under_its_identifier(brand, clock):
    WebhookFactory(brand=brand)
    receiver = Receiver()

    announce([fact(brand)], now=clock.at)
    deliver_all(receiver, clock)
    count = services.retry_deliveries(Delivery.objects.all(), now=clock.at)
    deliver_all(receiver, clock)

    assert count == 1
    assert len(receiver.calls) == 2
    assert len(set(receiver.ids)) == 1
    assert state_of(Delivery.objects.get()) == ("sent", 2)


def test_settings_that_are_put_right_hurry_what_failed(brand, clock):
    webhook = WebhookFactory(brand=brand)
    receiver = Receiver(answer(404), answer(200))

    announce([fact(brand)], now=clock.at)
    deliver_all(receiver, clock)
    resumed = services.resume_deliveries(webhook, now=clock.at)
    deliver_all(receiver, clock)

    assert resumed == 1
    assert state_of(Delivery.objects.get()) == ("sent", 2)


def test_brand_is_told_of_its_own_facts_with_its_own_secret(brand, clock):
    other = BrandFactory(client_area="other.example.com")
    WebhookFactory(brand=brand)
    WebhookFactory(
        brand=other,
        address="https://other.example.com/hooks",
        secret="whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
    )
    receiver = Receiver()

    announce([fact(other)], now=clock.at)
    deliver_all(receiver, clock)

    [call] = receiver.calls
    assert call.url == "https://other.example.com/hooks"
    with pytest.raises(WebhookVerificationError):
        verified(call)


def test_new_secret_overlaps_the_old_one_for_a_day(brand, clock):
    webhook = WebhookFactory(brand=brand)
    receiver = Receiver()

    rotated_at = clock.at
    secret = webhooks.rotate_secret(webhook.pk, now=rotated_at)
    announce([fact(brand)], now=clock.at)
    deliver_all(receiver, clock)
    webhook.refresh_from_db()
    until = webhook.config["previous_until"]

    [call] = receiver.calls
    assert verified(call, secret) == verified(call, WEBHOOK_SECRET)
    assert until == (rotated_at + timedelta(days=1)).isoformat()
    assert secret not in json.dumps(webhook.config) + webhook.secrets
    assert CREDENTIALS.open(webhook.secrets) == {
        "secret": secret,
        "previous": WEBHOOK_SECRET,
    }


def test_leaked_secret_is_gone_after_two_rotations(brand, clock):
    webhook = WebhookFactory(brand=brand)
    receiver = Receiver()

    webhooks.rotate_secret(webhook.pk, now=clock.at)
    latest = webhooks.rotate_secret(webhook.pk, now=clock.at)
    announce([fact(brand)], now=clock.at)
    deliver_all(receiver, clock)

    [call] = receiver.calls
    assert verified(call, latest)
    with pytest.raises(WebhookVerificationError):
        verified(call, WEBHOOK_SECRET)


def test_webhook_whose_secret_cannot_be_read_gets_a_new_one(brand, clock):
    webhook = WebhookFactory(brand=brand, secrets="of another server")
    receiver = Receiver()

    announce([fact(brand)], now=clock.at)
    deliver_all(receiver, clock)
    unread = Delivery.objects.get()
    secret = webhooks.rotate_secret(webhook.pk, now=clock.at)
    deliver_all(receiver, clock)

    assert (unread.state, unread.outcome) == ("retry", "config")
    [call] = receiver.calls
    assert verified(call, secret)
    assert "previous_until" not in Webhook.objects.get().config
