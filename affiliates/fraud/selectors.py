"""The facts for judging a sale: at most four queries."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models import Count, OuterRef, Q, Subquery

from affiliates.fraud.models import FraudPolicy, FraudReview
from affiliates.fraud.rules.policy import (
    DEFAULT_POLICIES,
    FraudAction,
    ReviewOutcome,
    Signal,
    SignalPolicy,
)
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
from affiliates.sales.models import Sale
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


def facts_of(
    sale: Sale, *, referral: OrderReferral, paid_ads_allowed: bool
) -> FraudFacts:
    known = _known(referral)
    return FraudFacts(
        people=_people(known),
        order=_order_facts(known) if sale.is_first else None,
        paid_ads_allowed=paid_ads_allowed,
    )


def _known(referral: OrderReferral) -> OrderReferral:
    """The order with its people and the address of its winning click."""
    return (
        OrderReferral.objects.filter(pk=referral.pk)
        .select_related("client", "affiliate__user")
        .annotate(
            visit_url=Subquery(
                Click.objects.filter(
                    brand_id=OuterRef("brand_id"), pk=OuterRef("click_id")
                ).values("visit_url")[:1]
            )
        )
        .get()
    )


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


def _order_facts(known: Any) -> ReviewedOrder:
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
            visit_url=known.visit_url or "",
            total=clicks["total"],
            by_bots=clicks["by_bots"],
        ),
    )


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
