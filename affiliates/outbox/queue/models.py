"""The columns of a row that waits, is leased, sent, tried again and given up."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.db.records import Record
from affiliates.outbox.queue.rules import ENDED, TRIED_NEXT, QueueState
from affiliates.telemetry.request_ids import MAX_REQUEST_ID, current_request_id

MAX_DETAIL = 500


class QueuedRow(Record):
    """A row that is sent later, exactly once as far as its receiver allows.

    ``next_at`` is set while a try follows: its moment or, while a process has leased the
    row, the moment that process is presumed dead. That exact value is the process's
    proof of ownership. ``attempt_count`` numbers the tries that were begun.
    ``request_id`` is that of the request or job which queued the row.
    """

    state = models.CharField(
        max_length=20, choices=QueueState.choices, default=QueueState.WAITING
    )
    attempt_count = models.PositiveIntegerField("attempts", default=0)
    next_at = models.DateTimeField("next attempt", null=True, blank=True)
    detail = models.CharField("reason", max_length=MAX_DETAIL, blank=True)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    request_id = models.CharField(
        max_length=MAX_REQUEST_ID, blank=True, default=current_request_id, db_default=""
    )

    class Meta:
        abstract = True
        constraints = [
            models.CheckConstraint(
                condition=Q(state=QueueState.UNCLEAR)
                | Q(state__in=TRIED_NEXT, next_at__isnull=False)
                | Q(state__in=ENDED, next_at__isnull=True),
                name="only_open_%(class)s_has_next_attempt",
            )
        ]
