"""The place of a fault for a log, without the fault's text, which may quote a person."""

from __future__ import annotations

import traceback
from collections.abc import Iterator


def stack_of(fault: BaseException) -> str:
    """Returns the types and frames of the fault and its causes, the first cause first."""
    parts = [
        f"{type(with_cause).__name__}\n{''.join(traceback.format_tb(with_cause.__traceback__))}"
        for with_cause in with_causes(fault)
    ]
    return "".join(reversed(parts)).rstrip()


def with_causes(fault: BaseException) -> Iterator[BaseException]:
    """The fault, its cause or else the fault it was raised during, and so on."""
    shown: BaseException | None = fault
    while shown is not None:
        yield shown
        during = None if shown.__suppress_context__ else shown.__context__
        shown = shown.__cause__ or during
