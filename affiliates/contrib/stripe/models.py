"""Stripe's events, and what they say of invoices and payments, by Stripe's ids."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.db.records import Record, optional_text
from affiliates.referrals.models import MAX_REFERENCE

MAX_TYPE, MAX_REASON = 100, 255


class StripeEventState(models.TextChoices):
    APPLIED = "applied", "Applied"
    WAITING = "waiting", "Waits for another event"
    REFUSED = "refused", "Refused"
    IGNORED = "ignored", "Ignored"


class StripeEvent(Record):
    """A signed event. ``payload`` holds the fields that are read, until it is applied.

    A waiting event is applied once another event tells of ``waits_for``, the id of a
    subscription, invoice, payment intent or charge.
    """

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    event_id = models.CharField("event", max_length=MAX_REFERENCE)
    type = models.CharField(max_length=MAX_TYPE)
    created_at = models.DateTimeField(help_text="At Stripe.")
    received_at = models.DateTimeField()
    state = models.CharField(max_length=10, choices=StripeEventState.choices)
    waits_for = optional_text(max_length=MAX_REFERENCE)
    reason = optional_text(max_length=MAX_REASON)
    payload = models.JSONField(default=dict)

    class Meta:
        default_permissions = ("change", "view")
        ordering = ["-id"]
        verbose_name = "Stripe event"
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "event_id"], name="stripe_event_is_stored_once"
            ),
            models.CheckConstraint(
                condition=Q(state=StripeEventState.WAITING) ^ Q(waits_for=""),
                name="waiting_stripe_event_waits_for_something",
            ),
        ]
        indexes = [
            models.Index(
                fields=["brand", "waits_for"],
                condition=Q(state=StripeEventState.WAITING),
                name="waiting_stripe_events",
            ),
            models.Index(fields=["received_at"], name="stripe_events_by_age"),
        ]

    def __str__(self) -> str:
        return self.event_id


class StripeInvoice(Record):
    """A paid invoice. ``labels`` has product, kind and cycle by the ids of its lines.

    ``number`` and ``position`` are those of the seam; ``opens_term`` is false for an
    invoice in the middle of a term, such as that of an upgrade.
    """

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    invoice_id = models.CharField(max_length=MAX_REFERENCE)
    subscription_id = optional_text(max_length=MAX_REFERENCE)
    number = models.PositiveIntegerField(default=0)
    position = models.PositiveIntegerField(default=0)
    opens_term = models.BooleanField(default=False)
    has_amount = models.BooleanField()
    created_at = models.DateTimeField()
    covers_until = models.DateTimeField(null=True)
    labels = models.JSONField(default=dict)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "invoice_id"], name="stripe_invoice_is_stored_once"
            ),
            models.UniqueConstraint(
                fields=["brand", "subscription_id", "number"],
                condition=~Q(subscription_id=""),
                name="stripe_invoice_has_a_number_of_its_own",
            ),
        ]

    def __str__(self) -> str:
        return self.invoice_id


class StripePayment(Record):
    """A payment intent or charge, and the invoice that it paid."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    payment_id = models.CharField(max_length=MAX_REFERENCE)
    invoice_id = models.CharField(max_length=MAX_REFERENCE)

    class Meta:
        default_permissions = ()
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "payment_id"], name="stripe_payment_is_stored_once"
            )
        ]

    def __str__(self) -> str:
        return self.payment_id
