"""Stores the review of a sale for staff."""

from __future__ import annotations

from datetime import datetime

from affiliates.fraud.models import FraudReview
from affiliates.fraud.rules.policy import FraudAction
from affiliates.fraud.rules.signals import SaleReview
from affiliates.sales.models import Sale


def write_review(sale: Sale, review: SaleReview, *, now: datetime) -> None:
    """Stores any action other than "allow". The first review of a sale stands."""
    if review.verdict.action is FraudAction.ALLOW:
        return
    row = FraudReview(
        brand_id=sale.brand_id,
        sale=sale,
        action=review.verdict.action,
        findings=[finding.to_json() for finding in review.findings],
        found_at=now,
    )
    FraudReview.objects.bulk_create([row], ignore_conflicts=True)
