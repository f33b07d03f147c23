"""The steps of the canary's walk, and when its last one is too old to trust."""

from __future__ import annotations

from datetime import datetime, timedelta

from affiliates.core.enums import LabelledEnum

EVERY = timedelta(days=1)
# A worker that is restarted at the wrong moment is no fault yet.
PATIENCE = timedelta(hours=12)


class CanaryStep(LabelledEnum):
    VISIT = "visit", "Visit"
    REGISTRATION = "registration", "Registration"
    ORDER = "order", "Order"
    PAYMENT = "payment", "Payment"
    REFUND = "refund", "Refund"


def is_overdue(ran_at: datetime | None, *, now: datetime) -> bool:
    return ran_at is None or ran_at < now - EVERY - PATIENCE
