"""The facts for reviewing a sale, in one query, and for a renewal in another one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db.models import IntegerField, QuerySet, Subquery

from affiliates.accounts import email_of
from affiliates.brands.config_cache import ConfigCache, config_database, unless_touched
from affiliates.brands.models.brand import Brand
from affiliates.brands.rules import ChangeKind
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

# Of more orders and clicks, only the latest count: each sale reads as few as the first.
LATEST_ORDERS = 100
LATEST_CLICKS = 200


def policies_of(brand_id: int) -> Mapping[Signal, SignalPolicy]:
    """The brand's action for every signal, by its own policies or the defaults.

    As this process knows them, refreshed as often as the brands.
    """
    return _policies.get(None).get(brand_id, DEFAULT_POLICIES)


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
    policies = policies_of(referral.brand_id)
    order = None
    if is_first:
        order = _order_facts(referral, policies, paid_ads_allowed=paid_ads_allowed)
    sale = FraudFacts(
        people=_people(referral), order=order, paid_ads_allowed=paid_ads_allowed
    )
    released = frozenset[Signal]() if is_first else signals_released_before(referral)
    return ReviewFacts(sale, policies, released)


def _people(known: OrderReferral) -> PeopleFacts:
    affiliate: Any = known.affiliate
    return PeopleFacts(
        affiliate_user_id=str(affiliate.user_id),
        affiliate_email=email_of(affiliate.user),
        client_id=str(known.client_id),
        client_email=email_of(known.client),
    )


def _order_facts(
    known: Any, policies: Mapping[Signal, SignalPolicy], *, paid_ads_allowed: bool
) -> ReviewedOrder:
    facts: dict[str, Subquery] = {
        "orders": _count(_orders_before(known)[: _limit(policies[Signal.VELOCITY])]),
        **_clicks(known),
    }
    if known.ip_prefix:
        limit = _limit(policies[Signal.SAME_NETWORK])
        facts |= _of_network(known, limit)
    if known.click_id is not None and not paid_ads_allowed:
        click = Click.objects.filter(brand_id=known.brand_id, pk=known.click_id)
        facts["visit_url"] = Subquery(click.values("visit_url"))
    # All in one statement; the brand is only the row that they hang on.
    row = Brand.objects.filter(pk=known.brand_id).values_list(*facts.values()).get()
    found = dict(zip(facts, row, strict=True))
    age = known.touched_at and known.converted_at - known.touched_at
    return ReviewedOrder(
        orders=found["orders"],
        network=NetworkFacts(
            prefix=known.ip_prefix,
            own_orders=found.get("own_orders", 0),
            clients=found.get("clients", 0),
        ),
        click=ClickFacts(
            # A coupon needs no click; the binding's is days old.
            age=age if known.click_id else None,
            visit_url=found.get("visit_url") or "",
            total=found["clicks"],
            by_bots=found["by_bots"],
        ),
    )


def _limit(policy: SignalPolicy) -> int:
    return max(LATEST_ORDERS, 2 * policy.threshold)


def _count(
    rows: QuerySet[Any, Any], counted: str = "*", where: str = "true"
) -> Subquery:
    """Counts the rows of a limited query, which an aggregate cannot."""
    return Subquery(
        rows,
        output_field=IntegerField(),
        template=f"(SELECT COUNT({counted}) FROM (%(subquery)s) latest WHERE {where})",  # noqa: S608 - no value in it
    )


def _orders_before(known: Any) -> QuerySet[Any, Any]:
    """The affiliate's in the 24 hours up to the order, with this one."""
    at = known.converted_at
    orders = OrderReferral.objects.filter(
        affiliate_id=known.affiliate_id,
        brand_id=known.brand_id,
        converted_at__gt=at - WINDOW,
        converted_at__lte=at,
    )
    return orders.order_by("-converted_at").values("pk")


def _of_network(known: Any, limit: int) -> dict[str, Subquery]:
    """Orders within 24 hours of this one, from its network."""
    at = known.converted_at
    orders = OrderReferral.objects.filter(
        brand_id=known.brand_id,
        ip_prefix=known.ip_prefix,
        converted_at__gt=at - WINDOW,
        converted_at__lt=at + WINDOW,
    ).order_by("-converted_at")
    own = orders.filter(client_id=known.affiliate.user_id).exclude(pk=known.pk)
    others = orders.filter(affiliate_id=known.affiliate_id)
    return {
        "own_orders": _count(own.values("pk")[:limit]),
        "clients": _count(others.values("client_id")[:limit], "DISTINCT client_id"),
    }


def _clicks(known: Any) -> dict[str, Subquery]:
    """The affiliate's latest clicks in the 30 days before the order; the bots' part."""
    at = known.converted_at
    latest = (
        Click.objects.filter(
            affiliate_id=known.affiliate_id,
            created_at__gt=at - timedelta(days=CLICK_DAYS),
            created_at__lte=at,
        )
        .order_by("-created_at")
        .values("bot_signs")[:LATEST_CLICKS]
    )
    return {
        "clicks": _count(latest),
        "by_bots": _count(latest, where="bot_signs <> ''"),
    }


def _load(key: None) -> dict[None, dict[int, dict[Signal, SignalPolicy]]]:
    found: defaultdict[int, dict[Signal, SignalPolicy]] = defaultdict(
        lambda: dict(DEFAULT_POLICIES)
    )
    for row in FraudPolicy.objects.using(config_database()):
        signal, threshold = Signal(row.signal), row.threshold
        if threshold is None:
            threshold = DEFAULT_POLICIES[signal].threshold
        found[row.brand_id][signal] = SignalPolicy(
            action=FraudAction(row.action), threshold=threshold
        )
    return {key: dict(found)}


_policies = ConfigCache(_load, unless_touched(ChangeKind.BRAND))
