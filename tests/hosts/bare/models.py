"""A host's own tables, as few as a host can have."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils import timezone
from djmoney.models.fields import MoneyField


class Profile(models.Model):
    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    brand_id = models.IntegerField()
    is_guest = models.BooleanField(default=False)

    def __str__(self) -> str:
        return str(self.user_id)


class BareOrder(models.Model):
    client = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    is_empty = models.BooleanField(default=False)
    client_paid_before = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    converted_at = models.DateTimeField(null=True)
    coupon_code = models.CharField(max_length=64, blank=True)
    is_service_active = models.BooleanField(null=True)

    def __str__(self) -> str:
        return str(self.pk)


class BareCredit(models.Model):
    client = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    payout_ref = models.CharField(max_length=64, unique=True)
    amount = MoneyField(
        max_digits=15, decimal_places=3, default_currency=None, currency_choices=()
    )

    def __str__(self) -> str:
        return self.payout_ref
