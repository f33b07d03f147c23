"""The states of queued rows in the admin: their colours, and one filter."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from affiliates.outbox.queue.rules import NEEDS_A_PERSON, QueueState

STATE_COLOURS = {
    QueueState.WAITING: "info",
    QueueState.SENDING: "info",
    QueueState.RETRY: "warning",
    QueueState.UNCLEAR: "warning",
    QueueState.SENT: "success",
    QueueState.FAILED: "danger",
    QueueState.GIVEN_UP: "danger",
    QueueState.NOT_SENT: "info",
}


class WaitingFilter(admin.SimpleListFilter):
    title = "waiting"
    parameter_name = "waiting"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("yes", "Still to be done"),
            ("person", "Needs a person"),
            ("no", "Finished"),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        match self.value():
            case "yes":
                return queryset.filter(next_at__isnull=False)
            case "person":
                return queryset.filter(next_at=None, state__in=NEEDS_A_PERSON)
            case "no":
                return queryset.filter(next_at__isnull=True)
            case _:
                return queryset
