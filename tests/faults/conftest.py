"""The tracking provider of the fault tests, and the brand's integration with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from portal.demo.network.server import Simulator
from tests.faults.stand import integrate


@pytest.fixture
def tracker() -> Iterator[Simulator]:
    with Simulator() as simulator:
        simulator.settings.change({"log_limit": 200_000})
        yield simulator


@pytest.fixture
def integration(brand, tracker):
    return integrate(brand, tracker)
