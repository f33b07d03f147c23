"""The demonstration's affiliate program: what is earned, a coupon, and how it is paid.

Made once: staff who try other terms in the admin keep them.
"""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from django.apps import apps

from portal.demo.rows import put
from portal.orders.catalogue import Coupon

COUPON_CODE = "PARTNER10"
COUPON_PERCENT = Decimal("10.00")
PLAN_NAME = "Standard"
# So that a demonstration has something to pay out without waiting for a month.
HOLD_DAYS_BY_CYCLE = {"annually": 0}
RULES: tuple[dict[str, Any], ...] = (
    {
        "kind": "hosting",
        "percent": Decimal(20),
        "position_to": 12,
    },
    {
        "kind": "domain",
        "tld": "com",
        "operation": "register",
        "rate_kind": "fixed",
        "fixed_amounts": {"EUR": "1.50"},
    },
    {"percent": Decimal(10), "position_to": 0},
)
OFFER: dict[str, Any] = {
    "text": "10 % off your first invoice",
    "translations": {"de": "10 % auf die erste Rechnung"},
    "grants": "On every plan and extra, for clients who order for the first time.",
    "grants_translations": {
        "de": "Auf alle Tarife und Extras, für alle, die zum ersten Mal bestellen."
    },
    "host_terms": {"percent_off": "10"},
    "for_new_clients": True,
    "affiliate_funds_percent": Decimal(20),
    "max_codes": 3,
}


def seed_program(brand: Any, affiliate: Any, *, now: datetime) -> None:
    _seed_plan(brand, now=now)
    _seed_coupon(brand, affiliate, now=now)
    _seed_offer(brand, now=now)
    put(
        Coupon,
        {"brand": brand, "code": COUPON_CODE},
        {"percent_off": COUPON_PERCENT, "valid_until": None, "is_active": True},
    )
    terms: Any = apps.get_model("affiliates", "PayoutTerms")
    if not terms.objects.filter(brand=brand).exists():
        put(terms, {"brand": brand}, {"minimums": {"EUR": 2500}})


def _seed_plan(brand: Any, *, now: datetime) -> None:
    plans: Any = apps.get_model("affiliates", "CommissionPlan")
    if plans.objects.filter(brand=brand).exists():
        return
    plan = put(
        plans,
        {"brand": brand, "name": PLAN_NAME},
        {"is_default": True, "hold_days_by_cycle": HOLD_DAYS_BY_CYCLE},
    )
    for rule in RULES:
        row = apps.get_model("affiliates", "PlanRule")(plan=plan, **rule)
        row.full_clean()
        row.save()
    _publish(plan, now=now)


def _seed_offer(brand: Any, *, now: datetime) -> None:
    """Without codes: the affiliate of the demonstration makes one."""
    offers: Any = apps.get_model("affiliates_offers", "Offer")
    if offers.objects.filter(brand=brand).exists():
        return
    _publish(put(offers, {"brand": brand, "name": "Friends"}, OFFER), now=now)


def _publish(owner: Any, *, now: datetime, **others: Any) -> None:
    terms = owner.to_terms()
    owner.versions.create(
        number=1,
        terms=terms.to_json(),
        digest=terms.digest,
        effective_from=now,
        **others,
    )


def _seed_coupon(brand: Any, affiliate: Any, *, now: datetime) -> None:
    coupons: Any = apps.get_model("affiliates", "CouponCode")
    if coupons.objects.filter(brand=brand, code=COUPON_CODE).exists():
        return
    coupon = put(
        coupons, {"brand": brand, "code": COUPON_CODE, "affiliate": affiliate}, {}
    )
    _publish(coupon, now=now, affiliate=affiliate)
