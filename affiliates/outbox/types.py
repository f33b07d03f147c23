"""Messages to providers and their answers: plain data, in memory and in rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar, NamedTuple

from django.db.models import TextChoices

# The provider of webhooks, whose rows the trackers' pages leave out, and the setting that
# names the events it wants.
WEBHOOK = "webhook"
KINDS = "kinds"
# What the subject of an event about an invoice begins with.
INVOICE_SUBJECT = "invoice:"


class Operation(TextChoices):
    CLICK = "click", "Click"
    SALE = "sale", "Sale"
    LEAD = "lead", "Lead"
    REVERSAL = "reversal", "Reversal"
    RESTORATION = "restoration", "Restoration"
    LOOKUP = "lookup", "Look-up"
    PROBE = "probe", "Connection test"
    EVENT = "event", "Event"
    ERASURE = "erasure", "Erasure"


class OutcomeKind(TextChoices):
    OK = "ok", "Accepted"
    DUPLICATE = "duplicate", "Known to the provider already"
    NOT_FOUND = "not_found", "Not found at the provider"
    RETRY = "retry", "Not accepted yet: will be sent again"
    BUSY = "busy", "Not accepted yet: the provider says when to send it again"
    AMBIGUOUS = "ambiguous", "Sent, but nobody can say whether it was accepted"
    CONFIG = "config", "The integration must be put right"
    REJECTED = "rejected", "Refused by the provider for good"
    GONE = "gone", "The receiver wants nothing any more"


@dataclass(frozen=True, slots=True, kw_only=True)
class VisitFacts:
    """A click for a provider.

    ``query`` and ``fragment`` are raw, without their ``?`` and ``#``. ``affiliate`` is
    the name in the link. ``ip`` is the visitor's address or its network.
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

    ``order_ref`` is the same at every attempt. ``click`` is set if the visitor's click
    is not known to have reached the provider.
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


class ReversalKind(TextChoices):
    REFUND = "refund", "Refund"
    CHARGEBACK = "chargeback", "Chargeback"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReversalFacts:
    """A reversal. ``amount`` is net and positive; None reverses the whole sale."""

    operation: ClassVar = Operation.REVERSAL
    order_ref: str
    kind: ReversalKind
    amount: Decimal | None
    currency: str
    occurred_at: datetime
    remote_ref: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestorationFacts:
    """A cancelled refund, which restores this amount of a sale. For a person only."""

    operation: ClassVar = Operation.RESTORATION
    order_ref: str
    amount: Decimal
    currency: str
    occurred_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureFacts:
    """A client whose data was erased here. ``customer_ref`` as in its conversions."""

    operation: ClassVar = Operation.ERASURE
    customer_ref: str
    occurred_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupFacts:
    """Asks for the provider's sales of an order."""

    operation: ClassVar = Operation.LOOKUP
    order_ref: str
    remote_ref: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeFacts:
    """Asks whether the settings work. ``now`` makes the probe's own identifiers."""

    operation: ClassVar = Operation.PROBE
    visitor_id: str
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class EventFacts:
    """An event for a webhook. ``message_id`` is the same at every attempt.

    ``occurred_at`` is an ISO 8601 text; ``sent_at`` is the moment of the attempt.
    """

    operation: ClassVar = Operation.EVENT
    message_id: str
    kind: str
    occurred_at: str
    data: Mapping[str, Any]
    sent_at: datetime


SaleFacts = ConversionFacts | ReversalFacts | RestorationFacts
TrackedFacts = VisitFacts | ConversionFacts | ReversalFacts | ErasureFacts
Facts = TrackedFacts | LookupFacts | ProbeFacts | EventFacts


class NewDelivery(NamedTuple):
    """A delivery to be queued once for its reference.

    The reference names the order by its initial invoice, the client, the refund or the
    cancellation.
    """

    facts: SaleFacts
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoteSale:
    """A sale stored by the provider. ``status`` is the provider's own word."""

    remote_ref: str
    amount: Decimal | None
    currency: str
    status: str
    affiliate: str


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """The result of a call. ``detail`` is for people and contains no secret.

    ``visitor_id`` is set if the provider knows the visitor by another identifier than
    the one sent; ``remote_ref`` names the created object; ``sales`` answers a look-up.
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
    """An outcome for a wrong integration; the detail says what to correct."""
    return CallOutcome(OutcomeKind.CONFIG, detail)
