from __future__ import annotations

from copy import deepcopy

import pytest

from tests.factories.programs import make_world
from tests.factories.world import World


@pytest.fixture(scope="module")
def kept_world(keep_rows) -> World:
    return keep_rows(order_twice)


@pytest.fixture
def world(db: None, kept_world: World) -> World:
    """Affiliate 0 sends two visitors, later affiliate 1: each orders for 100.00 EUR net.

    Affiliate 0 earns 12.5 %, affiliate 1 33.333 %.
    """
    return deepcopy(kept_world)


def order_twice() -> World:
    world = make_world()
    for _ in range(2):
        visitor = world.arrive()
        world.visit(visitor, world.affiliates[0])
        world.pass_by(days=1)
        world.visit(visitor, world.affiliates[1])
        world.pass_by(days=1)
        world.register(visitor)
        order = world.convert(
            visitor, currency="EUR", lines=[("hosting", "monthly", 10_000)]
        )
        world.pay(order.invoices[0])
    return world
