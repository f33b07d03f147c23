"""Registers the webhook, the job, the work of staff, what is looked at and personal data."""

from __future__ import annotations

from django.db.models import Q
from django.db.transaction import non_atomic_requests
from django.urls import path

from affiliates.api.registry import ROUTES
from affiliates.brands.roles import OPERATOR, Work, register
from affiliates.contrib.stripe import health, services
from affiliates.contrib.stripe.views import receive
from affiliates.privacy.registry import Keys, declare
from affiliates.privacy.types import Key, Person
from affiliates.privacy.uses import DELIVERY, SALE

__all__ = ["health", "services"]

ROUTES.append(
    path(
        "api/stripe/<int:brand_id>", non_atomic_requests(receive), name="stripe_webhook"
    )
)

register("affiliates_stripe", {OPERATOR: Work(does=("change_stripeevent",))})

_OF_INVOICE = {Person.CLIENT: {"invoice_id": Key.INVOICE}}


def _of_client(keys: Keys) -> Q:
    """Checkouts that are not applied yet: other events name no client."""
    ids = [str(key) for key in keys[Key.USER]]
    return Q(payload__client_reference_id__in=ids) | Q(payload__client__in=ids)


declare(
    "affiliates_stripe.StripeEvent",
    {DELIVERY: "payload"},
    of={Person.CLIENT: _of_client},
    deletes={Person.CLIENT},
    other="event_id type waits_for reason",
)
declare(
    "affiliates_stripe.StripeInvoice",
    {SALE: "subscription_id"},
    of=_OF_INVOICE,
    other="invoice_id labels",
)
declare(
    "affiliates_stripe.StripePayment",
    {SALE: "payment_id"},
    of=_OF_INVOICE,
    other="invoice_id",
)
