"""Whatever Post Affiliate Pro's address answers or a visitor sends, no error escapes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from affiliates.outbox.http.types import Response
from affiliates.outbox.protocol import Run
from affiliates.outbox.types import CallOutcome, Facts, OutcomeKind
from affiliates.tracking.providers.pap.tracking import MAX_QUERY
from tests.affiliates.tracking.providers.conversation import answer
from tests.affiliates.tracking.providers.pap_world import (
    ADAPTER,
    LOOKUP,
    PASSWORD,
    PROBE,
    VISITOR,
    lead,
    merchant_settings,
    refund,
    sale,
    visit,
)
from tests.cases import each

SETTINGS = merchant_settings(lead_action="signup", partial_refunds=True)
FACTS: list[Facts] = [
    visit(),
    sale(),
    lead(),
    refund(),
    refund(amount=sale().amount),
    LOOKUP,
    PROBE,
]
LOGGED_IN = answer('{"fields":[["S","sess-1"]],"success":"Y"}')
MARK = "zq-mark-zq"

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["Y", "N", "S", "R", "id", "orderid", "INV-1001", "1"]),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.sampled_from(["e", "success", "infoMessage", "rows", "count", "fields"])
            | st.text(max_size=5),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)
bodies = (
    st.binary(max_size=300)
    | st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass"))
    | json_values.map(lambda value: json.dumps(value).encode())
    | st.sampled_from(
        [b"[" * 65_536, b'{"a":' * 10_000, b"\n" * 65_536, b"a();" * 16_384 + b"!"]
    )
)
responses = st.builds(
    Response,
    status=st.sampled_from([200, 200, 200, 204, 301, 404, 429, 500, 501]),
    headers=st.fixed_dictionaries({}, optional={"retry-after": st.text(max_size=12)}),
    body=bodies,
)


def finish(run: Run, answers: list[Response], last: Response) -> CallOutcome:
    """Answer as long as it asks; it must come to an end."""
    try:
        next(run)
        for step in range(10):
            run.send(answers[step] if step < len(answers) else last)
    except StopIteration as end:
        outcome: CallOutcome = end.value
        return outcome
    raise AssertionError("It asks for ever.")


@pytest.mark.parametrize("facts", FACTS)
@given(first=responses, last=responses, is_logged_in=st.booleans())
def test_any_answer_becomes_an_outcome(facts, first, last, is_logged_in):
    answers = [LOGGED_IN, first] if is_logged_in else [first]

    outcome = finish(ADAPTER.run(facts, VISITOR, SETTINGS), answers, last)

    assert isinstance(outcome, CallOutcome)
    assert isinstance(outcome.kind, OutcomeKind)
    assert outcome.detail.isprintable()
    assert outcome.detail
    assert len(outcome.detail) <= 500
    assert PASSWORD not in outcome.detail
    assert outcome.visitor_id == "" or outcome.visitor_id.isalnum()


@pytest.mark.parametrize("facts", FACTS)
@given(reply=json_values)
def test_any_reply_in_a_session_becomes_an_outcome(facts, reply):
    replies = answer(json.dumps([reply]))

    outcome = finish(ADAPTER.run(facts, VISITOR, SETTINGS), [LOGGED_IN], replies)

    for held in outcome.sales:
        assert held.amount is None or held.amount.is_finite()
        assert len(held.remote_ref) <= 255


@each("facts", FACTS)
@each(
    "body",
    [
        MARK,
        f"//{MARK}",
        f"<p>{MARK}",
        f'{{"e":"{MARK}"}}',
        f'[{{"e":"{MARK}"}}]',
        f'[{{"success":"N","errorMessage":"{MARK}"}}]',
        f'[{{"success":"Y","infoMessage":"{MARK}"}}]',
    ],
)
def test_words_of_the_install_never_reach_the_reason(facts, body):
    for answers in ([], [LOGGED_IN]):
        outcome = finish(ADAPTER.run(facts, VISITOR, SETTINGS), answers, answer(body))

        assert MARK not in outcome.detail


@given(
    query=st.text(max_size=200),
    fragment=st.text(max_size=200),
    affiliate=st.text(max_size=255),
    referrer=st.text(max_size=200),
    user_agent=st.text(max_size=200),
    ip=st.text(max_size=60),
    visitor_id=st.text(max_size=40),
)
def test_any_visit_becomes_a_request_that_can_be_sent(visitor_id, **facts: Any):
    run = ADAPTER.run(visit(**facts), visitor_id, SETTINGS)

    call = next(run)

    assert call.url.isascii()
    assert call.url.isprintable()
    assert len(call.url) <= MAX_QUERY + 100
    ((name, value),) = call.headers
    assert name == "User-Agent"
    assert value == value.strip()
    assert value.isascii()
    assert value.isprintable()
