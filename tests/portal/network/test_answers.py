"""Acceptance test 11: what the tracker may answer, and what becomes of the delivery."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from affiliates.outbox.queue.rules import QueueState
from tests.portal.network.shop import delivery

pytestmark = pytest.mark.django_db

ELSEWHERE = "Enter the address it redirects to: none is followed."
FIRST_BACKOFF = (24, 36)
SIX_HOURS = (17_280, 25_920)
LOOK_UP = (20, 20)
ERROR = "Post Affiliate Pro met an error of its own while it tracked."
PAGE = (
    "A web page answered instead of Post Affiliate Pro's tracking: check the tracking "
    "address."
)


def status(number: int) -> str:
    return f"The provider answered with status {number}."


CASES: list[tuple[dict[str, Any], tuple[str, ...], tuple[int, int], str]] = [
    ({"body": "//err\n"}, ("retry", "unclear"), FIRST_BACKOFF, ERROR),
    ({"html_page": True}, ("retry", "retry"), SIX_HOURS, PAGE),
    (
        {"status": 301, "redirect_to": "https://elsewhere.example/"},
        ("retry", "retry"),
        SIX_HOURS,
        f"{status(301)} {ELSEWHERE}",
    ),
    ({"status": 404}, ("retry", "retry"), SIX_HOURS, status(404)),
    ({"retry_after": 600}, ("retry", "retry"), (600, 600), status(429)),
    ({"status": 503}, ("retry", "retry"), FIRST_BACKOFF, status(503)),
]


@pytest.mark.parametrize("operation", ["click", "sale"])
@pytest.mark.parametrize(("fault", "states", "wait", "reason"), CASES)
def test_acceptance_11_an_answer_that_is_none_is_classified(
    shop, operation, fault, states, wait, reason
):
    shop.integrate()
    shop.sell()
    if operation == "sale":
        shop.deliver()
    shop.tracker.fault(on=operation, **fault)

    shop.deliver()

    row = delivery(operation)
    state = states[operation == "sale"]
    assert (row.state, row.detail, row.attempt_count) == (state, reason, 1)
    shortest, longest = LOOK_UP if state == "unclear" else wait
    seconds = (row.next_at - shop.clock.at) / timedelta(seconds=1)
    assert shortest <= seconds <= longest
    shown = shop.shown(shop.page_of(row))
    assert reason in shown
    assert str(QueueState(state).label) in shown

    shop.deliver(after=timedelta(hours=8))

    assert delivery(operation).state == "sent"


def test_acceptance_11_a_refusal_is_final(shop):
    shop.integrate()
    shop.arrive()
    shop.tracker.fault(status=422)

    report = shop.deliver()

    row = delivery("click")
    assert (report[QueueState.FAILED], row.state, row.next_at) == (1, "failed", None)
    assert row.detail == status(422)
