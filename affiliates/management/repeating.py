"""A command that does its work once, or again and again until it is stopped."""

from __future__ import annotations

import signal
import time
from argparse import ArgumentParser
from collections.abc import Callable

from django.db import close_old_connections

from affiliates.management.options import fault

TICK_SECONDS = 0.2
SIGNALS = (signal.SIGTERM, signal.SIGINT)


def add_every(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--every",
        type=int,
        metavar="SECONDS",
        help="Go on until stopped, with such a pause between two passes.",
    )


def repeat(
    run_pass: Callable[[Callable[[], bool]], None], *, every: int | None
) -> None:
    """Calls ``run_pass`` once, or every so many seconds until a signal asks to stop.

    It is given a function that says whether to stop.
    """
    if every is not None and every < 1:
        raise fault("--every must be at least 1 second.")
    stop = _Stop()
    before = {number: signal.signal(number, stop.ask) for number in SIGNALS}
    try:
        _repeat(run_pass, stop, every=every)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _repeat(
    run_pass: Callable[[Callable[[], bool]], None], stop: _Stop, *, every: int | None
) -> None:
    while not stop.is_asked():
        run_pass(stop.is_asked)
        if every is None:
            return
        stop.wait(every)
        close_old_connections()


class _Stop:
    """No Event: one that is being waited for cannot be set by a signal handler."""

    def __init__(self) -> None:
        self._is_asked = False

    def ask(self, *_: object) -> None:
        self._is_asked = True

    def is_asked(self) -> bool:
        return self._is_asked

    def wait(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while not self._is_asked and time.monotonic() < until:
            time.sleep(min(TICK_SECONDS, seconds))
