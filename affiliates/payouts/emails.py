"""The e-mails that tell of a changed destination, to those who would miss the money."""

from __future__ import annotations

from django.core.mail import send_mail
from django.template.loader import render_to_string

from affiliates.adapter import get_adapter
from affiliates.errors import StateConflict
from affiliates.payouts import details
from affiliates.payouts.models import Payout, PayoutDestination
from affiliates.payouts.rules import DestinationKind, PayoutStatus

TEMPLATE = "affiliates/payouts/destination_changed.txt"


def send_destination_changed(destination_id: int) -> int:
    """To the client and the PayPal address paid to before, each its own; how many."""
    destination = PayoutDestination.objects.select_related("affiliate__brand").get(
        pk=destination_id
    )
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
    subject = f"{brand}: where your affiliate payouts go was changed"
    recipients = _recipients(destination, before)
    for address in recipients:
        send_mail(subject, text, None, [address])
    return len(recipients)


def _recipients(
    destination: PayoutDestination, before: PayoutDestination | None
) -> list[str]:
    client = get_adapter().get_client(str(destination.affiliate.user_id))
    addresses = [client.email if client else "", _paypal_address(before)]
    return list(dict.fromkeys(address for address in addresses if address))


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
