"""The protocol of tracking providers, for a provider of the host's own.

Pure: providers read no database, settings or clock.
"""

from __future__ import annotations

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
from affiliates.tracking.providers import field
from affiliates.tracking.providers.answers import IDENTIFIER, json_text, read_json
from affiliates.tracking.providers.cleaning import clean_settings, is_header_text

__all__ = [
    "IDENTIFIER",
    "Call",
    "CallFailed",
    "CallOutcome",
    "ConfigError",
    "ConfigField",
    "ConversionFacts",
    "ErasureFacts",
    "EventFacts",
    "Facts",
    "FailureKind",
    "Identifier",
    "LookupFacts",
    "Match",
    "Operation",
    "OutcomeKind",
    "ProbeFacts",
    "ProviderSettings",
    "RemoteSale",
    "Response",
    "RestorationFacts",
    "ReversalFacts",
    "ReversalKind",
    "Run",
    "TrackingAdapter",
    "Unsupported",
    "VisitFacts",
    "broken",
    "clean_settings",
    "field",
    "is_header_text",
    "json_text",
    "judge_failure",
    "judge_status",
    "read_json",
    "register_provider",
    "rejected",
]
