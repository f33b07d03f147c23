from __future__ import annotations

from copy import deepcopy
from datetime import UTC, datetime

import pytest

from affiliates.contrib.statistics.services import count_changes
from tests.factories.programs import make_partners

COUNTED_AT = datetime(2026, 1, 4, tzinfo=UTC)


@pytest.fixture(scope="module")
def kept_world(keep_rows):
    return keep_rows(sell)


@pytest.fixture
def world(db, kept_world):
    """The affiliate sells for 300.00 after 2 clicks, its rival for 200.00 after one."""
    return deepcopy(kept_world)


def sell():
    world = make_partners("partner", "rival", time_zone="UTC")
    buy(world, 0, 30_000)
    world.visit(world.arrive(), world.affiliates[0])
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
