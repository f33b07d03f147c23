"""The brand's own receivers of events, by the Standard Webhooks specification."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from standardwebhooks import Webhook

from affiliates.core.urls import HttpUrl
from affiliates.outbox import rules
from affiliates.outbox.http.types import Call, Response
from affiliates.outbox.protocol import (
    Identifier,
    Match,
    ProviderSettings,
    Run,
    TrackingAdapter,
    Unsupported,
)
from affiliates.outbox.registry import register
from affiliates.outbox.types import (
    WEBHOOK,
    CallOutcome,
    EventFacts,
    Facts,
    Operation,
    OutcomeKind,
    ProbeFacts,
    broken,
)

# The names of a webhook's settings and secrets.
SECRET = "secret"  # noqa: S105 - a field's name
PREVIOUS_SECRET = "previous"  # noqa: S105 - a field's name
PREVIOUS_UNTIL = "previous_until"
PING = "ping"
NO_SECRET = "The webhook has no secret: make a new one."  # noqa: S105 - a sentence
GONE = 410


@register
class WebhookAdapter(TrackingAdapter):
    code = WEBHOOK
    name = "Webhook"
    about = "An address of your own is notified of what happens in the program, signed."
    identifier = Identifier.MINTED
    operations = frozenset({Operation.EVENT, Operation.PROBE})

    def match(self, url: HttpUrl, settings: ProviderSettings) -> Match | None:
        """Never matches: visits do not belong to webhooks."""
        return None

    def converse(
        self, facts: Facts, visitor_id: str, settings: ProviderSettings
    ) -> Run:
        if isinstance(facts, ProbeFacts):
            facts = _ping(facts)
        if not isinstance(facts, EventFacts):
            raise Unsupported
        secrets = list(_secrets(settings, at=facts.sent_at))
        if not secrets:
            return broken(NO_SECRET)
        response = yield _call(facts, secrets, address=settings.address)
        return _judge(response)


def _ping(facts: ProbeFacts) -> EventFacts:
    return EventFacts(
        message_id=f"msg_{facts.visitor_id}",
        kind=PING,
        occurred_at=facts.now.isoformat().replace("+00:00", "Z"),
        data={},
        sent_at=facts.now,
    )


def _call(facts: EventFacts, secrets: list[str], *, address: str) -> Call:
    message = {"type": facts.kind, "timestamp": facts.occurred_at, "data": facts.data}
    body = json.dumps(message, separators=(",", ":"))
    sent_at = facts.sent_at.astimezone(UTC)
    signatures = [
        Webhook(secret).sign(facts.message_id, sent_at, body) for secret in secrets
    ]
    return Call(
        method="POST",
        url=address,
        headers=(
            ("Content-Type", "application/json"),
            ("webhook-id", facts.message_id),
            ("webhook-timestamp", str(int(sent_at.timestamp()))),
            ("webhook-signature", " ".join(signatures)),
        ),
        body=body.encode(),
        secrets=tuple(secrets),
    )


def _secrets(settings: ProviderSettings, *, at: datetime) -> Iterator[str]:
    """The secret, and the previous one while receivers change to the new one."""
    if settings.secrets.get(SECRET):
        yield settings.secrets[SECRET]
    until = settings.text(PREVIOUS_UNTIL)
    is_overlap = bool(until) and at < datetime.fromisoformat(until)
    if is_overlap and settings.secrets.get(PREVIOUS_SECRET):
        yield settings.secrets[PREVIOUS_SECRET]


def _judge(response: Response) -> CallOutcome:
    """Any 2xx is a success. A failure may be temporary: it is sent again."""
    judged = rules.judge_status(Operation.EVENT, response)
    if judged is None:
        return CallOutcome(OutcomeKind.OK)
    if response.status == GONE:
        return CallOutcome(
            OutcomeKind.GONE,
            "The receiver answered 410 Gone: the webhook was switched off.",
        )
    if 300 <= response.status < 400:
        return judged
    is_busy = judged.kind is OutcomeKind.BUSY
    return replace(
        judged,
        kind=OutcomeKind.BUSY if is_busy else OutcomeKind.RETRY,
        detail=f"The receiver answered with status {response.status}.",
    )
