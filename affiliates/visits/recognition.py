"""The tracking integration's part in a visit, and the delivery of its click.

An integration's failure never stops the visit.
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from affiliates.core.urls import HttpUrl
from affiliates.encrypted.addresses import seal_address
from affiliates.outbox import payload
from affiliates.outbox.active import ActiveIntegration
from affiliates.outbox.protocol import is_affiliate
from affiliates.outbox.types import Operation, VisitFacts
from affiliates.telemetry.request_ids import current_request_id
from affiliates.visits.cookie import MAX_EXTERNAL_VISITOR_ID, ReferralCookie
from affiliates.visits.decision import Recognition
from affiliates.visits.models import MAX_STORED_URL, MAX_USER_AGENT
from affiliates.visits.rules import DeliveryRow, Visit, storable

MAX_FRAGMENT = 512
MAX_REFERRER = 1024

_IDENTIFIER_BYTES = 16
_IDENTIFIER = re.compile(rf"[\x20-\x7e]{{0,{MAX_EXTERNAL_VISITOR_ID}}}")

logger = logging.getLogger(__name__)


def recognise(
    url: HttpUrl,
    *,
    integration: ActiveIntegration | None,
    held: ReferralCookie | None,
) -> Recognition | None:
    """The integration's part in the visit, None if it has none."""
    if integration is None:
        return None
    try:
        current = "" if held is None else held.external_visitor_id
        return _recognise(url, integration, current)
    except Exception as error:  # noqa: BLE001 - a bad setting must not take visits down
        _log_broken(integration, error)
        return None


def parameters_of(integration: ActiveIntegration | None) -> tuple[str, ...]:
    """The integration's parameter names in an address."""
    if integration is None:
        return ()
    try:
        return integration.adapter.parameters_of(integration.settings)
    except Exception as error:  # noqa: BLE001 - as above
        _log_broken(integration, error)
        return ()


def delivery_of(
    recognition: Recognition,
    *,
    integration: ActiveIntegration,
    click_id: UUID,
    url: HttpUrl,
    visit: Visit,
    now: datetime,
) -> DeliveryRow:
    """The click as the provider is notified of it.

    Only this row holds the visitor's whole address, until it is delivered.
    """
    page, query, fragment = notified_page(url, integration)
    facts = VisitFacts(
        click_id=str(click_id),
        occurred_at=now,
        page=page,
        query=query,
        fragment=fragment,
        affiliate=recognition.affiliate,
        referrer=_in_bytes(visit.referrer_url, MAX_REFERRER),
        ip=seal_address(visit.ip),
        user_agent=_in_bytes(visit.user_agent, MAX_USER_AGENT),
    )
    return DeliveryRow(
        brand_id=integration.brand_id,
        integration_id=integration.id,
        key=f"click:{click_id}",
        visitor_ref=recognition.visitor_ref,
        payload=payload.to_json(facts),
        created_at=now,
        request_id=current_request_id(),
    )


def notified_page(url: HttpUrl, integration: ActiveIntegration) -> tuple[str, str, str]:
    """The visited page without credentials, its query and its fragment, shortened."""
    page = f"{url.origin}{url.pathname}"[:MAX_STORED_URL]
    query = _whole_pairs(
        url.search[1:],
        limit=MAX_STORED_URL - len(page),
        first=integration.settings.parameters,
    )
    return page, query, _whole_pairs(url.hash[1:], limit=MAX_FRAGMENT)


def new_identifier() -> str:
    return secrets.token_hex(_IDENTIFIER_BYTES)


def _recognise(
    url: HttpUrl, integration: ActiveIntegration, current: str
) -> Recognition | None:
    adapter, settings = integration.adapter, integration.settings
    match = adapter.match(url, settings)
    if match is None or (match.affiliate and not is_affiliate(match.affiliate)):
        return None
    identifier = adapter.identify(url, settings, current=current, mint=new_identifier)
    return Recognition(
        integration_id=integration.id,
        affiliate=match.affiliate,
        visitor_ref=identifier if _IDENTIFIER.fullmatch(identifier) else "",
        is_notified=adapter.supports(Operation.CLICK, settings),
    )


def _log_broken(integration: ActiveIntegration, error: Exception) -> None:
    logger.error(
        "A tracking integration cannot read visits. Open it in admin and save it again.",
        exc_info=error,
        extra={"integration_id": integration.id, "brand_id": integration.brand_id},
    )


def _whole_pairs(query: str, *, limit: int, first: Collection[str] = ()) -> str:
    """Returns as many whole pairs of the query as fit; those in ``first`` come first."""
    if len(query) <= limit:
        return query
    pairs = query.split("&")
    pairs.sort(key=lambda pair: pair.partition("=")[0] not in first)
    kept: list[str] = []
    for pair in pairs:
        if len(pair) <= limit:
            kept.append(pair)
            limit -= len(pair) + 1
    return "&".join(kept)


def _in_bytes(text: str, limit: int) -> str:
    return storable(text, limit).encode()[:limit].decode(errors="ignore")
