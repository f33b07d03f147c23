"""Repeats a stored decision from its own inputs and compares the result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import TextChoices

from affiliates.referrals.rules.choices import Outcome, Verdict
from affiliates.referrals.rules.decision import decide
from affiliates.referrals.rules.stored import CannotReplay, inputs_of, to_json


class ReplayResult(TextChoices):
    SAME = "same", "Comes out the same"
    DIFFERENT = "different", "Comes out differently"
    NOT_REPLAYABLE = "not_replayable", "Does not hold all it was made from"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The result of a repeated decision; both winners in words, "" if not replayed."""

    result: ReplayResult
    stored_winner: str = ""
    recomputed_winner: str = ""


def replay(stored: Mapping[str, Any]) -> Replay:
    try:
        again = to_json(decide(inputs_of(stored)))
    except CannotReplay:
        return Replay(result=ReplayResult.NOT_REPLAYABLE)
    return Replay(
        result=ReplayResult.SAME if again == stored else ReplayResult.DIFFERENT,
        stored_winner=winner_of(stored),
        recomputed_winner=winner_of(again),
    )


def winner_of(stored: Mapping[str, Any]) -> str:
    """The credited affiliate's code, or else the label of the outcome."""
    for candidate in stored["candidates"]:
        if candidate.get("verdict") == Verdict.WON:
            return str(candidate["affiliate_code"])
    outcome = str(stored.get("outcome"))
    return next(
        (known_outcome.label for known_outcome in Outcome if known_outcome == outcome),
        outcome,
    )
