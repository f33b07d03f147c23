from __future__ import annotations

import time
from threading import Event, get_ident

import pytest
from django.db import IntegrityError, OperationalError

from affiliates.db.deadlines import aside as module
from affiliates.db.deadlines.aside import aside
from affiliates.db.deadlines.deadline import DatabaseAway, Deadline, seconds_left


@pytest.fixture(autouse=True)
def threads(monkeypatch):
    threads = module._Threads()
    monkeypatch.setattr(module, "_threads", threads)
    monkeypatch.setattr(module, "PAUSE_SECONDS", 0.2)
    yield threads
    threads.close()


def seconds_of(ask) -> float:
    began_at = time.monotonic()
    with pytest.raises(DatabaseAway):
        aside(ask)
    return time.monotonic() - began_at


def test_is_asked_here_without_a_deadline():
    assert aside(get_ident) == get_ident()


def test_is_asked_in_another_thread_with_the_same_deadline():
    with Deadline(60):
        assert aside(get_ident) != get_ident()
        assert 0 < aside(seconds_left) <= 60


@pytest.mark.parametrize("error", [IntegrityError("no"), KeyError("no")])
def test_other_faults_are_the_askers(error):
    def fail() -> None:
        raise error

    with Deadline(60), pytest.raises(type(error)):
        aside(fail)


def test_lost_connection_is_tried_twice():
    tries = []

    def fail() -> None:
        tries.append(1)
        raise OperationalError("gone")

    with Deadline(60), pytest.raises(DatabaseAway):
        aside(fail)
    assert len(tries) == 2
    with Deadline(60):
        assert aside(lambda: "back") == "back"


def test_silence_is_waited_for_once(threads):
    speaks = Event()
    with Deadline(0.2):
        assert 0.2 <= seconds_of(lambda: speaks.wait(60)) < 2
    with Deadline(60):
        assert seconds_of(lambda: "not asked") < 0.1

    speaks.set()
    give_up_at = time.monotonic() + 60
    answer = None
    while answer is None and time.monotonic() < give_up_at:
        with Deadline(60):
            try:
                answer = aside(lambda: "back")
            except DatabaseAway:
                time.sleep(0.01)
    assert answer == "back"
    assert not threads._is_away


def test_inner_deadline_ends_no_later_than_the_outer():
    with Deadline(0.5):
        with Deadline(60):
            assert seconds_left() <= 0.5
        with Deadline(0.1):
            assert seconds_left() <= 0.1
        assert seconds_left() > 0.1
    assert seconds_left() is None
