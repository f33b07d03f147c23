"""Rows of third-party tracking: a brand's integration and what is to be delivered."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import factory
from factory.django import DjangoModelFactory

from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.secrets import CREDENTIALS
from affiliates.outbox.types import KINDS, WEBHOOK, Operation
from affiliates.webhooks.models import Webhook
from affiliates.webhooks.provider import SECRET
from tests.guard.markers import marker, number_of

EXTERNAL_VISITOR = "0f3c9a7be2d14c55a1b2c3d4e5f60718"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
WEBHOOK_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


class TrackingIntegrationFactory(DjangoModelFactory):
    """A switched-on Post Affiliate Pro at tracker.example.com. ``brand`` must be given."""

    class Meta:
        model = TrackingIntegration

    provider = "pap"
    address = "https://tracker.example.com"
    parameters = "a_aid,aid"


class WebhookFactory(DjangoModelFactory):
    """A switched-on webhook at hooks.example.com that wants every event.

    ``brand`` must be given. ``kinds`` chooses events; ``secret`` is held encrypted.
    """

    class Meta:
        model = Webhook

    class Params:
        kinds: tuple[str, ...] = ()
        secret = WEBHOOK_SECRET

    provider = WEBHOOK
    address = factory.LazyAttribute(
        lambda row: f"https://hooks.example.com/{_marker_of(row)}"
    )
    requests_per_second = 1000
    sale_max_age_days = 7
    config = factory.LazyAttribute(lambda row: {KINDS: list(row.kinds)})
    secrets = factory.LazyAttribute(lambda row: CREDENTIALS.seal({SECRET: row.secret}))


def _marker_of(row: Any) -> str:
    affiliate = getattr(row, "affiliate", None)
    return marker("affiliate", "hook", number_of(affiliate and affiliate.user))


class DeliveryFactory(DjangoModelFactory):
    """A click waiting to be sent since ``created_at``. ``integration`` must be given."""

    class Meta:
        model = Delivery

    brand = factory.SelfAttribute("integration.brand")
    operation = Operation.CLICK
    key = factory.Sequence(lambda number: f"click:{number}")
    visitor_ref = "0f3c9a7be2d14c55a1b2c3d4e5f60718"
    payload = factory.LazyAttribute(
        lambda row: {
            "click_id": row.key.removeprefix("click:"),
            "occurred_at": row.created_at.isoformat(),
            "page": "https://shop.example.com/plans",
            "query": "a_aid=testaff",
            "fragment": "",
            "affiliate": "testaff",
            "referrer": f"https://blog.example.org/{marker('visitor', 'referrer')}",
            "ip": "203.0.113.7",
            "user_agent": f"Mozilla/5.0 (X11) {marker('visitor', 'agent')}",
        }
    )
    state = QueueState.WAITING
    created_at = NOW
    next_at = factory.LazyAttribute(
        lambda row: row.created_at if QueueState(row.state).is_open else None
    )
    finished_at = factory.LazyAttribute(
        lambda row: None if QueueState(row.state).is_open else row.created_at
    )


def external_fields(integration: TrackingIntegration, now: datetime) -> dict[str, Any]:
    """What an order keeps of the integration's visit of a day ago."""
    return {
        "integration": integration,
        "external_visitor_id": EXTERNAL_VISITOR,
        "external_affiliate": "testaff",
        "external_click_id": UUID(int=2),
        "external_touched_at": now - timedelta(days=1),
        "external_ip": "203.0.113.0",
        "external_user_agent": f"Mozilla/5.0 (X11) {marker('visitor', 'agent')}",
    }
