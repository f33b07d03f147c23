"""A rate limit as the API's description says it."""

from __future__ import annotations

# By the unit's first letter: frameworks shorten the word.
_UNITS = {"s": "a second", "m": "a minute", "h": "an hour", "d": "a day"}


def limit_sentence(rate: str, counted_by: str) -> str:
    """Words for a rate such as 20/minute, "" without one; ``counted_by``: from one network."""
    count, _, unit = rate.partition("/")
    calls = "call" if count == "1" else "calls"
    return rate and f"Limit: {count} {calls} {_UNITS[unit[0]]} {counted_by}."
