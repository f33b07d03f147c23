"""Lists too large to be saved while somebody waits: the worker makes their files."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from affiliates.db.records import Record

MAX_DETAIL = 200


class SavedListState(models.TextChoices):
    WAITING = "waiting", "Being made"
    READY = "ready", "Ready"
    FAILED = "failed", "Failed"
    REMOVED = "removed", "Removed"


class SavedList(Record):
    """A list of the admin that somebody has asked for as a file, with its filters.

    ``site`` and ``model`` are the admin's, ``url`` is where the asker finds the file.
    """

    asker = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+"
    )
    site = models.CharField(max_length=100)
    model = models.CharField("list", max_length=100)
    query = models.TextField("filters", blank=True)
    file_format = models.CharField("format", max_length=10)
    url = models.TextField()
    state = models.CharField(
        max_length=20, choices=SavedListState.choices, default=SavedListState.WAITING
    )
    attempt_count = models.PositiveSmallIntegerField(default=0)
    file = models.CharField(max_length=200, blank=True)
    row_count = models.PositiveIntegerField("rows", null=True, blank=True)
    detail = models.CharField("reason", max_length=MAX_DETAIL, blank=True)
    asked_at = models.DateTimeField("asked")
    finished_at = models.DateTimeField("finished", null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        verbose_name = "saved list"
        indexes = [
            models.Index(
                fields=["asked_at"],
                name="saved_list_to_be_made",
                condition=Q(state=SavedListState.WAITING),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.model.rpartition('.')[-1]} as {self.file_format.upper()}"
