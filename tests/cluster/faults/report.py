"""The table that ``make faults`` prints, and what in it must not be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tests.cluster.faults.checker import Verdict, back_after, seen
from tests.cluster.faults.history import Event, HistoryRow
from tests.cluster.faults.runner import PROVIDER, Round

HEADER = (
    "Fault",
    "Lasted",
    "Acknowledged",
    "Lost",
    "Doubled",
    "Back after",
    "The visitor saw",
)


def table(rounds: Mapping[Round, Mapping[str, Verdict]]) -> str:
    lines = [HEADER, ("---",) * len(HEADER)]
    lines += [_line(one, verdicts) for one, verdicts in rounds.items()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _line(one: Round, verdicts: Mapping[str, Verdict]) -> tuple[str, ...]:
    visitors = seen(one.rows)
    told = f"{visitors.redirects:,} redirects, {visitors.errors} errors"
    if visitors.unstored:
        told += f"; {visitors.unstored} to be sent again"
    return (
        one.fault.name,
        f"{one.ended_at - one.began_at:.0f} s",
        ", ".join(_acknowledged(act, found) for act, found in verdicts.items()),
        _counted({act: found.lost for act, found in verdicts.items()}),
        _counted({act: found.doubled for act, found in verdicts.items()}),
        f"{back_after(one.rows, one.ended_at):.1f} s",
        f"{told}; slowest {visitors.slowest:.1f} s",
    )


def _acknowledged(act: str, found: Verdict) -> str:
    more = f" (and {found.unpromised} stored without)" if found.unpromised else ""
    return f"{found.acknowledged:,} {_plural(act)}{more}"


def _plural(act: str) -> str:
    return "sales at the provider" if act == PROVIDER else f"{act}s"


def _counted(found: Mapping[str, Sequence[str]]) -> str:
    told = [f"{len(keys)} {_plural(act)}" for act, keys in found.items() if keys]
    return ", ".join(told) or "0"


def faults_of(one: Round, verdicts: Mapping[str, Verdict]) -> Iterator[str]:
    """What must not be, in words."""
    for act, found in verdicts.items():
        name = f"{one.fault.name}: {_plural(act)}"
        lost = set(found.lost)
        if one.fault.loses_lag and act != PROVIDER:
            lost -= _acknowledged_since(one.rows, one.began_at)
        if lost:
            yield f"{name} lost: {sorted(lost)}"
        if found.doubled:
            yield f"{name} doubled: {found.doubled}"
        if found.refused_but_stored:
            yield f"{name} refused, but stored: {found.refused_but_stored}"
        if not found.acknowledged:
            yield f"{name}: none was acknowledged."
    if errors := seen(one.rows).errors:
        yield f"{one.fault.name}: {errors} visitors were not redirected."


def _acknowledged_since(rows: Sequence[HistoryRow], moment: float) -> set[str]:
    """Whose first promise came after it: the lag of an asynchronous standby."""
    before = {row.key for row in rows if row.event is Event.OK and row.at < moment}
    return {row.key for row in rows} - before
