"""Managers of some rows: trackers, webhooks, and the rows staff maintain."""

from __future__ import annotations

from typing import TypeVar

from django.db import models

from affiliates.db.records import RecordManager
from affiliates.outbox.types import WEBHOOK

M = TypeVar("M", bound=models.Model)


class TrackerManager(RecordManager[M]):
    """Trackers only, without the webhooks that share their outbox."""

    def get_queryset(self) -> models.QuerySet[M]:
        return super().get_queryset().exclude(provider=WEBHOOK)


class OperatorsHealthManager(RecordManager[M]):
    """Leaves out affiliates' webhooks, which the affiliates maintain."""

    def get_queryset(self) -> models.QuerySet[M]:
        return super().get_queryset().filter(integration__affiliate=None)
