"""What providers are notified of and what they answer: plain data, on its way and in rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from affiliates.core.enums import LabelledEnum


class Operation(LabelledEnum):
    CLICK = "click", "Click"
    SALE = "sale", "Sale"
    LEAD = "lead", "Lead"
    REVERSAL = "reversal", "Reversal"
    LOOKUP = "lookup", "Look-up"
    PROBE = "probe", "Connection test"
    EVENT = "event", "Event"


class OutcomeKind(LabelledEnum):
    OK = "ok", "Accepted"
    DUPLICATE = "duplicate", "Known to the provider already"
    NOT_FOUND = "not_found", "Not found at the provider"
    RETRY = "retry", "Not accepted yet: will be sent again"
    AMBIGUOUS = "ambiguous", "Sent, but nobody can say whether it was accepted"
    CONFIG = "config", "The integration must be put right"
    REJECTED = "rejected", "Refused by the provider for good"
    GONE = "gone", "The receiver wants nothing any more"


class FailureKind(LabelledEnum):
    """Why a call has no answer."""

    NOT_SENT = "not_sent", "The connection failed before anything was sent"
    NO_ANSWER = "no_answer", "Sent, but no whole answer came in time"
    FORBIDDEN = "forbidden", "The address may not be called"
    CERTIFICATE = "certificate", "The server's certificate is not valid"


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitFacts:
    """A click as a provider is notified of it.

    ``query`` and ``fragment`` are raw, without their ``?`` and ``#``. ``affiliate`` is
    what the link named. ``ip`` is the visitor's address, or its network's.
    """

    operation: ClassVar = Operation.CLICK
    click_id: str
    occurred_at: datetime
    page: str
    query: str
    fragment: str
    affiliate: str
    referrer: str
    ip: str
    user_agent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionFacts:
    """A sale or a lead. ``amount`` is net, in ``currency``; both are empty for a lead.

    ``order_ref`` is the same at every attempt. ``click`` is there when the visitor's
    click is not known to have reached the provider.
    """

    kind: Operation
    order_ref: str
    amount: Decimal | None = None
    currency: str = ""
    product_ref: str = ""
    occurred_at: datetime
    customer_ref: str
    ip: str
    user_agent: str
    affiliate: str = ""
    coupon: str = ""
    click: VisitFacts | None = None

    @property
    def operation(self) -> Operation:
        return self.kind


class ReversalKind(LabelledEnum):
    REFUND = "refund", "Refund"
    CHARGEBACK = "chargeback", "Chargeback"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReversalFacts:
    """Money went back. ``amount`` is net and positive; None takes back the whole sale."""

    operation: ClassVar = Operation.REVERSAL
    order_ref: str
    kind: ReversalKind
    amount: Decimal | None
    currency: str
    occurred_at: datetime
    remote_ref: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupFacts:
    """Ask what the provider holds for an order."""

    operation: ClassVar = Operation.LOOKUP
    order_ref: str
    remote_ref: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeFacts:
    """Ask whether the settings work. ``now`` makes the probe's own identifiers."""

    operation: ClassVar = Operation.PROBE
    visitor_id: str
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFacts:
    """Something that came true, for a webhook. ``message_id`` is the same at every attempt.

    ``occurred_at`` is an ISO 8601 text; ``sent_at`` is the moment of the attempt.
    """

    operation: ClassVar = Operation.EVENT
    message_id: str
    kind: str
    occurred_at: str
    data: Mapping[str, Any]
    sent_at: datetime


TrackedFacts = VisitFacts | ConversionFacts | ReversalFacts
Facts = TrackedFacts | LookupFacts | ProbeFacts | EventFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One HTTP request. ``secrets`` are the texts in it that nobody may read.

    They may be anywhere in it, so that nothing but its method is ever printed.
    """

    method: str
    url: str = field(repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    body: bytes = field(default=b"", repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """An answer. Header names are lower case; the body is cut at 64 KiB."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")


class CallFailed(Exception):  # noqa: N818 - says what happened
    """A call without an answer. Thrown into ``run``, which may let it pass."""

    def __init__(self, kind: FailureKind, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteSale:
    """A sale as the provider holds it. ``status`` is the provider's own word."""

    remote_ref: str
    amount: Decimal | None
    currency: str
    status: str
    affiliate: str


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """What became of a call. ``detail`` is for people and holds no secret.

    ``visitor_id`` is set when the provider knows the visitor by another identifier than
    the one sent; ``remote_ref`` names what was made there; ``sales`` answers a look-up.
    """

    kind: OutcomeKind
    detail: str = ""
    _: KW_ONLY
    visitor_id: str = ""
    remote_ref: str = ""
    retry_after: int | None = None
    sales: tuple[RemoteSale, ...] = ()


def rejected(detail: str) -> CallOutcome:
    return CallOutcome(OutcomeKind.REJECTED, detail)


def broken(detail: str) -> CallOutcome:
    """The integration must be put right: the detail says what."""
    return CallOutcome(OutcomeKind.CONFIG, detail)
