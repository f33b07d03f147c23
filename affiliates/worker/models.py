"""A row for each job: its schedule, its lease, and how it went."""

from __future__ import annotations

from django.db import models

from affiliates.db.records import Record

MAX_NAME = 64
MAX_HOLDER = 100
MAX_ERROR = 200


class WorkerJob(Record):
    name = models.CharField(max_length=MAX_NAME, primary_key=True)
    next_due_at = models.DateTimeField()
    lease_until = models.DateTimeField(null=True, blank=True)
    holder = models.CharField(max_length=MAX_HOLDER, blank=True)
    last_started_at = models.DateTimeField(null=True, blank=True)
    last_succeeded_at = models.DateTimeField(null=True, blank=True)
    last_failed_at = models.DateTimeField(null=True, blank=True)
    last_error = models.CharField(max_length=MAX_ERROR, blank=True)

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name
