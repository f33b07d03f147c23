"""A brand with three affiliates, each on another plan, who may all be paid at once."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

from affiliates.brands.models.brand import Brand
from affiliates.payouts.services.destinations import change_destination
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.payouts import PayoutTermsFactory
from tests.factories.plans import CommissionPlanFactory
from tests.factories.world import STARTED_AT, World
from tests.hosts.host import current_host


def make_partners(*codes: str, now: datetime = STARTED_AT, **brand: Any) -> World:
    """A brand that pays 10 % of everything, and an affiliate for each code."""
    host = current_host()
    brand_row = BrandFactory(**brand)
    CommissionPlanFactory(brand=brand_row, is_default=True)
    affiliates = [
        AffiliateFactory(
            brand=brand_row,
            user=host.client(brand_row, email=f"{code}@example.com"),
            code=code,
        )
        for code in codes
    ]
    return World(host=host, brand=brand_row, affiliates=affiliates, now=now)


def sell_once() -> World:
    """A brand whose one affiliate has brought a client with a paid order."""
    world = make_partners("partner")
    visitor = world.arrive()
    world.visit(visitor, world.affiliates[0])
    world.register(visitor)
    lines = [("hosting", "annually", 10_000)]
    world.pay(world.convert(visitor, currency="EUR", lines=lines).invoices[0])
    return world


def make_world(brand: Brand | None = None) -> World:
    host = current_host()
    brand = brand or BrandFactory()
    PayoutTermsFactory(
        brand=brand,
        kinds=["wallet", "paypal", "bank", "offline"],
        minimums={"EUR": 1, "JPY": 1, "KWD": 1},
    )
    plans = [
        CommissionPlanFactory(
            brand=brand,
            is_default=True,
            rules=[
                {
                    "percent": Decimal("12.5"),
                    "tiers": [{"unit": "JPY", "from": "9000", "percent": "15"}],
                },
                {
                    "kind": "domain",
                    "rate_kind": "fixed",
                    "fixed_amounts": {"EUR": "3.00", "JPY": "500"},
                },
            ],
        ),
        CommissionPlanFactory(
            brand=brand,
            hold_days=0,
            joining_bonus={"JPY": "900", "KWD": "2.000"},
            rules=[
                {"percent": Decimal("33.333"), "position_to": 0},
                {"percent": Decimal(20), "position_from": 1},
            ],
        ),
        CommissionPlanFactory(
            brand=brand,
            approves_itself=False,
            hold_days_by_cycle={"monthly": 90},
            cap_period="month",
            cap_amounts={"EUR": "500.00"},
            rules=[{"percent": Decimal(50), "position_to": 2}],
        ),
    ]
    affiliates = [
        AffiliateFactory(
            brand=brand,
            plan=None if plan.is_default else plan,
            user=host.client(brand, email=f"affiliate-{number}@example.com"),
        )
        for number, plan in enumerate(plans)
    ]
    for affiliate in affiliates:
        change_destination(
            affiliate_id=affiliate.pk,
            kind="offline",
            values={"agreement": "In person."},
            now=STARTED_AT,
        )
    return World(host=host, brand=brand, affiliates=affiliates)
