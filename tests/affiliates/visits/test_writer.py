from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from unittest.mock import patch

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from affiliates.db.deadlines.deadline import DatabaseAway, Deadline
from affiliates.visits.commits import leader as commits
from affiliates.visits.commits.leader import ClickStoreUnavailable, CommitLeader
from affiliates.visits.rules import ClickRow, DeliveryRow
from affiliates.visits.writer import write_click
from tests.affiliates.visits.writing import (
    DEADLINE_SECONDS,
    GatedTable,
    errors_of,
    eventually,
    make_row,
    stored_rows,
    write_behind_a_leader,
)


class FakeTable(GatedTable):
    """Keeps the rows, or fails as the ``source`` of one of them says."""

    def __init__(self) -> None:
        super().__init__()
        self.batches: list[int] = []
        self.rows: list[ClickRow] = []

    def _execute(
        self, rows: Sequence[ClickRow], deliveries: Sequence[DeliveryRow]
    ) -> None:
        self.batches.append(len(rows))
        for row in rows:
            if row.source in FAILURES:
                raise FAILURES[row.source]
        self.rows.extend(rows)


FAILURES: dict[str, BaseException] = {
    "refused": IntegrityError("no such affiliate"),
    "unencodable": UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogate"),
    "unreachable": OperationalError("the server is gone"),
    "late": DatabaseAway("not in time"),
}


@pytest.mark.parametrize("link_id", [40_000, None])
def test_a_direct_write_stores_every_value(affiliate, link_id):
    row = make_row(affiliate.pk, link_id=link_id)

    write_click(row)

    assert stored_rows() == [row]


def test_a_click_written_in_a_transaction_is_rolled_back_with_it(affiliate, settings):
    settings.AFFILIATES_CLICK_WRITER = "auto"

    with transaction.atomic():
        write_click(make_row(affiliate.pk))
        transaction.set_rollback(True)

    assert stored_rows() == []


def test_an_unreachable_database_is_reported_as_such(affiliate):
    def fail(*_: object) -> None:
        raise OperationalError("server closed the connection")

    with connection.execute_wrapper(fail), pytest.raises(ClickStoreUnavailable):
        write_click(make_row(affiliate.pk))

    assert stored_rows() == []


def test_an_idle_leader_writes_each_row_at_once():
    table = FakeTable()
    table.release.set()
    leader = CommitLeader(table)

    for _ in range(3):
        leader.write(make_row())

    assert table.batches == [1, 1, 1]


def test_rows_that_come_while_one_is_written_share_the_next_insert():
    table = FakeTable()
    first, *rest = [make_row() for _ in range(11)]

    futures = write_behind_a_leader(table, rest, first=first)

    assert errors_of(futures) == [None] * 11
    assert table.batches == [1, 10]
    assert table.rows == [first, *rest]


def test_a_batch_has_a_limit():
    table = FakeTable()
    first, *rest = [make_row() for _ in range(commits.MAX_BATCH + 6)]

    write_behind_a_leader(table, rest, first=first)

    assert table.batches == [1, commits.MAX_BATCH, 5]


@pytest.mark.parametrize(
    ("_case", "source", "error"),
    [
        ("the database refuses it", "refused", IntegrityError),
        ("the driver cannot send it", "unencodable", UnicodeEncodeError),
    ],
)
def test_a_bad_row_among_neighbours_fails_alone(_case, source, error):
    table = FakeTable()
    rest = [make_row(), make_row(source=source), make_row()]

    futures = write_behind_a_leader(table, rest, first=make_row())

    assert errors_of(futures) == [None, None, error, None]
    assert table.batches == [1, 3, 1, 1, 1]
    assert len(table.rows) == 3


def test_an_unreachable_database_is_tried_twice_and_fails_everybody_who_waits():
    table = FakeTable()
    rest = [make_row(), make_row(source="unreachable"), make_row()]

    futures = write_behind_a_leader(table, rest, first=make_row())

    assert errors_of(futures) == [None, *[OperationalError] * 3]
    assert table.batches == [1, 3, 3]
    assert len(table.rows) == 1


def test_a_leader_whose_deadline_has_passed_leaves_the_others_to_their_own():
    table = FakeTable()
    rest = [make_row(source="late"), make_row(), make_row()]

    futures = write_behind_a_leader(table, rest, first=make_row())

    assert errors_of(futures) == [None, DatabaseAway, None, None]
    assert table.batches == [1, 3, 2]


def test_a_follower_waits_until_its_deadline_and_leaves():
    table = FakeTable()
    leader = CommitLeader(table)
    first = make_row()
    with ThreadPoolExecutor() as pool:
        future = pool.submit(leader.write, first)
        assert table.is_entered.wait(DEADLINE_SECONDS)

        with Deadline(0.1), pytest.raises(ClickStoreUnavailable):
            leader.write(make_row())

        assert leader._waiting == []
        table.release.set()
    assert errors_of([future]) == [None]
    assert table.rows == [first]
    assert not leader._is_led


def test_a_follower_that_left_while_it_was_written_inherits_nothing():
    table = FakeTable()
    table.release.set()
    leader = CommitLeader(table)
    own = commits._Pending(make_row(source="late"))
    follower = commits._Pending(make_row())
    leader._waiting = [own, follower]
    leader._is_led = True
    leave = partial(leader._leave, follower)
    with patch.object(table, "insert", side_effect=lambda *_: leave() or late()):
        leader._lead(own)

    assert isinstance(own.error, DatabaseAway)
    assert (leader._waiting, leader._is_led) == ([], False)


def late() -> None:
    raise DatabaseAway


def test_after_a_deadline_one_thread_at_a_time_tries_until_one_succeeds():
    table = FakeTable()
    leader = CommitLeader(table)
    table.release.set()
    with pytest.raises(DatabaseAway):
        leader.write(make_row(source="late"))
    table.release.clear()
    table.is_entered.clear()

    with ThreadPoolExecutor() as pool:
        future = pool.submit(leader.write, make_row())
        assert table.is_entered.wait(DEADLINE_SECONDS)
        with pytest.raises(ClickStoreUnavailable):
            leader.write(make_row())
        table.release.set()

    assert errors_of([future]) == [None]
    leader.write(make_row())
    assert len(table.rows) == 2


def test_the_followers_of_a_leader_that_is_torn_down_take_over(monkeypatch):
    monkeypatch.setitem(FAILURES, "torn_down", SystemExit())
    table = FakeTable()
    rest = [make_row(source="torn_down"), *(make_row() for _ in range(5))]

    futures = write_behind_a_leader(table, rest, first=make_row())

    assert errors_of(futures) == [None, SystemExit, *[None] * 5]
    assert table.batches == [1, 6, 5]


class InterruptedTurn:
    def acquire(self, timeout: float) -> None:
        raise KeyboardInterrupt

    def release(self) -> None:
        pass


@pytest.mark.parametrize("is_heir", [False, True])
def test_a_follower_interrupted_while_it_waits_holds_nobody_up(is_heir):
    table = FakeTable()
    table.release.set()
    leader = CommitLeader(table)
    interrupted = commits._Pending(make_row())
    interrupted.turn = InterruptedTurn()
    interrupted.is_heir = is_heir
    leader._waiting = [interrupted]
    leader._is_led = True

    with pytest.raises(KeyboardInterrupt):
        leader._await_turn(interrupted)

    assert leader._waiting == []
    assert leader._is_led is not is_heir
    assert table.rows == []


def test_a_full_queue_refuses_newcomers(monkeypatch):
    monkeypatch.setattr(commits, "MAX_WAITING", 2)
    table = FakeTable()
    leader = CommitLeader(table)
    with ThreadPoolExecutor() as pool:
        futures = [pool.submit(leader.write, make_row())]
        assert table.is_entered.wait(DEADLINE_SECONDS)
        futures += [pool.submit(leader.write, make_row()) for _ in range(2)]
        eventually(lambda: len(leader._waiting) == 2)

        with pytest.raises(ClickStoreUnavailable):
            leader.write(make_row())

        table.release.set()
    assert errors_of(futures) == [None] * 3
    assert len(table.rows) == 3
