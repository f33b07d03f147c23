"""Whom a client and an order were sent by, with the decision that says why."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from affiliates.brands.models import Brand
from affiliates.program.models import Affiliate
from affiliates.referrals.rules import Outcome, Reason

MAX_REFERENCE = 64


class RegistrationStep(models.TextChoices):
    REGISTER = "register", "Registration"
    GUEST = "guest", "Guest registration"
    COMPLETE = "complete", "Completion of a guest registration"


class ClientReferral(models.Model):
    """A client is bound to the affiliate who sent them, once and for good."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT)
    client = models.OneToOneField(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="client_referral",
    )
    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="client_referrals"
    )
    click_id = models.UUIDField()
    visitor_id = models.UUIDField()
    touched_at = models.DateTimeField("click time")
    bound_at = models.DateTimeField()
    step = models.CharField(max_length=20, choices=RegistrationStep.choices)

    class Meta:
        ordering = ["-bound_at"]

    def __str__(self) -> str:
        return f"{self.client} by {self.affiliate}"


class OrderReferral(models.Model):
    """The attribution of one order's initial invoice. Every converted order has one."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT)
    order_ref = models.CharField("order", max_length=MAX_REFERENCE)
    invoice_ref = models.CharField("initial invoice", max_length=MAX_REFERENCE)
    client = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+"
    )
    referral_cookie = models.TextField(
        blank=True, help_text="The valid cookie sent with the conversion, still sealed."
    )
    outcome = models.CharField(max_length=20, choices=Outcome.choices())
    reason = models.CharField(max_length=40, choices=Reason.choices())
    affiliate = models.ForeignKey(
        Affiliate,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="order_referrals",
    )
    click_id = models.UUIDField(null=True, blank=True)
    touched_at = models.DateTimeField("click time", null=True, blank=True)
    converted_at = models.DateTimeField()
    decision = models.JSONField()

    class Meta:
        ordering = ["-converted_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "order_ref"], name="order_has_one_referral"
            ),
            models.UniqueConstraint(
                fields=["brand", "invoice_ref"], name="invoice_has_one_referral"
            ),
            models.CheckConstraint(
                condition=Q(outcome=Outcome.NOBODY.value, affiliate__isnull=True)
                | (~Q(outcome=Outcome.NOBODY.value) & Q(affiliate__isnull=False)),
                name="order_referral_names_affiliate_unless_nobody",
            ),
        ]

    def __str__(self) -> str:
        return self.order_ref
