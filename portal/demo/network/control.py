"""``/__sim/``: what a test in another process sees and sets."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qsl

from portal.demo.network.answers import Answer, json_answer
from portal.demo.network.faults import Faults, read_fault
from portal.demo.network.records import as_json
from portal.demo.network.state import State

COUNTED = ("clicks", "transactions", "visitors", "pending", "log")
LISTED = ("log", "transactions", "clicks", "events")


def show(state: State, faults: Faults, name: str, query: str) -> Answer:
    """GET. Rows may be chosen by any of their fields: ``transactions?orderid=INV-1``."""
    if name == "settings":
        return json_answer(state.options.as_json())
    if name == "faults":
        return json_answer(faults.as_json())
    if name == "counts":
        return json_answer(_counts(state))
    wanted = dict(parse_qsl(query, keep_blank_values=True))
    rows = _rows(state, name)
    if rows is None:
        return _unknown(name)
    chosen = [
        row for row in rows if all(str(row.get(k)) == v for k, v in wanted.items())
    ]
    return json_answer(chosen)


def act(state: State, faults: Faults, name: str, body: bytes) -> Answer:
    """POST, with a JSON object where something is set."""
    try:
        values = json.loads(body or b"{}")
        if not isinstance(values, dict):
            raise ValueError("A JSON object is needed.")
        return _act(state, faults, name, values)
    except ValueError as error:
        return json_answer({"error": str(error)}, status=400)


def _act(state: State, faults: Faults, name: str, values: dict[str, Any]) -> Answer:
    """Raises WrongFault, WrongOptions."""
    match name:
        case "reset":
            faults.clear()
            state.reset()
        case "settings":
            with state.lock:
                state.options.change(values)
        case "fault":
            faults.add(read_fault(values))
        case "clear_faults":
            faults.clear()
        case "cron":
            return json_answer({"processed": state.cron()})
        case _:
            return _unknown(name)
    return json_answer({"ok": True})


def _counts(state: State) -> dict[str, int]:
    with state.lock:
        return {name: len(getattr(state, name)) for name in COUNTED}


def _rows(state: State, name: str) -> list[dict[str, Any]] | None:
    with state.lock:
        if name == "visitors":
            return [as_json(tie) for ties in state.visitors.values() for tie in ties]
        if name == "payouts":
            settles_after = state.options.paypal_settles_after_s
            return state.paypal.rows(now=state.now(), settles_after=settles_after)
        if name in LISTED:
            return [as_json(row) for row in getattr(state, name)]
    return None


def _unknown(name: str) -> Answer:
    return json_answer({"error": f"There is no {name!r} here."}, status=404)
