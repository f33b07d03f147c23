"""The position of each sale, given the zero invoices before it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class PositionFacts(NamedTuple):
    """``stated`` is by the host; ``of_nothing``: earlier sales of nothing known today."""

    id: int
    renewal_number: int
    position: int
    stated: int | None
    of_nothing: int


def judge_position(facts: PositionFacts) -> Iterator[str]:
    """Zero invoices may have become known only after the sale."""
    least, most = facts.renewal_number - facts.of_nothing, facts.renewal_number
    if facts.stated is not None and facts.renewal_number:
        least = most = facts.stated
    if not least <= facts.position <= most:
        yield f"has position {facts.position}, but {least} to {most} can be."
