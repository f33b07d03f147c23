"""Facts to compare with other systems after a promotion or restore."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Count, Sum

from affiliates.core.money import from_minor
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import PayoutStatus
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import InvoicePayment, InvoiceRefund
from affiliates.visits.models import Click

# The last that the database still holds of each, by when it was stored.
LAST: tuple[tuple[str, Any, str], ...] = (
    ("click", Click, "created_at"),
    ("referred client", ClientReferral, "bound_at"),
    ("order", OrderReferral, "converted_at"),
    ("payment", InvoicePayment, "received_at"),
    ("refund", InvoiceRefund, "received_at"),
)
# A payout that was requested here may have been approved and exported since.
UNDER_WAY = (PayoutStatus.REQUESTED, PayoutStatus.APPROVED, PayoutStatus.EXPORTED)


def to_reconcile() -> Iterator[str]:
    """A sentence for each thing that only a person can compare."""
    for what, model, stored_at in LAST:
        last = model.objects.order_by("-pk").values_list(stored_at, flat=True).first()
        if last is not None:
            yield (
                f"The last {what} is of {last:%Y-%m-%d %H:%M:%S} UTC: what came after it "
                "is lost here."
            )
    yield (
        "Have your payment gateway send its payments and refunds since then again: "
        "known ones change nothing."
    )
    for integration in TrackingIntegration.trackers.filter(is_active=True):
        yield (
            f"Compare the sales of {integration} since then: manage.py reconcile_sales "
            "(with affiliates.contrib.reconciliation), or the provider's panel."
        )
    yield from _payouts()


def _payouts() -> Iterator[str]:
    groups = (
        Payout.objects.filter(status__in=UNDER_WAY)
        .values("brand__name", "status", "currency")
        .annotate(count=Count("pk"), total=Sum("amount"))
        .order_by("brand__name", "status", "currency")
    )
    for group in groups:
        label = PayoutStatus(group["status"]).label.lower()
        total = from_minor(group["total"], group["currency"]).amount
        yield (
            f"Payouts of {group['brand__name']} that are {label}: {group['count']:,}, "
            f"{total} {group['currency']} in all. Before a file is exported or sent, ask "
            "the bank or PayPal which of them it has."
        )
