"""Post Affiliate Pro and Network: the adapter, its settings, its choice of script."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from affiliates.core.urls import HttpUrl
from affiliates.outbox.protocol import (
    Identifier,
    ProviderSettings,
    Run,
    TrackingAdapter,
    Unsupported,
)
from affiliates.outbox.registry import register
from affiliates.outbox.types import (
    CallOutcome,
    ConversionFacts,
    Facts,
    LookupFacts,
    Operation,
    OutcomeKind,
    ProbeFacts,
    ReversalFacts,
    VisitFacts,
)
from affiliates.tracking.providers.pap import merchant, rpc, tracking
from affiliates.tracking.providers.pap.config import (
    COUNTS_WITHIN,
    DEFAULT_COUNTS_WITHIN,
    FIELDS,
    LEAD_ACTION,
    USERNAME,
    clean,
)

_VISITOR_ID = re.compile(r"[A-Za-z0-9]{32}")


@register
class PapAdapter(TrackingAdapter):
    """Visits and sales go to track.php, without a login; the rest to server.php."""

    code = "pap"
    name = "Post Affiliate Pro"
    about = (
        "Post Affiliate Pro and Post Affiliate Network, hosted or on your own server. "
        "It never says what became of a visit or a sale; with a merchant's login "
        "sales are looked up."
    )
    identifier = Identifier.MINTED
    carries_click = True
    fields = FIELDS
    address_help = (
        "Where the install is, such as https://brand.postaffiliatepro.com or "
        "https://brand.example/affiliate: what precedes /scripts/track.php."
    )
    default_parameters = (tracking.DEFAULT_AFFILIATE_NAME, "aid")

    def clean(self, settings: ProviderSettings) -> ProviderSettings:
        return clean(settings)

    def supports(self, operation: Operation, settings: ProviderSettings) -> bool:
        match operation:
            case Operation.LEAD:
                return bool(settings.text(LEAD_ACTION))
            case Operation.REVERSAL | Operation.LOOKUP:
                return bool(settings.text(USERNAME))
            case _:
                return operation in {Operation.CLICK, Operation.SALE, Operation.PROBE}

    def counts_within(self, settings: ProviderSettings) -> timedelta:
        minutes = settings.text(COUNTS_WITHIN)
        return timedelta(minutes=int(minutes)) if minutes else DEFAULT_COUNTS_WITHIN

    def identify(
        self,
        url: HttpUrl,
        settings: ProviderSettings,
        *,
        current: str,
        mint: Callable[[], str],
    ) -> str:
        return current if _VISITOR_ID.fullmatch(current) else mint()

    def converse(
        self, facts: Facts, visitor_id: str, settings: ProviderSettings
    ) -> Run:
        match facts:
            case VisitFacts():
                return tracking.track_click(facts, visitor_id, settings)
            case ConversionFacts():
                return tracking.track_conversion(facts, visitor_id, settings)
            case ReversalFacts():
                return merchant.reverse(facts, settings)
            case LookupFacts():
                return merchant.look_up(facts, settings)
            case ProbeFacts():
                return _probe(facts, settings)
        raise Unsupported


def _probe(facts: ProbeFacts, settings: ProviderSettings) -> Run:
    outcome = yield from tracking.track_nothing(facts, settings)
    if outcome.kind is not OutcomeKind.OK:
        return outcome
    if not settings.text(USERNAME):
        return CallOutcome(
            OutcomeKind.OK,
            "Tracking works. Without a merchant's login refunds are not sent and "
            "sales not looked up.",
        )
    session = yield from rpc.log_in(settings)
    if isinstance(session, CallOutcome):
        return replace(
            session,
            detail=f"Tracking works, the merchant's login does not. {session.detail}",
        )
    return CallOutcome(
        OutcomeKind.OK, "Tracking works, and so does the merchant's login."
    )
