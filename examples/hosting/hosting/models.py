from decimal import Decimal

from django.conf import settings
from django.db import models
from django.utils import timezone

VAT = Decimal("0.20")
# What is sold: the name, the billing cycle and the net price in euros.
PRODUCTS = {
    "starter": ("Starter hosting", "monthly", Decimal("10.00")),
    "business": ("Business hosting", "annually", Decimal("240.00")),
}


class Coupon(models.Model):
    code = models.CharField(max_length=64, unique=True)
    percent_off = models.DecimalField(max_digits=5, decimal_places=2)
    valid_until = models.DateTimeField(null=True, blank=True)
    is_active = models.BooleanField(default=True)

    def __str__(self) -> str:
        return self.code


class Order(models.Model):
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)
    product = models.CharField(max_length=20)
    coupon = models.ForeignKey(Coupon, on_delete=models.PROTECT, null=True, blank=True)
    placed_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return f"Order {self.pk}"


class Invoice(models.Model):
    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="invoices")
    # 0 is the order's first invoice; its renewals count from 1.
    period = models.PositiveIntegerField(default=0)
    net = models.DecimalField(max_digits=9, decimal_places=2)
    gross = models.DecimalField(max_digits=9, decimal_places=2)
    paid_at = models.DateTimeField(null=True, blank=True)
    refunded_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        unique_together = ("order", "period")

    def __str__(self) -> str:
        return f"Invoice {self.pk}"
