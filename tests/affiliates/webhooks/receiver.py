"""A webhook's receiver: keeps what it is sent and verifies it with the kept library."""

from __future__ import annotations

from typing import Any

from standardwebhooks import Webhook

from affiliates.outbox.http.types import Call, Response
from affiliates.webhooks.announce import Fact, FactKind
from tests.affiliates.outbox.outbox import OK, Answer
from tests.factories.integrations import WEBHOOK_SECRET


class Receiver:
    """Answers calls in turn, the last answer for ever."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers) or [OK]
        self.calls: list[Call] = []

    def send(self, call: Call) -> Response:
        self.calls.append(call)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def ids(self) -> list[str]:
        return [header(call, "webhook-id") for call in self.calls]

    @property
    def messages(self) -> list[dict[str, Any]]:
        """What was sent, each verified: its clock must be the real one's."""
        return [verified(call) for call in self.calls]


def verified(call: Call, secret: str = WEBHOOK_SECRET) -> dict[str, Any]:
    """The call's message. Raises WebhookVerificationError."""
    message: dict[str, Any] = Webhook(secret).verify(call.body, dict(call.headers))
    return message


def header(call: Call, name: str) -> str:
    return dict(call.headers)[name]


def answer(status: int, **headers: str) -> Response:
    return Response(status=status, headers=headers, body=b"whatever")


def fact(brand: Any, kind: FactKind = FactKind.SALE_RECORDED, **fields: Any) -> Fact:
    return Fact(
        **{
            "kind": kind,
            "brand_id": brand.pk,
            "subject": "invoice:INV-1",
            "key": "invoice:INV-1",
            "data": {"invoice": "INV-1", "amount": "100.00", "currency": "EUR"},
            **fields,
        }
    )
