"""An outbox under test: a small provider, a scripted wire and a clock set by hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import ClassVar

from affiliates.outbox import rules
from affiliates.outbox.http.types import Call, CallFailed, FailureKind, Response
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.protocol import (
    Identifier,
    ProviderSettings,
    Run,
    TrackingAdapter,
)
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.sending.deliver import deliver_due
from affiliates.outbox.types import (
    CallOutcome,
    ConversionFacts,
    Facts,
    Operation,
    OutcomeKind,
    ReversalFacts,
)
from tests.factories.integrations import NOW, DeliveryFactory

VISITOR = "0f3c9a7be2d14c55a1b2c3d4e5f60718"
OK = Response(status=200, headers={}, body=b"")
ERROR = Response(status=500, headers={}, body=b"")
BUSY = Response(status=503, headers={}, body=b"")
REFUSED = Response(status=422, headers={}, body=b"")
MOVED = Response(status=301, headers={}, body=b"")
NOT_SENT = CallFailed(FailureKind.NOT_SENT, "No connection to tracker.example.com.")
NO_ANSWER = CallFailed(FailureKind.NO_ANSWER, "tracker.example.com gave no answer.")
FOUND = Response(status=200, headers={}, body=b"found")
MISSING = Response(status=200, headers={}, body=b"missing")

Answer = Response | Exception


class FakeAdapter(TrackingAdapter):
    """One call an operation. The URL says what was told: operation, visitor, reference.

    A body ``id=X`` renames the visitor, ``ref=X`` names what was made, ``found`` and
    ``missing`` answer a look-up.
    """

    code: ClassVar[str] = "fake"
    name: ClassVar[str] = "Fake"
    identifier = Identifier.MINTED
    carries_click = True

    def __init__(self) -> None:
        self.offered = set(Operation)

    def supports(self, operation: Operation, settings: ProviderSettings) -> bool:
        return operation in self.offered

    def converse(
        self, facts: Facts, visitor_id: str, settings: ProviderSettings
    ) -> Run:
        operation = facts.operation
        reference = getattr(facts, "order_ref", "") or getattr(facts, "click_id", "")
        url = f"{operation}/{visitor_id}/{reference}"
        if isinstance(facts, ConversionFacts) and facts.click:
            url += f"/with-{facts.click.click_id}"
        is_partial = isinstance(facts, ReversalFacts) and facts.amount is not None
        response = yield Call(method="POST", url=url)
        judged = rules.judge_status(operation, response, is_partial=is_partial)
        if judged is not None:
            return judged
        text = response.text
        if text == "missing":
            return CallOutcome(kind=OutcomeKind.NOT_FOUND, detail="No such sale.")
        return CallOutcome(
            kind=OutcomeKind.OK,
            visitor_id=text.removeprefix("id=") if text.startswith("id=") else "",
            remote_ref=text.removeprefix("ref=") if text.startswith("ref=") else "",
        )


class Wire:
    """Answers calls in turn, the last answer for ever; ``calls`` are their URLs."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers) or [OK]
        self.calls: list[str] = []
        self.on_call: Callable[[str], None] = lambda url: None

    def send(self, call: Call) -> Response:
        self.calls.append(call.url)
        self.on_call(call.url)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class Clock:
    """Stands still until it is moved."""

    def __init__(self, at: datetime = NOW) -> None:
        self.at = at

    def __call__(self) -> datetime:
        return self.at

    def pass_by(self, **time: float) -> None:
        self.at += timedelta(**time)


def deliver(wire: Wire, clock: Clock) -> Counter[QueueState]:
    return deliver_due(transport=wire, now=clock)


def sale_of(integration: TrackingIntegration, **fields: object) -> Delivery:
    return _conversion(integration, Operation.SALE, "invoice-1", fields)


def lead_of(integration: TrackingIntegration, **fields: object) -> Delivery:
    return _conversion(integration, Operation.LEAD, "client-1", fields)


def _conversion(
    integration: TrackingIntegration,
    operation: Operation,
    default: str,
    fields: dict[str, object],
) -> Delivery:
    reference = fields.pop("reference", default)
    is_sale = operation is Operation.SALE
    return DeliveryFactory(
        integration=integration,
        operation=operation,
        key=f"{operation}:{reference}",
        order_ref=reference if is_sale else "",
        payload={
            "kind": operation,
            "order_ref": reference,
            "amount": "100.00" if is_sale else None,
            "currency": "EUR" if is_sale else "",
            "product_ref": "product-1",
            "occurred_at": NOW.isoformat(),
            "customer_ref": "client-1",
            "ip": "203.0.113.0",
            "user_agent": "Mozilla/5.0 (X11)",
            "affiliate": "testaff",
            "coupon": "",
        },
        **fields,
    )


def reversal_of(
    integration: TrackingIntegration, *, amount: str | None = None, **fields: object
) -> Delivery:
    return DeliveryFactory(
        integration=integration,
        operation=Operation.REVERSAL,
        order_ref="invoice-1",
        payload={
            "order_ref": "invoice-1",
            "kind": "refund",
            "amount": amount,
            "currency": "EUR",
            "occurred_at": NOW.isoformat(),
            "remote_ref": "",
        },
        **{"key": "rev:invoice-1:refund-1", **fields},
    )


def state_of(delivery: Delivery) -> tuple[str, int]:
    """State and number of attempts, as stored."""
    delivery.refresh_from_db()
    return delivery.state, delivery.attempt_count


def seconds_until(delivery: Delivery, clock: Clock) -> float:
    """From now to the next attempt."""
    delivery.refresh_from_db()
    assert delivery.next_at is not None
    return (delivery.next_at - clock.at).total_seconds()
