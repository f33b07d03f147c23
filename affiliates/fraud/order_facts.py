"""The facts about a converted order, in one query."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, F, IntegerField, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import JSONObject

from affiliates.brands.models.brand import Brand
from affiliates.fraud.rules.policy import Signal, SignalPolicy
from affiliates.fraud.rules.types import (
    CLICK_DAYS,
    NEAR_MINUTES,
    WINDOW,
    ClickFacts,
    CodeFacts,
    NetworkFacts,
    OtherAffiliates,
    ReferrerFacts,
    ReviewedOrder,
)
from affiliates.program.models import Affiliate
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.referrals.rules.choices import Reason
from affiliates.visits.models import Click

# Of more rows, only the latest count: each sale reads as few as the first.
LATEST_ORDERS = 100
LATEST_CLICKS = 200
LATEST_NEAR = 1_000


def order_facts(known: Any, policies: Mapping[Signal, SignalPolicy]) -> ReviewedOrder:
    """``known``: the order's referral, with its client and affiliate."""
    is_by_code = bool(known.coupon_code) and known.click_id is None
    signals = _find(known, policies, is_by_code=is_by_code)
    came_by = signals.get("came_by") or {}
    winning = {} if is_by_code else came_by
    age = known.touched_at and known.converted_at - known.touched_at
    return ReviewedOrder(
        orders=signals["orders"],
        network=NetworkFacts(
            prefix=known.ip_prefix,
            own_orders=signals.get("own_orders", 0),
            own_visits=signals.get("own_visits", 0),
            clients=signals.get("clients", 0),
        ),
        click=ClickFacts(
            # A coupon needs no click; the binding's is days old.
            age=age if known.click_id else None,
            is_own_browser=bool(signals.get("by_own_browser")),
            visit_url=winning.get("visit_url", ""),
            embedding=winning.get("embedding", ""),
            near=signals.get("near", 0),
            total=signals["clicks"],
            by_bots=signals["by_bots"],
        ),
        referrer=ReferrerFacts(
            url=came_by.get("referrer_url", ""),
            banned=frozenset(signals["banned"].split()),
        ),
        code=CodeFacts(
            code=known.coupon_code if is_by_code else "",
            has_click=_has_click(known.decision),
            clients=signals.get("users", 0),
        ),
        others=OtherAffiliates(
            by_destination=signals["by_destination"], by_browser=signals["by_browser"]
        ),
    )


def sharing_destination(affiliate: Affiliate) -> QuerySet[Affiliate]:
    """Other affiliates of the brand that have, or had, its payout destination."""
    latest = Affiliate.objects.filter(pk=affiliate.pk).order_by("-destinations__pk")
    own = latest.values("destinations__fingerprint")[:1]
    return _others(affiliate).filter(
        destinations__fingerprint=Subquery(own),
        # Account credit has none.
        destinations__fingerprint__gt="",
    )


def sharing_browser(affiliate: Affiliate) -> QuerySet[Affiliate]:
    """Others whose client account was registered in the browser that its own was in."""
    own = ClientReferral.objects.filter(client_id=affiliate.user_id).order_by()
    browser = Subquery(own.values("visitor_id")[:1])
    # Through the clicks: their visitors have an index.
    clicks = Click.objects.filter(visitor_id=browser).order_by().values("pk")
    return _others(affiliate).filter(
        user__client_referral__click_id__in=clicks[:LATEST_CLICKS],
        user__client_referral__visitor_id=browser,
    )


def _others(affiliate: Affiliate) -> QuerySet[Affiliate]:
    """Without those merged into it."""
    of_brand = Affiliate.objects.filter(brand_id=affiliate.brand_id).distinct()
    others = of_brand.exclude(pk=affiliate.pk).exclude(merged_into_id=affiliate.pk)
    return others.order_by()


def _find(
    known: Any, policies: Mapping[Signal, SignalPolicy], *, is_by_code: bool
) -> Mapping[str, Any]:
    """All in one statement, on the brand's row."""
    facts: dict[str, Any] = {
        "banned": F("banned_referrers"),
        "orders": _count(_orders_before(known)[: _limit(policies[Signal.VELOCITY])]),
        **_clicks(known),
        "by_destination": _count_affiliates(sharing_destination(known.affiliate)),
        "by_browser": _count_affiliates(sharing_browser(known.affiliate)),
    }
    if known.ip_prefix:
        facts |= _of_network(known, _limit(policies[Signal.SAME_NETWORK]))
    if is_by_code:
        facts["users"] = _users_of_code(known, _limit(policies[Signal.CODE_LEAK]))
    if known.click_id is not None:
        facts["near"] = _clicks_near(known)
    came_by = _last_click(known.decision) if is_by_code else known.click_id
    if came_by is not None:
        facts["came_by"] = _click(known, came_by)
        facts["by_own_browser"] = _by_own_browser(known, came_by)
    row = Brand.objects.filter(pk=known.brand_id).values_list(*facts.values())
    return dict(zip(facts, row.get(), strict=True))


def _limit(policy: SignalPolicy) -> int:
    return max(LATEST_ORDERS, 2 * policy.threshold)


def _has_click(decision: Mapping[str, Any]) -> bool:
    """Whether a click of anybody took part in the order's decision."""
    return bool(_clicked(decision) or decision.get("external_touches"))


def _last_click(decision: Mapping[str, Any]) -> str | None:
    last = max(_clicked(decision), key=_touched_at, default=None)
    return None if last is None else str(last["click_id"])


def _clicked(decision: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [
        candidate
        for candidate in decision.get("candidates", ())
        if candidate["click_id"]
    ]


def _touched_at(candidate: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(candidate["touched_at"])


def _count(
    rows: QuerySet[Any, Any], counted: str = "*", where: str = "true"
) -> Subquery:
    """Counts the rows of a limited query, which an aggregate cannot."""
    return Subquery(
        rows,
        output_field=IntegerField(),
        template=f"(SELECT COUNT({counted}) FROM (%(subquery)s) latest WHERE {where})",  # noqa: S608 - no value in it
    )


def _count_affiliates(rows: QuerySet[Affiliate]) -> Subquery:
    return _count(rows.values("pk")[:LATEST_ORDERS])


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
    visits = Click.objects.filter(
        _is_own_browser(known),
        ip_prefix=known.ip_prefix,
        created_at__gt=at - WINDOW,
        created_at__lt=at + WINDOW,
    )
    return {
        "own_orders": _count(own.values("pk")[:limit]),
        "own_visits": _count(visits.order_by().values("pk")[:limit]),
        "clients": _count(others.values("client_id")[:limit], "DISTINCT client_id"),
    }


def _is_own_browser(known: Any) -> Q:
    """Clicks of browsers in which the affiliate registered or ordered as a client."""
    client = {"client_id": known.affiliate.user_id}
    registration = ClientReferral.objects.filter(**client).order_by()
    orders = OrderReferral.objects.filter(**client, click_id__isnull=False)
    latest = orders.exclude(pk=known.pk).order_by("-converted_at")
    clicks = Click.objects.filter(pk__in=latest.values("click_id")[:LATEST_ORDERS])
    return Q(visitor_id__in=registration.values("visitor_id")) | Q(
        visitor_id__in=clicks.order_by().values("visitor_id")
    )


def _by_own_browser(known: Any, click_id: Any) -> Subquery:
    click = Click.objects.filter(_is_own_browser(known), pk=click_id)
    return _count(click.filter(brand_id=known.brand_id).order_by().values("pk"))


def _users_of_code(known: Any, limit: int) -> Subquery:
    """Clients whom the code alone brought, of the affiliate's orders before this one."""
    is_alone = When(
        # Staff's assignments have no click either.
        ~Q(reason=Reason.STAFF),
        coupon_code=known.coupon_code,
        click_id__isnull=True,
        # Clicks come first.
        decision__candidates__0__click_id=None,
        decision__external_touches__0__isnull=True,
        then=F("client_id"),
    )
    orders = _orders_before(known).annotate(lone=Case(is_alone)).values("lone")
    return _count(orders[:limit], "DISTINCT lone")


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


def _click(known: Any, click_id: Any) -> Subquery:
    columns = ("visit_url", "referrer_url", "embedding")
    click = Click.objects.filter(brand_id=known.brand_id, pk=click_id).order_by()
    return Subquery(
        click.values(read=JSONObject(**{column: column for column in columns}))
    )


def _clicks_near(known: Any) -> Subquery:
    """The affiliate's clicks around the winning one, from its network.

    Networks are compared as they are stored, also as hashes of their day.
    """
    at, window = known.touched_at, timedelta(minutes=NEAR_MINUTES)
    winning = Click.objects.filter(brand_id=known.brand_id, pk=known.click_id)
    network = winning.exclude(ip_prefix="").order_by().values("ip_prefix")[:1]
    clicks = Click.objects.filter(
        affiliate_id=known.affiliate_id,
        created_at__gt=at - window,
        created_at__lt=at + window,
    ).order_by("-created_at")
    is_near = Case(When(ip_prefix=Subquery(network), then=Value(1)))
    return _count(
        clicks.annotate(is_near=is_near).values("is_near")[:LATEST_NEAR], "is_near"
    )
