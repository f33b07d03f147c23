"""What every endpoint does with an Idempotency-Key; each test runs for each ``call``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from threading import Event, Thread
from typing import Any

import pytest
from django.db import connection, connections, transaction
from django.test.utils import CaptureQueriesContext
from rest_framework.test import APIClient

from affiliates.api.http import idempotency
from affiliates.api.idempotency.models import StoredAnswer
from tests.affiliates.api.calls import refusal
from tests.conftest import ORIGIN
from tests.database import nothing_written
from tests.races import at_once, needs_postgresql

KEY = "8e03978e-40d5-43e8-bc93-6894a57f9324"
OTHER_ORIGIN = "https://other.example.net"
DAY = timedelta(days=1)

races = pytest.mark.django_db(transaction=True)


@dataclass(frozen=True, kw_only=True)
class Call:
    method: str
    path: str
    status: int
    body: dict[str, Any]
    other_body: dict[str, Any]
    refused_body: dict[str, Any]
    authorization: Callable[[], str] = str
    """Credentials of this moment, "" for none."""
    others_authorization: Callable[[], str] = str
    to_another: Any = None
    """What another person gets: a refusal, its code unless the host chooses it, or None
    for an answer of its own."""
    at_another_brand: Any = None
    after_a_day: Any = None
    """As above; None for an answer that ``repeats_itself`` or is new."""
    repeats_itself: bool = False


def send(
    call: Call,
    key: str | None = KEY,
    *,
    body: Any = None,
    authorization: str | None = None,
    origin: str = ORIGIN,
    path: str = "",
) -> Any:
    sent = {
        "origin": origin,
        "authorization": (
            call.authorization() if authorization is None else authorization
        ),
        "idempotency-key": key,
    }
    client = APIClient(raise_request_exception=False)
    return getattr(client, call.method)(
        path or call.path,
        call.body if body is None else body,
        format="json",
        headers={name: value for name, value in sent.items() if value},
    )


def whole(answer: Any) -> tuple[int, bytes, dict[str, str]]:
    return answer.status_code, answer.content, dict(answer.items())


def test_repeat_gets_the_same_answer(call):
    # The credentials of the first request: completing a registration ends them.
    authorization = call.authorization()
    first = send(call, authorization=authorization)

    assert first.status_code == call.status, first.content
    with nothing_written():
        second = send(call, f'"{KEY}"', authorization=authorization)
        third = send(
            call, authorization=authorization, body=dict(reversed(call.body.items()))
        )
    assert whole(second) == whole(first)
    assert whole(third) == whole(first)
    assert StoredAnswer.objects.count() == 1


def test_repeat_with_newer_credentials_gets_the_same_answer(call):
    first = send(call)

    second = send(call)

    assert first.status_code == call.status, first.content
    assert whole(second) == whole(first)


def test_another_request_with_the_key_is_refused(call):
    send(call)
    authorization = call.authorization()

    with nothing_written():
        answers = [
            send(call, body=call.other_body, authorization=authorization),
            send(call, body={}, authorization=authorization),
        ]

    assert [refusal(one) for one in answers] == [
        (422, "idempotency_key_reused", None)
    ] * 2


def test_another_key_is_another_request(call):
    first = send(call)

    second = send(call, f"{KEY}-2")

    expected = call.after_a_day
    if expected is None:
        assert second.status_code == call.status
        assert (second.content == first.content) is call.repeats_itself
    else:
        assert refusal(second)[: len(expected)] == expected


def test_key_of_another_person_gives_nothing(call):
    first = send(call)
    others = call.others_authorization()
    if not others:
        assert call.authorization() == ""
        return

    answer = send(call, authorization=others)

    if call.to_another is None:
        assert answer.status_code == call.status
        assert answer.content != first.content
    else:
        assert refusal(answer)[: len(call.to_another)] == call.to_another


def test_key_at_another_brand_gives_nothing(call, other_brand):
    first = send(call)

    answer = send(call, origin=OTHER_ORIGIN)

    assert answer.content != first.content
    if call.at_another_brand is not None:
        expected = call.at_another_brand
        assert refusal(answer)[: len(expected)] == expected


def test_answer_is_forgotten_after_a_day(call, clock, now):
    first = send(call)
    clock.move_to(now + DAY)

    answer = send(call)

    if call.after_a_day is None:
        assert answer.status_code == call.status
        assert (answer.content == first.content) is call.repeats_itself
    else:
        assert refusal(answer)[: len(call.after_a_day)] == call.after_a_day


def test_refusal_is_not_remembered(call):
    authorization = call.authorization()
    with nothing_written():
        refused = send(call, body=call.refused_body, authorization=authorization)

    assert refused.status_code == 400, refused.content
    assert send(call, authorization=authorization).status_code == call.status


@pytest.mark.parametrize("key", ["k" * 256, '"open', '"a", "b"', "a b", " "])
def test_header_that_holds_no_key_is_refused(call, key):
    authorization = call.authorization()

    with nothing_written():
        answer = send(call, key, authorization=authorization)

    assert refusal(answer) == (400, "idempotency_key_invalid", None)


def test_short_key_needs_credentials(call):
    authorization = call.authorization()

    answer = send(call, "order-17", authorization=authorization)

    if authorization:
        assert answer.status_code == call.status
    else:
        assert refusal(answer) == (400, "idempotency_key_invalid", None)


def test_missing_credentials_are_refused_after_an_answer_too(call):
    send(call)
    if not call.authorization():
        return

    with nothing_written():
        nobody = send(call, authorization=" ")
        unknown = send(call, authorization="Bearer " + "0" * 64)

    assert refusal(nobody)[0] == refusal(unknown)[0] == 401


def test_fault_between_leaves_neither(call, monkeypatch):
    authorization = call.authorization()

    def fail(*_, **__):
        raise RuntimeError

    with monkeypatch.context() as patched, nothing_written():
        patched.setattr(idempotency.services, "keep", fail)
        failed = send(call, authorization=authorization)

    assert failed.status_code == 500
    assert send(call, authorization=authorization).status_code == call.status


def test_key_costs_two_statements_and_no_savepoint(call):
    authorization = call.authorization()
    with transaction.atomic():
        without = _statements(lambda: send(call, None, authorization=authorization))
        transaction.set_rollback(True)

    with_key = _statements(lambda: send(call, authorization=authorization))

    assert _savepoints(with_key) == _savepoints(without)
    of_answers = [one for one in with_key if "affiliates_storedanswer" in one]
    assert [one.split()[0] for one in of_answers] == ["SELECT", "INSERT"]
    locks = [one for one in with_key if "'repeat:" in one]
    assert len(locks) == (connection.vendor == "postgresql")
    assert not [one for one in without if "storedanswer" in one or "'repeat:" in one]


@needs_postgresql
@races
def test_request_that_is_being_answered_is_a_conflict(call, monkeypatch):
    authorization = call.authorization()
    reached, may_end = Event(), Event()
    keep, answers = idempotency.services.keep, []

    def wait(*args, **kwargs):
        reached.set()
        assert may_end.wait(60)
        keep(*args, **kwargs)

    def first():
        try:
            answers.append(send(call, authorization=authorization))
        finally:
            connections.close_all()

    monkeypatch.setattr(idempotency.services, "keep", wait)
    thread = Thread(target=first)
    thread.start()
    assert reached.wait(60)
    busy = send(call, authorization=authorization)
    may_end.set()
    thread.join()

    assert refusal(busy) == (409, "request_in_progress", None)
    assert busy["Retry-After"] == "2"
    assert answers[0].status_code == call.status
    assert whole(send(call, authorization=authorization)) == whole(answers[0])


@needs_postgresql
@races
def test_of_requests_at_once_one_is_carried_out(call):
    authorization = call.authorization()

    answers = at_once(8, lambda _: send(call, authorization=authorization))

    done = [one for one in answers if one.status_code != 409]
    busy = [one for one in answers if one.status_code == 409]
    assert {one.status_code for one in done} == {call.status}
    assert len({one.content for one in done}) == 1
    assert {refusal(one)[1] for one in busy} <= {"request_in_progress"}
    assert StoredAnswer.objects.count() == 1


def _statements(act: Callable[[], Any]) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        act()
    return [one["sql"] for one in captured.captured_queries]


def _savepoints(statements: list[str]) -> int:
    return sum(one.startswith("SAVEPOINT") for one in statements)


TESTS = {name: test for name, test in globals().items() if name.startswith("test_")}
