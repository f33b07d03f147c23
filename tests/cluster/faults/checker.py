"""Reads histories beside what is stored and what the provider received. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tests.cluster.faults.history import Act, Event, HistoryRow

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """``refused_but_stored`` was promised not to be. ``unpromised`` is stored, and may be."""

    acknowledged: int
    lost: Keys = ()
    doubled: Keys = ()
    refused_but_stored: Keys = ()
    unpromised: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What visitors saw. ``unstored`` are visits that were to be sent again."""

    redirects: int
    errors: int
    slowest: float
    unstored: int


def check(rows: Sequence[HistoryRow], stored: Mapping[str, int]) -> Verdict:
    """Compares acts of one kind with how often each key is stored."""
    events: dict[str, set[Event]] = defaultdict(set)
    for row in rows:
        events[row.key].add(row.event)
    promised = [key for key, had in events.items() if Event.OK in had]
    refused = [key for key, had in events.items() if had == {Event.INVOKE, Event.FAIL}]
    unclear = events.keys() - {*promised, *refused}
    return Verdict(
        acknowledged=len(promised),
        lost=tuple(key for key in promised if not stored.get(key)),
        doubled=tuple(key for key in events if stored.get(key, 0) > 1),
        refused_but_stored=tuple(key for key in refused if stored.get(key)),
        unpromised=sum(bool(stored.get(key)) for key in unclear),
    )


def check_provider(sales: Iterable[str], received: Mapping[str, int]) -> Verdict:
    """Each stored sale of the provider's visitors arrives there once.

    ``sales`` are the invoices of these sales.
    """
    expected = list(sales)
    return Verdict(
        acknowledged=len(expected),
        lost=tuple(one for one in expected if not received.get(one)),
        doubled=tuple(one for one, count in received.items() if count > 1),
    )


def numbers_given_twice(rows: Iterable[HistoryRow], stored: Mapping[str, str]) -> Keys:
    """Invoice numbers that two clients were told, or that another's invoice has now.

    ``stored`` is the number of each client's invoice.
    """
    owners: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row.act is Act.ORDER and row.number:
            owners[row.number].add(row.key)
    for key, number in stored.items():
        owners[number].add(key)
    return tuple(number for number, keys in owners.items() if len(keys) > 1)


def gaps(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """The first and the last number of each gap; numbers begin at 1."""
    found, expected = [], 1
    for number in sorted(set(numbers)):
        if number > expected:
            found.append((expected, number - 1))
        expected = number + 1
    return tuple(found)


def seen(rows: Iterable[HistoryRow]) -> Seen:
    """Of first answers and repeats: each is an answer that a visitor waited for."""
    answers = [
        one for one in rows if one.act is Act.VISIT and one.event is not Event.INVOKE
    ]
    redirects = [one for one in answers if one.is_redirected]
    return Seen(
        redirects=len(redirects),
        errors=len(answers) - len(redirects),
        slowest=max((one.seconds for one in answers), default=0.0),
        unstored=sum(one.event is Event.UNKNOWN for one in redirects),
    )


def back_after(rows: Iterable[HistoryRow], ended_at: float) -> float:
    """Seconds from the end of the fault to the last answer that was not a promise."""
    broken = [one.at for one in rows if one.event in (Event.UNKNOWN, Event.FAIL)]
    return max(0.0, max(broken, default=ended_at) - ended_at)
