"""The protocols of providers, for a tracking or payout provider of the host's own.

Pure: providers read no database, settings or clock.
"""

from __future__ import annotations

from affiliates.core.money import decimal_text, minor_amount
from affiliates.errors import InvalidInput, StateConflict
from affiliates.outbox.http.types import Call, CallFailed, FailureKind, Response
from affiliates.outbox.protocol import (
    ConfigError,
    ConfigField,
    Identifier,
    Match,
    ProviderSettings,
    Run,
    TrackingAdapter,
    Unsupported,
)
from affiliates.outbox.registry import register as register_provider
from affiliates.outbox.rules import judge_failure, judge_status
from affiliates.outbox.types import (
    CallOutcome,
    ConversionFacts,
    ErasureFacts,
    EventFacts,
    Facts,
    LookupFacts,
    Operation,
    OutcomeKind,
    ProbeFacts,
    RemoteSale,
    RestorationFacts,
    ReversalFacts,
    ReversalKind,
    VisitFacts,
    broken,
    rejected,
)
from affiliates.payouts.providers.checks import required
from affiliates.payouts.providers.protocol import (
    DetailField,
    Details,
    Payer,
    PayoutProvider,
    Transfer,
    Way,
)
from affiliates.payouts.providers.registry import (
    register as register_payout_provider,
)
from affiliates.payouts.providers.registry import register_sender
from affiliates.payouts.providers.sender import (
    Batch,
    BatchAnswer,
    BatchRun,
    ItemAnswer,
    ItemState,
    PayoutSender,
)
from affiliates.tracking.providers import field
from affiliates.tracking.providers.answers import IDENTIFIER, json_text, read_json
from affiliates.tracking.providers.cleaning import clean_settings, is_header_text

__all__ = [
    "Batch",
    "BatchAnswer",
    "BatchRun",
    "Call",
    "CallFailed",
    "CallOutcome",
    "ConfigError",
    "ConfigField",
    "ConversionFacts",
    "DetailField",
    "Details",
    "ErasureFacts",
    "EventFacts",
    "Facts",
    "FailureKind",
    "IDENTIFIER",
    "Identifier",
    "InvalidInput",
    "ItemAnswer",
    "ItemState",
    "LookupFacts",
    "Match",
    "Operation",
    "OutcomeKind",
    "Payer",
    "PayoutProvider",
    "PayoutSender",
    "ProbeFacts",
    "ProviderSettings",
    "RemoteSale",
    "Response",
    "RestorationFacts",
    "ReversalFacts",
    "ReversalKind",
    "Run",
    "StateConflict",
    "TrackingAdapter",
    "Transfer",
    "Unsupported",
    "VisitFacts",
    "Way",
    "broken",
    "clean_settings",
    "decimal_text",
    "field",
    "is_header_text",
    "json_text",
    "judge_failure",
    "judge_status",
    "minor_amount",
    "read_json",
    "register_payout_provider",
    "register_provider",
    "register_sender",
    "rejected",
    "required",
]
