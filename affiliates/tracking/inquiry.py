"""Read-only questions to a provider: does it work, and which sales does it hold?"""

from __future__ import annotations

import secrets
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime

from affiliates.outbox.http.client import Transport
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.sending.exchange import CallSender, converse
from affiliates.outbox.sending.provider import open_provider
from affiliates.outbox.types import (
    CallOutcome,
    LookupFacts,
    OutcomeKind,
    ProbeFacts,
    broken,
)

NO_PROBE = (
    "{provider} has nothing that could be called without tracking something. Send a "
    "test sale and look for it there."
)
NO_LOOK_UP = (
    "With its present settings {provider} cannot be asked what it holds. Where the "
    "integration's form asks for credentials, complete them."
)


def probe(
    integration: TrackingIntegration, *, now: datetime, sender: CallSender | None = None
) -> CallOutcome:
    """Calls the provider with the stored settings; tracks and writes nothing."""
    visitor_id = secrets.token_hex(16)
    facts = ProbeFacts(visitor_id=visitor_id, now=now)
    return _ask(integration, facts, visitor_id, sender=sender)


def look_up(
    integration: TrackingIntegration,
    order_ref: str,
    *,
    sender: CallSender | None = None,
    remote_ref: str = "",
) -> CallOutcome:
    """The provider's sales of an order: OK with ``sales``, NOT_FOUND, or a failure.

    ``order_ref`` is the reference the sale was sent with, ``remote_ref`` the provider's
    own if a delivery has learnt it. Any other outcome says why the question failed.
    """
    facts = LookupFacts(order_ref=order_ref, remote_ref=remote_ref)
    return _ask(integration, facts, "", sender=sender)


def why_no_look_up(integration: TrackingIntegration) -> str:
    """Why the provider cannot be asked for its sales, "" if it can."""
    provider = open_provider(integration)
    if isinstance(provider, str):
        return provider
    if provider.can_look_up:
        return ""
    return NO_LOOK_UP.format(provider=provider.adapter.name)


def _ask(
    integration: TrackingIntegration,
    facts: ProbeFacts | LookupFacts,
    visitor_id: str,
    *,
    sender: CallSender | None,
) -> CallOutcome:
    provider = open_provider(integration)
    if isinstance(provider, str):
        return broken(provider)
    adapter, settings = provider.adapter, provider.settings
    if not adapter.supports(facts.operation, settings):
        if isinstance(facts, ProbeFacts):
            detail = NO_PROBE.format(provider=adapter.name)
            return CallOutcome(OutcomeKind.NOT_FOUND, detail)
        detail = NO_LOOK_UP.format(provider=adapter.name)
        return broken(detail)
    carrier: AbstractContextManager[CallSender]
    carrier = Transport() if sender is None else nullcontext(sender)
    with carrier as opened:
        return converse(
            lambda: adapter.run(facts, visitor_id, settings),
            facts.operation,
            sender=opened,
        ).outcome
