"""The table of keys with which programs use the API."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q

from affiliates.core.secrets.keys import HINT_CHARACTERS
from affiliates.db.records import Record

MAX_NAME = 100
MAX_HINT = len("afk_") + HINT_CHARACTERS
USE_NOTED_EVERY = timedelta(hours=1)


class ApiKey(Record):
    """The key itself is shown once and never stored; ``digest`` finds it."""

    name = models.CharField(max_length=MAX_NAME)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    hint = models.CharField(max_length=MAX_HINT, help_text="How the key begins.")
    scopes = models.JSONField()
    created_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, help_text="To the hour.")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.name} ({self.hint}…)"

    def note_use(self, *, now: datetime) -> None:
        """Writes once an hour at most, so that calls do not wait for each other."""
        noted = now - USE_NOTED_EVERY
        if self.last_used_at is None or self.last_used_at < noted:
            unnoted = Q(last_used_at=None) | Q(last_used_at__lt=noted)
            type(self).objects.filter(unnoted, pk=self.pk).update(last_used_at=now)
