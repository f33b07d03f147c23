"""A stored decision made again from its own inputs, and compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from affiliates.core.enums import LabelledEnum
from affiliates.referrals.rules.choices import Outcome, Verdict
from affiliates.referrals.rules.decision import decide
from affiliates.referrals.rules.stored import FORMAT, CannotReplay, inputs_of, to_json


class ReplayResult(LabelledEnum):
    SAME = "same", "Comes out the same"
    DIFFERENT = "different", "Comes out differently"
    NOT_REPLAYABLE = "not_replayable", "Does not hold all it was made from"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """How a decision came out again; both winners in words, "" where not replayed."""

    result: ReplayResult
    stored_winner: str = ""
    recomputed_winner: str = ""


def replay(stored: Mapping[str, Any]) -> Replay:
    try:
        again = to_json(decide(inputs_of(stored)))
    except CannotReplay:
        return Replay(result=ReplayResult.NOT_REPLAYABLE)
    is_same = _comparable(again, stored) == _comparable(stored, stored)
    return Replay(
        result=ReplayResult.SAME if is_same else ReplayResult.DIFFERENT,
        stored_winner=winner_of(stored),
        recomputed_winner=winner_of(again),
    )


def winner_of(stored: Mapping[str, Any]) -> str:
    """The credited affiliate's code, or who else or nobody."""
    for one in stored["candidates"]:
        if one.get("verdict") == Verdict.WON:
            return str(one["affiliate_code"])
    outcome = str(stored.get("outcome"))
    return next((one.label for one in Outcome if one == outcome), outcome)


def _comparable(decision: Mapping[str, Any], stored: Mapping[str, Any]) -> Any:
    """The whole of it; of an older format what that format says, in its own order."""
    if stored["format"] == FORMAT:
        return decision
    external = decision.get("external")
    return (
        decision.get("outcome"),
        decision.get("reason"),
        [(one["click_id"], one.get("verdict")) for one in decision["candidates"]],
        None if external is None else external.get("verdict"),
    )
