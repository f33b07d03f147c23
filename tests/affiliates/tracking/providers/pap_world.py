"""A Post Affiliate Pro install as these tests know it, and what happens at its brand."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit

from affiliates.outbox.http.types import Call
from affiliates.outbox.protocol import ProviderSettings
from affiliates.outbox.types import (
    ConversionFacts,
    LookupFacts,
    Operation,
    ProbeFacts,
    ReversalFacts,
    ReversalKind,
    VisitFacts,
)
from affiliates.tracking.providers.pap.adapter import PapAdapter

ADAPTER = PapAdapter()
VISITOR = "0f3c9a7be2d14c55a1b2c3d4e5f60718"
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ADDRESS = "https://pap.example"
PASSWORD = "s3cret&word"  # noqa: S105 - of no install


def settings(*parameters: str, **values: str | bool) -> ProviderSettings:
    """As stored: with every value that is not named at its default."""
    return ADAPTER.clean(
        ProviderSettings(
            address=ADDRESS,
            parameters=parameters or ADAPTER.default_parameters,
            values={"account_id": "default1", **values},
        )
    )


def merchant_settings(**values: str | bool) -> ProviderSettings:
    plain = settings(username="bot@shop.example", **values)
    return ProviderSettings(
        address=plain.address,
        parameters=plain.parameters,
        values=plain.values,
        secrets={"password": PASSWORD},
    )


def visit(**changes: Any) -> VisitFacts:
    facts: dict[str, Any] = {
        "click_id": "click-1",
        "occurred_at": NOON,
        "page": "https://shop.example/plans",
        "query": "a_aid=testaff",
        "fragment": "",
        "affiliate": "testaff",
        "referrer": "",
        "ip": "203.0.113.7",
        "user_agent": "Mozilla/5.0 (X11)",
    }
    return VisitFacts(**{**facts, **changes})


def sale(**changes: Any) -> ConversionFacts:
    facts: dict[str, Any] = {
        "kind": Operation.SALE,
        "order_ref": "INV-1001",
        "amount": Decimal("49.90"),
        "currency": "EUR",
        "product_ref": "pro-year",
        "occurred_at": NOON,
        "customer_ref": "client-7",
        "ip": "203.0.113.7",
        "user_agent": "Mozilla/5.0 (X11)",
        "affiliate": "testaff",
    }
    return ConversionFacts(**{**facts, **changes})


def lead(**changes: Any) -> ConversionFacts:
    facts = {"kind": Operation.LEAD, "order_ref": "client-7", "amount": None}
    return sale(**{**facts, "currency": "", "product_ref": "", **changes})


def refund(**changes: Any) -> ReversalFacts:
    facts: dict[str, Any] = {
        "order_ref": "INV-1001",
        "kind": ReversalKind.REFUND,
        "amount": None,
        "currency": "EUR",
        "occurred_at": NOON,
    }
    return ReversalFacts(**{**facts, **changes})


LOOKUP = LookupFacts(order_ref="INV-1001")
PROBE = ProbeFacts(visitor_id=VISITOR, now=NOON)


def query_of(call: Call) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(call.url).query, keep_blank_values=True))


def sale_of(call: Call) -> Any:
    """The JSON in the body's only field."""
    form = parse_qs(call.body.decode(), strict_parsing=True)
    assert list(form) == ["sale"]
    return json.loads(form["sale"][0])


def request_of(call: Call) -> Any:
    """The JSON of a call of server.php."""
    form = parse_qs(call.body.decode(), strict_parsing=True)
    assert list(form) == ["D"]
    return json.loads(form["D"][0])
