"""What the sales of some days would come to by other fraud policies. Writes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from affiliates.brands.models.brand import Brand
from affiliates.commissions.models import Commission
from affiliates.fraud.rules.policy import FraudAction, Signal, SignalPolicy, judge
from affiliates.fraud.rules.signals import find_signals
from affiliates.fraud.selectors import facts_of
from affiliates.referrals.rules.choices import Reason
from affiliates.sales.models import Sale
from affiliates.simulation.types import Configuration

Policies = Mapping[Signal, SignalPolicy]


@dataclass(slots=True)
class TreatedOtherwise:
    """Sales that change from one action to another: whose, and what they earned."""

    sales: int = 0
    codes: set[str] = field(default_factory=set)
    earned: list[tuple[str, int]] = field(default_factory=list)


def signal_changes(
    brand: Brand,
    *,
    today: Policies,
    drafted: Policies,
    configuration: Configuration,
    first: datetime,
    most: int,
) -> tuple[int, dict[tuple[FraudAction, FraudAction], TreatedOtherwise]]:
    """How many sales were looked at, the newest first, and those treated otherwise.

    A few queries for each sale: what surrounds it is counted anew.
    """
    sales = list(
        Sale.objects.filter(brand=brand, paid_at__gte=first)
        .exclude(order_referral__reason=Reason.STAFF)
        .select_related("order_referral", "affiliate")
        .order_by("-pk")[:most]
    )
    earned = {
        sale_id: (currency, amount)
        for sale_id, currency, amount in Commission.objects.filter(
            sale__in=sales, share_of__isnull=True
        )
        .order_by("pk")
        .values_list("sale_id", "currency", "amount")
    }
    changes: dict[tuple[FraudAction, FraudAction], TreatedOtherwise] = {}
    for sale in sales:
        plan = configuration.plans.get(sale.affiliate_id)
        facts = facts_of(
            sale,
            referral=sale.order_referral,
            paid_ads_allowed=plan is None or plan.terms.allows_paid_ads,
        )
        before, after = (
            judge(find_signals(facts, policies=policies)).action
            for policies in (today, drafted)
        )
        if before is after:
            continue
        change = changes.setdefault((before, after), TreatedOtherwise())
        change.sales += 1
        change.codes.add(sale.affiliate.code)
        if sale.pk in earned:
            change.earned.append(earned[sale.pk])
    return len(sales), changes
