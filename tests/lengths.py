"""Length of random tests, faults and sweeps: brief, but for `make test-long`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import permutations
from typing import Any, TypeVar

import pytest

Length = TypeVar("Length")
Marks = Sequence[pytest.MarkDecorator]

IS_LONG = os.environ.get("LONG_TESTS") == "on"
# A sweep shows of one database what it shows of all.
SWEEP = (pytest.mark.long, pytest.mark.portable)


def times(short: Length, *, long: Length) -> Length:
    return long if IS_LONG else short


def in_any_order(
    name: str, events: Sequence[Any], *, marks: Marks = SWEEP
) -> pytest.MarkDecorator:
    """Parametrizes a test with the events as listed, and as a sweep with other orders.

    Briefly these are the rotations and their reverses: each event comes at each place,
    and each pair in both orders.
    """
    places = range(len(events))
    turned = [(*events[place:], *events[:place]) for place in places]
    brief = [*turned, *(order[::-1] for order in turned)]
    first, *others = dict.fromkeys(permutations(events) if IS_LONG else brief)
    cases = [first, *(pytest.param(order, marks=marks) for order in others)]
    return pytest.mark.parametrize(
        name, cases, ids=lambda order: "-".join(map(str, order))
    )


def spread(
    names: tuple[str, ...], cases: Sequence[Any], *, example: int, sweep: int
) -> pytest.MarkDecorator:
    """Parametrizes a test with each so many-th case as an example, the others as a sweep.

    The sweep is brief too, but for `make test-long`. The first value is a case's name.
    """
    step = times(sweep, long=1)
    return pytest.mark.parametrize(
        names,
        [
            pytest.param(*case[1:], id=case[0], marks=SWEEP if number % example else ())
            for number, case in enumerate(cases)
            if 0 in (number % example, number % step)
        ],
    )


def in_steps(example: int, sweep: int) -> pytest.MarkDecorator:
    """Parametrizes ``step``: a test takes each so many-th of its cases.

    The first is an example; the other is a sweep, of all cases by `make test-long`.
    """
    swept = pytest.param(times(sweep, long=1), marks=SWEEP, id="sweep")
    return pytest.mark.parametrize("step", [pytest.param(example, id="example"), swept])
