from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook, WebhookVerificationError

from affiliates.core.urls import parse_http_url
from affiliates.outbox.protocol import ProviderSettings, Unsupported
from affiliates.outbox.types import EventFacts, Operation, OutcomeKind, ProbeFacts
from affiliates.webhooks.provider import (
    PREVIOUS_SECRET,
    PREVIOUS_UNTIL,
    SECRET,
    WebhookAdapter,
)
from tests.affiliates.tracking.providers.conversation import converse
from tests.affiliates.tracking.providers.told import SALE
from tests.affiliates.webhooks.receiver import answer, header, verified
from tests.cases import each
from tests.factories.integrations import WEBHOOK_SECRET

ADAPTER = WebhookAdapter()
OLD_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
NOW = datetime(2021, 2, 25, 14, 55, 30, tzinfo=UTC)
FACTS = EventFacts(
    message_id="msg_p5jXN8AQM9LWM0D4loKWxJek",
    kind="sale.recorded",
    occurred_at="2026-03-01T12:00:00Z",
    data={"invoice": "INV-1", "amount": "100.00", "currency": "EUR"},
    sent_at=NOW,
)


def settings(
    *, secrets: dict[str, str] | None = None, **values: str
) -> ProviderSettings:
    return ProviderSettings(
        address="https://hooks.example.com/affiliates",
        parameters=(),
        values=values,
        secrets={SECRET: WEBHOOK_SECRET} if secrets is None else secrets,
    )


def test_request_is_what_the_standard_lays_down():
    calls, outcome = converse(ADAPTER.run(FACTS, "", settings()), answer(200))

    [call] = calls
    assert (call.method, call.url) == ("POST", "https://hooks.example.com/affiliates")
    assert call.body == (
        b'{"type":"sale.recorded","timestamp":"2026-03-01T12:00:00Z",'
        b'"data":{"invoice":"INV-1","amount":"100.00","currency":"EUR"}}'
    )
    assert dict(call.headers) == {
        "Content-Type": "application/json",
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614264930",
        "webhook-signature": Webhook(WEBHOOK_SECRET).sign(
            "msg_p5jXN8AQM9LWM0D4loKWxJek", NOW, call.body.decode()
        ),
    }
    assert call.secrets == (WEBHOOK_SECRET,)
    assert outcome.kind is OutcomeKind.OK


def test_library_signs_as_the_standards_own_example():
    signature = Webhook(WEBHOOK_SECRET).sign(
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        datetime.fromtimestamp(1614265330, tz=UTC),
        '{"test": 2432232314}',
    )

    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@each(
    ("status", "kind"),
    [
        (200, OutcomeKind.OK),
        (201, OutcomeKind.OK),
        (204, OutcomeKind.OK),
        (299, OutcomeKind.OK),
        (301, OutcomeKind.CONFIG),
        (308, OutcomeKind.CONFIG),
        (400, OutcomeKind.RETRY),
        (401, OutcomeKind.RETRY),
        (404, OutcomeKind.RETRY),
        (410, OutcomeKind.GONE),
        (422, OutcomeKind.RETRY),
        (429, OutcomeKind.RETRY),
        (500, OutcomeKind.RETRY),
        (501, OutcomeKind.RETRY),
        (503, OutcomeKind.RETRY),
        (599, OutcomeKind.RETRY),
    ],
)
def test_status_decides_alone(status, kind):
    _, outcome = converse(ADAPTER.run(FACTS, "", settings()), answer(status))

    assert outcome.kind is kind
    assert "whatever" not in outcome.detail


def test_receiver_may_ask_for_patience():
    response = answer(429, **{"retry-after": "120"})

    _, outcome = converse(ADAPTER.run(FACTS, "", settings()), response)

    assert outcome.retry_after == 120


def test_both_secrets_sign_while_receivers_are_moved_over():
    now = datetime.now(tz=UTC)
    facts = EventFacts(
        message_id="msg_1", kind="ping", occurred_at="", data={}, sent_at=now
    )
    both = {SECRET: WEBHOOK_SECRET, PREVIOUS_SECRET: OLD_SECRET}

    def call_until(until: datetime):
        held = settings(secrets=both, **{PREVIOUS_UNTIL: until.isoformat()})
        [call], _ = converse(ADAPTER.run(facts, "", held), answer(200))
        return call

    during = call_until(now + timedelta(seconds=1))
    after = call_until(now)

    assert verified(during) == verified(during, OLD_SECRET)
    assert len(header(during, "webhook-signature").split(" ")) == 2
    assert verified(after)["type"] == "ping"
    with pytest.raises(WebhookVerificationError):
        verified(after, OLD_SECRET)


def test_nothing_is_sent_without_a_secret():
    calls, outcome = converse(ADAPTER.run(FACTS, "", settings(secrets={})))

    assert calls == []
    assert outcome.kind is OutcomeKind.CONFIG
    assert outcome.detail == "The webhook has no secret: make a new one."


def test_connection_test_is_a_signed_ping():
    now = datetime.now(tz=UTC)
    probe = ProbeFacts(visitor_id="0f3c", now=now)

    [call], outcome = converse(ADAPTER.run(probe, "0f3c", settings()), answer(204))

    assert verified(call) == {
        "type": "ping",
        "timestamp": now.isoformat().replace("+00:00", "Z"),
        "data": {},
    }
    assert header(call, "webhook-id") == "msg_0f3c"
    assert outcome.kind is OutcomeKind.OK


def test_no_visit_and_no_sale_is_a_webhooks():
    page = parse_http_url("https://shop.example.com/?a_aid=one&aid=two")
    assert page is not None

    match = ADAPTER.match(page, settings())

    assert match is None
    assert not ADAPTER.supports(Operation.SALE, settings())
    with pytest.raises(Unsupported):
        ADAPTER.run(SALE, "", settings())


@given(
    st.dictionaries(
        st.text(max_size=8), st.text(max_size=8) | st.integers() | st.none(), max_size=5
    )
)
def test_any_data_is_sent_as_it_is_and_verified(data):
    facts = EventFacts(
        message_id="msg_1",
        kind="sale.recorded",
        occurred_at="",
        data=data,
        sent_at=datetime.now(tz=UTC),
    )

    [call], _ = converse(ADAPTER.run(facts, "", settings()), answer(200))

    assert verified(call)["data"] == json.loads(json.dumps(data)) == data
