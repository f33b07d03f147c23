"""A brand with one row in each queue of the desk, and nothing else."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

CODES = ("newcomer", "judged", "waiting", "asking", "owed")


def fill() -> int:
    from affiliates.commissions.rules import CommissionStatus
    from tests.factories.affiliates import AffiliateFactory, BrandFactory
    from tests.factories.claims import MissingSaleClaimFactory
    from tests.factories.emails import EmailFactory
    from tests.factories.fraud import FraudReviewFactory
    from tests.factories.integrations import DeliveryFactory, TrackingIntegrationFactory
    from tests.factories.payout_runs import PayoutRunFactory
    from tests.factories.payouts import PayoutTermsFactory
    from tests.factories.program import make_commission
    from tests.hosts.host import current_host

    now = timezone.now()
    host = current_host()
    brand = BrandFactory(name="Seeblick Hosting", client_area="seeblick.example")
    PayoutTermsFactory(brand=brand)
    newcomer, judged, waiting, asking, owed = (
        AffiliateFactory(
            brand=brand,
            user=host.client(brand, email=f"{code}@seeblick.example"),
            code=code,
            status="pending" if code == "newcomer" else "active",
        )
        for code in CODES
    )
    paid = make_commission(judged, CommissionStatus.PENDING, now=now)
    FraudReviewFactory(sale=paid.sale, found_at=now)
    make_commission(waiting, CommissionStatus.MATURED, now=now)
    make_commission(judged, CommissionStatus.HELD, now=now)
    MissingSaleClaimFactory(affiliate=waiting, created_at=now)
    _ask_for_payouts(asking, owed)
    PayoutRunFactory(brand=brand, created_at=now)
    integration = TrackingIntegrationFactory(brand=brand)
    DeliveryFactory(integration=integration, state="unclear", created_at=now)
    # A key of its own: other rows of the same database are counted from nothing as well.
    EmailFactory(brand=brand, key="test:seeblick", state="failed", created_at=now)
    return int(brand.pk)


def _ask_for_payouts(asking: Any, owed: Any) -> None:
    """One is left as it was asked for, and the other approved."""
    from affiliates.payouts.services.decisions import approve_payouts
    from affiliates.payouts.services.requests import request_payout
    from tests.factories.payouts import DestinationFactory, earn

    now = timezone.now()
    payouts = []
    for affiliate in (asking, owed):
        earn(affiliate)
        DestinationFactory(affiliate=affiliate, to="bank")
        payouts.append(
            request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
        )
    staff = get_user_model().objects.filter(is_staff=True).earliest("pk")
    approve_payouts(payout_ids=[payouts[1].pk], actor_id=staff.pk, now=now)
