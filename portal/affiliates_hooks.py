"""The portal's own background jobs."""

from __future__ import annotations

from datetime import timedelta

from affiliates.worker.registry import register
from affiliates.worker.types import Clock, ShouldStop
from portal.billing.renewals import issue_due
from portal.clients.sessions import delete_expired


@register(
    "issue_renewals",
    every=timedelta(hours=1),
    does="Issues the invoice of every renewal that is due.",
)
def issue_renewals(now: Clock, should_stop: ShouldStop) -> str:
    return issue_due(now=now())


@register(
    "end_sessions",
    every=timedelta(days=1),
    does="Deletes expired sessions and tokens.",
)
def end_sessions(now: Clock, should_stop: ShouldStop) -> str:
    return delete_expired(now=now())
