from __future__ import annotations

from datetime import UTC, datetime

import pytest

from affiliates.contrib.statistics.services import count_changes
from tests.factories.plans import CommissionPlanFactory
from tests.factories.world import World

COUNTED_AT = datetime(2026, 1, 4, tzinfo=UTC)


@pytest.fixture
def world(affiliate, rival, host):
    """The affiliate sells for 300.00 after 2 clicks, its rival for 200.00 after one."""
    affiliate.brand.time_zone = "UTC"
    affiliate.brand.save()
    CommissionPlanFactory(brand=affiliate.brand, is_default=True)
    world = World(host=host, brand=affiliate.brand, affiliates=[affiliate, rival])
    buy(world, 0, 30_000)
    world.visit(world.arrive(), affiliate)
    buy(world, 1, 20_000)
    count_changes(now=lambda: COUNTED_AT)
    return world


def buy(world, whose, net):
    visitor = world.arrive()
    world.visit(visitor, world.affiliates[whose])
    world.register(visitor)
    lines = [("hosting", "annually", net)]
    order = world.convert(visitor, currency="EUR", lines=lines)
    world.pay(order.invoices[0])
    return order
