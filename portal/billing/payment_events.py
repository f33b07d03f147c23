"""The messages of gateways."""

from __future__ import annotations

from django.db import models

from affiliates.extending import Record
from portal.orders.models import MAX_GATEWAY_LENGTH

MAX_EVENT_ID_LENGTH = 255


class EventOutcome(models.TextChoices):
    RECEIVED = "received", "Received"
    PROCESSED = "processed", "Processed"
    IGNORED = "ignored", "Ignored: a type we do not follow"
    REJECTED = "rejected", "Rejected"
    DEFERRED = "deferred", "Deferred: expected again"


class PaymentEvent(Record):
    """A signed message of a gateway, kept before it is believed: what is read of it."""

    gateway = models.CharField(max_length=MAX_GATEWAY_LENGTH)
    event_id = models.CharField(max_length=MAX_EVENT_ID_LENGTH)
    body = models.TextField(help_text="Without fields that are not read.")
    received_at = models.DateTimeField()
    outcome = models.CharField(
        max_length=10, choices=EventOutcome.choices, default=EventOutcome.RECEIVED
    )
    failure = models.CharField(max_length=64, blank=True)
    failure_detail = models.CharField(max_length=255, blank=True)
    processed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-received_at", "-id"]
        indexes = [models.Index(fields=["received_at", "id"], name="event_by_time")]
        permissions = [("process_paymentevent", "Can process an event again")]
        constraints = [
            models.UniqueConstraint(
                fields=["gateway", "event_id"], name="payment_event_is_stored_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.gateway} {self.event_id}"
