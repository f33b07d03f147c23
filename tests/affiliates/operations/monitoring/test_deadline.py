"""A look that hangs holds one thread, and nobody longer than the deadline."""

from __future__ import annotations

import threading
import time

import pytest

from affiliates.operations.monitoring.deadline import FRESH_SECONDS, WithDeadline


def test_callers_within_a_second_share_a_look():
    looks = iter([1, 2])
    shared = WithDeadline(lambda: next(looks), seconds=5)

    assert [shared.result(), shared.result()] == [1, 1]
    time.sleep(FRESH_SECONDS)
    assert shared.result() == 2


def test_a_look_that_hangs_is_waited_for_once_and_not_begun_again():
    begun, may_end = [], threading.Event()

    def hang() -> str:
        begun.append(threading.current_thread())
        may_end.wait(30)
        return "late"

    hanging = WithDeadline(hang, seconds=0.2)
    began_at = time.monotonic()
    for _ in range(20):
        with pytest.raises(TimeoutError):
            hanging.result()
    waited = time.monotonic() - began_at
    may_end.set()
    begun[0].join()

    assert len(begun) == 1
    assert 0.2 <= waited < 2
    assert hanging.result() == "late"


def test_what_a_look_raises_is_raised_where_it_was_asked_for():
    def fail() -> None:
        raise LookupError("nothing")

    with pytest.raises(LookupError, match="nothing"):
        WithDeadline(fail, seconds=5).result()
