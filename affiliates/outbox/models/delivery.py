"""Messages to a provider, and each attempt to send them."""

from __future__ import annotations

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.db.records import Record
from affiliates.encrypted.addresses import PayloadField
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.queue.models import MAX_DETAIL, QueuedRow
from affiliates.outbox.queue.rules import NEEDS_A_PERSON
from affiliates.outbox.types import Operation, OutcomeKind

MAX_KEY = 100
MAX_VISITOR_REF = 128
MAX_REFERENCE = 64
MAX_REMOTE_REF = 255


class Delivery(QueuedRow):
    """One message to a provider, sent exactly once as far as the network allows."""

    brand = models.ForeignKey(
        Brand, on_delete=models.PROTECT, related_name="+", db_index=False
    )
    integration = models.ForeignKey(
        TrackingIntegration,
        on_delete=models.PROTECT,
        related_name="deliveries",
        db_index=False,
    )
    operation = models.CharField(max_length=20, choices=Operation.choices)
    key = models.CharField(max_length=MAX_KEY)
    visitor_ref = models.CharField(
        "visitor or subject", max_length=MAX_VISITOR_REF, blank=True
    )
    order_ref = models.CharField("invoice", max_length=MAX_REFERENCE, blank=True)
    payload = PayloadField(encoder=DjangoJSONEncoder)
    outcome = models.CharField(
        "last outcome", max_length=20, choices=OutcomeKind.choices, blank=True
    )
    remote_ref = models.CharField(
        "provider's reference", max_length=MAX_REMOTE_REF, blank=True
    )

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "deliveries"
        constraints = [
            *QueuedRow.Meta.constraints,
            models.UniqueConstraint(
                fields=["integration", "key"], name="delivery_is_queued_once"
            ),
        ]
        indexes = [
            models.Index(
                fields=["integration", "next_at"],
                name="delivery_due",
                condition=Q(next_at__isnull=False),
            ),
            models.Index(
                fields=["integration", "visitor_ref", "id"],
                name="delivery_open_of_visitor",
                condition=Q(next_at__isnull=False),
            ),
            models.Index(
                fields=["integration", "order_ref"],
                name="delivery_of_order",
                condition=~Q(order_ref=""),
            ),
            models.Index(
                fields=["integration", "created_at"],
                name="delivery_needs_attention",
                condition=Q(state__in=NEEDS_A_PERSON),
            ),
            models.Index(fields=["created_at"], name="delivery_by_time"),
        ]

    def __str__(self) -> str:
        number = getattr(self, "invoice_number", "")
        return f"{self.get_operation_display()} {number or self.pk}"


class DeliveryAttempt(Record):
    """One attempt at a delivery, and its result."""

    delivery = models.ForeignKey(
        Delivery, on_delete=models.CASCADE, related_name="attempts", db_index=False
    )
    number = models.PositiveIntegerField()
    operation = models.CharField(max_length=20, choices=Operation.choices)
    started_at = models.DateTimeField()
    duration_ms = models.PositiveIntegerField()
    status_code = models.PositiveSmallIntegerField(null=True, blank=True)
    outcome = models.CharField(max_length=20, choices=OutcomeKind.choices)
    detail = models.CharField(max_length=MAX_DETAIL, blank=True)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["delivery", "number"], name="attempt_number_is_unique"
            ),
        ]

    def __str__(self) -> str:
        return f"Attempt {self.number} of {self.delivery_id}"


class VisitorAlias(Record):
    """The provider's identifier of a visitor, where it differs from ours."""

    integration = models.ForeignKey(
        TrackingIntegration, on_delete=models.CASCADE, db_index=False
    )
    visitor_ref = models.CharField(max_length=MAX_VISITOR_REF)
    remote_id = models.CharField(max_length=MAX_VISITOR_REF)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["integration", "visitor_ref"], name="visitor_has_one_alias"
            ),
        ]

    def __str__(self) -> str:
        return self.visitor_ref
