"""The facts for reviewing a sale: at most four queries."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models import Count, Q

from affiliates.fraud.models import FraudPolicy, FraudReview
from affiliates.fraud.rules.policy import (
    DEFAULT_POLICIES,
    FraudAction,
    ReviewOutcome,
    Signal,
    SignalPolicy,
)
from affiliates.fraud.rules.signals import ReviewFacts
from affiliates.fraud.rules.types import (
    CLICK_DAYS,
    WINDOW,
    ClickFacts,
    FraudFacts,
    NetworkFacts,
    PeopleFacts,
    ReviewedOrder,
)
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Reason
from affiliates.visits.models import Click

# If an affiliate has more clicks, only the latest count.
MAX_CLICKS = 1000


def policies_of(brand_id: int) -> dict[Signal, SignalPolicy]:
    """The brand's action for every signal, by its own policies or the defaults."""
    policies = dict(DEFAULT_POLICIES)
    for row in FraudPolicy.objects.filter(brand_id=brand_id):
        signal = Signal(row.signal)
        threshold = row.threshold
        if threshold is None:
            threshold = DEFAULT_POLICIES[signal].threshold
        policies[signal] = SignalPolicy(
            action=FraudAction(row.action), threshold=threshold
        )
    return policies


def signals_released_before(referral: OrderReferral) -> frozenset[Signal]:
    """Signals that staff released for the order: its renewals ignore them."""
    released = FraudReview.objects.filter(
        sale__order_referral=referral, outcome=ReviewOutcome.RELEASED
    ).values_list("findings", flat=True)
    return frozenset(
        Signal(finding["signal"]) for findings in released for finding in findings
    )


def review_facts(
    referral: OrderReferral, *, is_first: bool, paid_ads_allowed: bool
) -> ReviewFacts | None:
    """The facts for reviewing a sale of the order: its first, or a later one.

    None for an order that staff assigned: a person has judged it.
    """
    if referral.reason == Reason.STAFF:
        return None
    sale = FraudFacts(
        people=_people(referral),
        order=_order_facts(referral, paid_ads_allowed) if is_first else None,
        paid_ads_allowed=paid_ads_allowed,
    )
    released = frozenset[Signal]() if is_first else signals_released_before(referral)
    return ReviewFacts(sale, policies_of(referral.brand_id), released)


def _people(known: OrderReferral) -> PeopleFacts:
    client: Any = known.client
    affiliate: Any = known.affiliate and known.affiliate.user
    return PeopleFacts(
        affiliate_user_id=str(affiliate.pk),
        affiliate_email=_email_of(affiliate),
        client_id=str(client.pk),
        client_email=_email_of(client),
    )


def _email_of(user: Any) -> str:
    return getattr(user, user.get_email_field_name(), "") or ""


def _order_facts(known: Any, paid_ads_allowed: bool) -> ReviewedOrder:
    counts = _orders_nearby(known)
    clicks = _latest_clicks(known)
    age = known.touched_at and known.converted_at - known.touched_at
    return ReviewedOrder(
        orders=counts["orders"],
        network=NetworkFacts(
            prefix=known.ip_prefix,
            own_orders=counts["own_orders"],
            clients=counts["clients"],
        ),
        click=ClickFacts(
            # A coupon needs no click; the binding's is days old.
            age=age if known.click_id else None,
            visit_url="" if paid_ads_allowed else _visit_url(known),
            total=clicks["total"],
            by_bots=clicks["by_bots"],
        ),
    )


def _visit_url(known: OrderReferral) -> str:
    """The address of the winning click; empty if there is none, or it is gone."""
    if known.click_id is None:
        return ""
    click = Click.objects.filter(brand_id=known.brand_id, pk=known.click_id)
    return click.values_list("visit_url", flat=True).first() or ""


def _orders_nearby(known: Any) -> Mapping[str, int]:
    """The affiliate's orders within 24 hours, with this one, and of its network."""
    at = known.converted_at
    of_affiliate = Q(affiliate_id=known.affiliate_id)
    own = Q(client_id=known.affiliate.user_id)
    same_network = Q(ip_prefix=known.ip_prefix)
    return OrderReferral.objects.filter(
        of_affiliate | own,
        brand_id=known.brand_id,
        converted_at__gt=at - WINDOW,
        converted_at__lt=at + WINDOW,
    ).aggregate(
        orders=Count("pk", filter=of_affiliate & Q(converted_at__lte=at)),
        own_orders=Count("pk", filter=own & same_network & ~Q(pk=known.pk)),
        clients=Count("client_id", filter=of_affiliate & same_network, distinct=True),
    )


def _latest_clicks(known: Any) -> Mapping[str, int]:
    """The affiliate's clicks in the 30 days before the order, and the bots' part."""
    at = known.converted_at
    latest = Click.objects.filter(
        affiliate_id=known.affiliate_id,
        created_at__gt=at - timedelta(days=CLICK_DAYS),
        created_at__lte=at,
    ).order_by("-created_at")[:MAX_CLICKS]
    return latest.aggregate(
        total=Count("pk"), by_bots=Count("pk", filter=~Q(bot_signs=""))
    )
