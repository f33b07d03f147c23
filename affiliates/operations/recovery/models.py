"""The record of each promotion or restore of the database."""

from __future__ import annotations

from django.db import models

from affiliates.db.records import Record


class Recovery(Record):
    """One run of ``affiliates_after_restore``. ``report`` holds the printed lines."""

    restored_at = models.DateTimeField(unique=True)
    numbers = models.PositiveIntegerField("numbers left out")
    report = models.JSONField()
    ran_at = models.DateTimeField()

    class Meta:
        ordering = ["-restored_at"]
        verbose_name_plural = "recoveries"
        # The command prints it; no page shows it.
        default_permissions = ()

    def __str__(self) -> str:
        return f"{self.restored_at:%Y-%m-%d %H:%M:%S}"
