"""Ways to take a payment: by hand, by a gateway's signed webhook, or from the
client's account credit.

A gateway is a name and its webhook secret, ``PAYMENT_WEBHOOK_SECRET_<NAME>`` in the
environment. ``manual`` needs none: the client transfers the amount, and an operator
marks the invoice paid in the admin.
"""

from __future__ import annotations

from uuid import UUID

from django.conf import settings
from django.urls import reverse

MANUAL = "manual"
DEMO = "demo"
# Never chosen beforehand: a client pays an invoice with it, or another way.
CREDIT = "account_credit"


def webhook_secret(gateway: str) -> str | None:
    """The gateway's signing secret, or None when there is no such gateway."""
    if gateway == CREDIT or (gateway == DEMO and not settings.DEMO_GATEWAY):
        return None
    secrets: dict[str, str] = settings.PAYMENT_WEBHOOK_SECRETS
    return secrets.get(gateway)


def is_known(gateway: str) -> bool:
    return gateway == MANUAL or webhook_secret(gateway) is not None


def default_gateway() -> str:
    return DEMO if webhook_secret(DEMO) is not None else MANUAL


def payment_url(*, gateway: str, invoice_id: UUID) -> str | None:
    """The page where the client pays, relative to the service; None: paid by hand."""
    if gateway == DEMO and webhook_secret(DEMO) is not None:
        return reverse("demo-bank", args=[invoice_id])
    return None
