"""A command that does its work once, or again and again until it is stopped."""

from __future__ import annotations

import signal
from argparse import ArgumentParser
from collections.abc import Callable
from threading import Event

from django.core.management.base import CommandError
from django.db import close_old_connections


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
    """``run_pass`` is told how to ask whether to stop. Once, where ``every`` is None."""
    if every is not None and every < 1:
        raise CommandError("--every must be at least 1 second.")
    stopped = Event()
    if every is not None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stopped.set())
    while not stopped.is_set():
        run_pass(stopped.is_set)
        if every is None or stopped.wait(every):
            return
        close_old_connections()
