"""Records how a provider answers, and reacts when it recovers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import F, Q

from affiliates.brands.models.change import ConfigChange
from affiliates.brands.rules import ChangeKind
from affiliates.brands.services import record_changes
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import (
    MAX_DETAIL,
    IntegrationHealth,
    TrackingIntegration,
)
from affiliates.outbox.pacing import (
    failing_from,
    hurried_attempts,
    pause_after,
    was_under_way,
)
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.queue.services import unlocked
from affiliates.outbox.rules import WebhookEnd, is_answer, is_lasting
from affiliates.outbox.sending.lease import lock_health
from affiliates.outbox.types import CallOutcome, OutcomeKind

# ``last_ok_at`` is only displayed: it need not be written with every delivery.
OK_PRECISION = timedelta(seconds=10)
_COUNTED = (
    "failures",
    "paused_until",
    "failing_since",
    "last_ok_at",
    "last_failure_at",
    "last_failure",
)


def record_answers(
    integration_id: int,
    answers: Sequence[tuple[CallOutcome, datetime]],
    *,
    now: datetime,
) -> bool:
    """Counts the outcomes of calls, each with the moment at which its attempt began.

    Returns whether the provider is paused now. Runs inside the transaction that finishes
    the deliveries.
    """
    is_fine = all(is_answer(outcome.kind) for outcome, _ in answers)
    if is_fine and not _is_news(integration_id, now=now):
        return False
    health = lock_health(integration_id)
    ended = 0
    for outcome, began_at in answers:
        if is_answer(outcome.kind):
            ended = max(ended, health.failures)
            _count_success(health, now=now)
        else:
            _count_failure(health, outcome.detail, began_at=began_at, now=now)
    health.save(update_fields=_COUNTED)
    if ended and not health.failures:
        _hurry(integration_id, failures=ended, now=now)
    return health.paused_until is not None and health.paused_until > now


def end_lasting_failure(integration: TrackingIntegration, *, now: datetime) -> bool:
    """Turns off an affiliate's webhook that has accepted nothing for long.

    Runs after ``record_answers``, in its transaction. Returns whether it was turned off.
    """
    if integration.affiliate_id is None:
        return False
    health = lock_health(integration.pk)
    if not is_lasting(failing_since=health.failing_since, now=now):
        return False
    switch_off(
        integration.pk, detail=health.last_failure, end=WebhookEnd.FAILING, now=now
    )
    return True


def switch_off(
    integration_id: int,
    *,
    detail: str,
    end: WebhookEnd = WebhookEnd.GONE,
    now: datetime,
) -> None:
    """Turns the integration off: nothing is sent until it is turned on again.

    Runs inside the transaction that finishes the delivery. The sweep gives up the rest.
    """
    health = lock_health(integration_id)
    health.last_failure_at = now
    health.last_failure = detail[:MAX_DETAIL]
    health.save(update_fields=["last_failure_at", "last_failure"])
    TrackingIntegration.objects.filter(pk=integration_id).update(
        is_active=False, end=end
    )
    record_changes([ConfigChange(kind=ChangeKind.INTEGRATION)])


def count_further_calls(
    integration: TrackingIntegration, count: int, *, now: datetime
) -> None:
    """Counts a conversation of several calls as that many deliveries in the rate."""
    further = timedelta(seconds=count / integration.requests_per_second)
    IntegrationHealth.of_all.filter(
        pk=integration.pk, next_slot_at__isnull=False
    ).update(next_slot_at=F("next_slot_at") + further)


def _is_news(integration_id: int, *, now: datetime) -> bool:
    """Whether a success changes the health row: else it need not be locked."""
    is_news = (
        Q(failures__gt=0) | Q(last_ok_at=None) | Q(last_ok_at__lt=now - OK_PRECISION)
    )
    return IntegrationHealth.of_all.filter(is_news, pk=integration_id).exists()


def _count_success(health: IntegrationHealth, *, now: datetime) -> None:
    health.failures = 0
    health.paused_until = health.failing_since = None
    health.last_ok_at = now


def _count_failure(
    health: IntegrationHealth, detail: str, *, began_at: datetime, now: datetime
) -> None:
    if not was_under_way(
        failures=health.failures, last_at=health.last_failure_at, began_at=began_at
    ):
        health.failures += 1
        pause = pause_after(health.failures)
        if pause is not None:
            health.paused_until = now + pause
    health.failing_since = failing_from(
        since=health.failing_since, last_at=health.last_failure_at, now=now
    )
    health.last_failure_at = now
    health.last_failure = detail[:MAX_DETAIL]


def _hurry(integration_id: int, *, failures: int, now: datetime) -> None:
    """Makes due at once the deliveries that failed while the provider was failing.

    Few rows: during a pause one delivery at a time fails. Leaves out those for which the
    provider named a wait, and rows that another sender is finishing: it may be waiting
    for the health row that is locked here.
    """
    failed = Delivery.objects.filter(
        integration=integration_id,
        next_at__gt=now,
        state__in=[QueueState.RETRY, QueueState.UNCLEAR],
        outcome__in=[OutcomeKind.RETRY, OutcomeKind.CONFIG],
        attempt_count__lt=hurried_attempts(failures),
    )
    keys = unlocked(failed).values_list("pk", flat=True)
    Delivery.objects.filter(pk__in=list(keys)).update(next_at=now)
