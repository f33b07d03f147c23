"""Eleven weeks of a brand with everything that an operator meets, written by the services."""

from __future__ import annotations

import random
from datetime import timedelta

from django.utils import timezone

LINES = [
    [("hosting", "annually", 11_880)],
    [("hosting", "monthly", 990)],
    [("domain", "annually", 1_490)],
    [("vps", "monthly", 4_500)],
]
DAYS = 75
NAMES = ("webdev-weekly", "hostingtest", "anna", "cloudfuchs", "wp-school", "toms-blog")


def fill() -> int:
    from affiliates.commissions.services.maturing import mature_all
    from affiliates.contracts import RefundKind
    from affiliates.program.rules import AffiliateStatus
    from tests.factories.affiliates import AffiliateFactory, BrandFactory
    from tests.factories.claims import MissingSaleClaimFactory
    from tests.factories.emails import EmailFactory
    from tests.factories.payouts import PayoutTermsFactory
    from tests.factories.plans import CommissionPlanFactory
    from tests.factories.world import World
    from tests.hosts.host import current_host

    dice = random.Random(7)  # noqa: S311 - a demonstration
    host = current_host()
    brand = BrandFactory(name="Nordlicht Hosting", client_area="nordlicht.example")
    CommissionPlanFactory(brand=brand, is_default=True)
    PayoutTermsFactory(brand=brand)
    affiliates = [
        AffiliateFactory(
            brand=brand, user=host.client(brand, email=f"{name}@example.com"), code=name
        )
        for name in NAMES
    ]
    for number in range(3):
        user = host.client(brand, email=f"applicant-{number}@example.com")
        AffiliateFactory(
            brand=brand, user=user, code=f"applicant-{number}", status="pending"
        )
    now = timezone.now()
    world = World(host=host, brand=brand, affiliates=affiliates)
    world.now = now - timedelta(days=DAYS)
    while world.now < now:
        for _ in range(dice.choice([0, 1, 1, 2, 3])):
            visitor = world.arrive()
            if dice.random() < 0.85:
                world.visit(visitor, dice.choice(affiliates[: dice.randint(1, 6)]))
            if dice.random() < 0.45:
                continue
            world.register(visitor)
            order = world.convert(visitor, currency="EUR", lines=dice.choice(LINES))
            if dice.random() < 0.9:
                world.pay(order.invoices[0])
                if dice.random() < 0.1:
                    world.refund(
                        order.invoices[0],
                        order.invoices[0].gross,
                        kind=RefundKind.REFUND,
                    )
        world.pass_by(hours=dice.choice([14, 18, 22]))
    mature_all(now=lambda: now, should_stop=lambda: False)
    world.set_status(affiliates[5], AffiliateStatus.SUSPENDED)
    MissingSaleClaimFactory(affiliate=affiliates[2], created_at=now)
    EmailFactory(brand=brand, state="failed", next_at=None, finished_at=now)
    return int(brand.pk)
