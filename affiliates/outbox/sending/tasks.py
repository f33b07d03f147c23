"""Tasks for a host that runs django-tasks. Importing this needs the package."""

from __future__ import annotations

from time import monotonic

from django.utils import timezone
from django_tasks import task

from affiliates.outbox.pacing import MAX_UNDER_WAY
from affiliates.outbox.sending.deliver import deliver_due, describe
from affiliates.outgoing.client import Transport

MAX_SECONDS = 20.0


@task()
def deliver_pass() -> str:
    """Sends due deliveries once, briefly: the host's worker has other tasks.

    Returns a report for people.
    """
    until = monotonic() + MAX_SECONDS
    with Transport() as transport:
        states = deliver_due(
            transport=transport,
            now=timezone.now,
            should_stop=lambda: monotonic() >= until,
            under_way=MAX_UNDER_WAY,
        )
    return describe(states)
