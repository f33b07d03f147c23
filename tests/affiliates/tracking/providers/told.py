"""Facts that any provider can be told, and settings as they are stored."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

from affiliates.outbox.protocol import ProviderSettings, TrackingAdapter
from affiliates.outbox.types import (
    ConversionFacts,
    ErasureFacts,
    Operation,
    ReversalFacts,
    ReversalKind,
    VisitFacts,
)

NOW = datetime(2026, 5, 4, 12, 30, 0, tzinfo=UTC)
ADDRESS = "https://track.example"
VISIT = VisitFacts(
    click_id="c-1",
    occurred_at=NOW,
    page="https://shop.example/plans",
    query="ref=anna&x=1",
    fragment="",
    affiliate="anna",
    referrer="https://blog.example/post",
    ip="203.0.113.7",
    user_agent="Mozilla/5.0 (X11)",
)
SALE = ConversionFacts(
    kind=Operation.SALE,
    order_ref="INV-1",
    amount=Decimal("1019.90"),
    currency="EUR",
    product_ref="plan a&b",
    occurred_at=NOW,
    customer_ref="client-7",
    ip="203.0.113.7",
    user_agent="Mozilla/5.0 (X11)",
)
LEAD = replace(
    SALE, kind=Operation.LEAD, order_ref="client-7", amount=None, currency=""
)
REFUND = ReversalFacts(
    order_ref="INV-1",
    kind=ReversalKind.REFUND,
    amount=None,
    currency="EUR",
    occurred_at=NOW,
)
PARTIAL = replace(REFUND, amount=Decimal("19.90"))
ERASURE = ErasureFacts(customer_ref="client-7", occurred_at=NOW)


def stored(
    adapter: TrackingAdapter,
    *,
    parameters: tuple[str, ...] = (),
    secrets: dict[str, str] | None = None,
    address: str = ADDRESS,
    **values: str | bool,
) -> ProviderSettings:
    return adapter.clean(
        ProviderSettings(
            address=address,
            parameters=parameters,
            values=values,
            secrets=secrets or {},
        )
    )
