from __future__ import annotations

from collections.abc import Iterator

import pytest

from portal.demo.network.server import Simulator
from tests.simulator import Caller


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator() as simulator:
        yield simulator


@pytest.fixture
def caller(simulator: Simulator) -> Caller:
    return Caller(simulator)
