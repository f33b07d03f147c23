"""The gauges of an installation, read from its rows whenever somebody asks.

Each module registers its own; an app beside the core does so in ``affiliates_hooks.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import NamedTuple


class Gauge(NamedTuple):
    """A number that goes up and down, with a series for each value of its labels."""

    name: str
    about: str
    labels: tuple[str, ...] = ()


class Sample(NamedTuple):
    """The value of a gauge now. The labels are in the order of the gauge's."""

    name: str
    value: float
    labels: tuple[str, ...] = ()


Read = Callable[[datetime], Iterator[Sample]]

GAUGES: dict[str, Gauge] = {}
_readers: list[Read] = []


def register(*gauges: Gauge) -> Callable[[Read], Read]:
    """Registers the decorated function, which yields samples of these gauges.

    Its queries must be answered by an index: it runs at every scrape.
    """

    def decorate(read: Read) -> Read:
        GAUGES.update({gauge.name: gauge for gauge in gauges})
        _readers.append(read)
        return read

    return decorate


def read_all(now: datetime) -> list[Sample]:
    return [sample for read in _readers for sample in read(now)]
