"""The e-mails that tell of a changed destination, to those who would miss the money."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.template.loader import render_to_string

from affiliates.adapter import get_adapter
from affiliates.emails.services import enqueue_email
from affiliates.errors import StateConflict
from affiliates.payouts import details
from affiliates.payouts.models import Payout, PayoutDestination
from affiliates.payouts.rules import DestinationKind, PayoutStatus

TEMPLATE = "affiliates/payouts/destination_changed.txt"


def enqueue_destination_changed(
    destination: PayoutDestination, *, now: datetime
) -> int:
    """To the client and the PayPal address paid to before, each its own; how many.

    A repeat for the same destination adds none.
    """
    before = (
        PayoutDestination.objects.filter(
            affiliate_id=destination.affiliate_id, pk__lt=destination.pk
        )
        .order_by("-id")
        .first()
    )
    brand = " ".join(str(destination.affiliate.brand).split())
    text = render_to_string(
        TEMPLATE, {"destination": destination, "before": before, "brand": brand}
    )
    recipients = _recipients(destination, before)
    for role, address in recipients.items():
        enqueue_email(
            brand_id=destination.affiliate.brand_id,
            key=f"payout_destination_changed:{destination.pk}:{role}",
            recipient=address,
            subject=f"{brand}: where your affiliate payouts go was changed",
            text=text,
            now=now,
        )
    return len(recipients)


def _recipients(
    destination: PayoutDestination, before: PayoutDestination | None
) -> Mapping[str, str]:
    client = get_adapter().get_client(str(destination.affiliate.user_id))
    recipients = {"client": client.email} if client and client.email else {}
    paypal = _paypal_address(before)
    if paypal and paypal not in recipients.values():
        recipients["paypal"] = paypal
    return recipients


def _paypal_address(before: PayoutDestination | None) -> str:
    """Where money has arrived: else anybody's address could be flooded with e-mails."""
    if before is None or before.kind != DestinationKind.PAYPAL:
        return ""
    was_paid_to = Payout.objects.filter(
        affiliate_id=before.affiliate_id,
        destination__kind=before.kind,
        destination__fingerprint=before.fingerprint,
        status=PayoutStatus.PAID,
    )
    if not was_paid_to.exists():
        return ""
    try:
        return details.open_details(before.details)["email"]
    except StateConflict:
        return ""
