from django.conf import settings
from django.db import models


class Subscription(models.Model):
    """One of Stripe's, by its id: what affiliates knows as the order."""

    stripe_id = models.CharField(max_length=64, primary_key=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT)

    def __str__(self) -> str:
        return self.stripe_id


class Payment(models.Model):
    """A paid invoice of a subscription. It may be known before the subscription is."""

    invoice_id = models.CharField(max_length=64, primary_key=True)
    subscription_id = models.CharField(max_length=64, db_index=True)
    charge_id = models.CharField(max_length=64, db_index=True)
    # 0 is the first invoice; the others count from 1 as they become known.
    number = models.PositiveIntegerField()

    class Meta:
        unique_together = ("subscription_id", "number")

    def __str__(self) -> str:
        return self.invoice_id
