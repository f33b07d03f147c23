from __future__ import annotations

import json

import pytest

from tests.cluster.faults.checker import (
    Seen,
    Verdict,
    back_after,
    check,
    check_provider,
    gaps,
    numbers_given_twice,
    seen,
)
from tests.cluster.faults.history import Act, Event, History, HistoryRow

INVOKE, OK, FAIL, UNKNOWN = Event.INVOKE, Event.OK, Event.FAIL, Event.UNKNOWN


def row(key: str, event: Event, **values: object) -> HistoryRow:
    given = {"fault": "a fault", "act": Act.VISIT, "at": 0.0, **values}
    return HistoryRow(key=key, event=event, **given)


def had(**events: list[Event]) -> list[HistoryRow]:
    """The histories of several keys, interleaved as they come."""
    return [
        row(key, event) for key, listed in events.items() for event in (INVOKE, *listed)
    ]


@pytest.mark.parametrize(
    ("_case", "rows", "stored", "expected"),
    [
        ("nothing", [], {}, Verdict(acknowledged=0)),
        ("ok and there", had(a=[OK]), {"a": 1}, Verdict(acknowledged=1)),
        (
            "ok and gone",
            had(a=[OK], b=[OK]),
            {"b": 1},
            Verdict(acknowledged=2, lost=("a",)),
        ),
        (
            "ok and twice",
            had(a=[OK]),
            {"a": 2},
            Verdict(acknowledged=1, doubled=("a",)),
        ),
        ("refused and absent", had(a=[FAIL]), {}, Verdict(acknowledged=0)),
        (
            "refused and there",
            had(a=[FAIL]),
            {"a": 1},
            Verdict(acknowledged=0, refused_but_stored=("a",)),
        ),
        ("unknown and absent", had(a=[UNKNOWN]), {}, Verdict(acknowledged=0)),
        (
            "unknown and there",
            had(a=[UNKNOWN]),
            {"a": 1},
            Verdict(acknowledged=0, unpromised=1),
        ),
        (
            "unknown and twice",
            had(a=[UNKNOWN]),
            {"a": 2},
            Verdict(acknowledged=0, doubled=("a",), unpromised=1),
        ),
        (
            "ended without an answer, and twice",
            had(a=[]),
            {"a": 2},
            Verdict(acknowledged=0, doubled=("a",), unpromised=1),
        ),
        (
            "unknown, sent again, ok, and gone",
            had(a=[UNKNOWN, INVOKE, UNKNOWN, INVOKE, OK]),
            {},
            Verdict(acknowledged=1, lost=("a",)),
        ),
        (
            "unknown, then refused: the first may have been done",
            had(a=[UNKNOWN, INVOKE, FAIL]),
            {"a": 1},
            Verdict(acknowledged=0, unpromised=1),
        ),
        ("another's row", had(a=[OK]), {"a": 1, "b": 1}, Verdict(acknowledged=1)),
    ],
)
def test_check(_case, rows, stored, expected):
    assert check(rows, stored) == expected


@pytest.mark.parametrize(
    ("_case", "sales", "received", "expected"),
    [
        ("once each", ["a", "b"], {"a": 1, "b": 1}, Verdict(acknowledged=2)),
        (
            "not arrived",
            ["a", "b"],
            {"a": 1},
            Verdict(acknowledged=2, lost=("b",)),
        ),
        ("twice", ["a"], {"a": 2}, Verdict(acknowledged=1, doubled=("a",))),
        (
            "of a sale that a restored database has lost",
            [],
            {"a": 2, "b": 1},
            Verdict(acknowledged=0, doubled=("a",)),
        ),
    ],
)
def test_provider(_case, sales, received, expected):
    assert check_provider(sales, received) == expected


def order(key: str, number: str) -> HistoryRow:
    return row(key, OK, act=Act.ORDER, number=number)


@pytest.mark.parametrize(
    ("_case", "rows", "stored", "expected"),
    [
        ("the same", [order("a", "INV-1")], {"a": "INV-1"}, ()),
        ("each its own", [order("a", "INV-1"), order("b", "INV-2")], {}, ()),
        ("told to two", [order("a", "INV-1"), order("b", "INV-1")], {}, ("INV-1",)),
        ("lost, and given again", [order("a", "INV-1")], {"b": "INV-1"}, ("INV-1",)),
        ("a visit has none", [row("a", OK), row("b", OK)], {}, ()),
    ],
)
def test_numbers_given_twice(_case, rows, stored, expected):
    assert numbers_given_twice(rows, stored) == expected


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ([], ()),
        ([3, 1, 2], ()),
        ([2], ((1, 1),)),
        ([1, 2, 5, 6, 8], ((3, 4), (7, 7))),
    ],
)
def test_gaps(numbers, expected):
    assert gaps(numbers) == expected


def test_seen():
    rows = [
        row("a", INVOKE),
        row("a", OK, is_redirected=True, seconds=0.1),
        row("b", INVOKE),
        row("b", UNKNOWN, is_redirected=True, seconds=1.2),
        row("c", INVOKE),
        row("c", UNKNOWN, status=503, seconds=0.3),
        row("d", INVOKE),
        row("d", FAIL, status=429),
        row("e", UNKNOWN, act=Act.PAYMENT, seconds=9.0),
    ]

    assert seen(rows) == Seen(redirects=2, errors=2, slowest=1.2, unstored=1)


@pytest.mark.parametrize(
    ("_case", "rows", "expected"),
    [
        ("never gone", [row("a", OK, at=90.0)], 0.0),
        ("back before the end", [row("a", UNKNOWN, at=45.0)], 0.0),
        (
            "the last that failed",
            [
                row("a", FAIL, at=51.0),
                row("b", UNKNOWN, at=53.5),
                row("b", OK, at=60.0),
                row("c", INVOKE, at=70.0),
            ],
            3.5,
        ),
    ],
)
def test_back_after(_case, rows, expected):
    assert back_after(rows, 50.0) == expected


def test_history_is_on_disk_before_the_next_act(tmp_path):
    path = tmp_path / "history.jsonl"
    history = History("a fault", path)

    history.add(Act.ORDER, "a", INVOKE)
    history.add(Act.ORDER, "a", OK, status=200, number="INV-1")

    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [(one["key"], one["event"]) for one in lines] == [
        ("a", "invoke"),
        ("a", "ok"),
    ]
    assert [HistoryRow(**one) for one in lines] == history.rows()
