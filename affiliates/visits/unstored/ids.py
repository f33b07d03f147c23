"""The sealed id of a visit whose click could not be stored: the visit sent again under it
is the same click, of the same moment.
"""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from affiliates.core.secrets.sealing import KeyRing, seal, unseal
from affiliates.visits.cookie import CLOCK_SKEW

PURPOSE = b"visit_id"
# As long as the script remembers an arrival.
LIFETIME = timedelta(days=1)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# Visitor, click, moment.
_LAYOUT = struct.Struct(">16s16sQ")


class VisitId(NamedTuple):
    """``issued_at`` is the moment of the visit, aware, in UTC, to the microsecond."""

    visitor_id: UUID
    click_id: UUID
    issued_at: datetime


def seal_visit_id(visit: VisitId, *, brand_id: int, ring: KeyRing, nonce: bytes) -> str:
    moment = (visit.issued_at - _EPOCH) // _MICROSECOND
    payload = _LAYOUT.pack(visit.visitor_id.bytes, visit.click_id.bytes, moment)
    return seal(payload, ring=ring, brand_id=brand_id, nonce=nonce, purpose=PURPOSE)


def read_visit_id(
    text: str | None, *, brand_id: int, ring: KeyRing, now: datetime
) -> VisitId | None:
    """The id in this text; None when absent, forged, another brand's or expired."""
    if not text:
        return None
    payload = unseal(text, ring=ring, brand_id=brand_id, purpose=PURPOSE)
    if payload is None or len(payload) != _LAYOUT.size:
        return None
    visitor, click, moment = _LAYOUT.unpack(payload)
    issued_at = _EPOCH + moment * _MICROSECOND
    if not -CLOCK_SKEW <= now - issued_at < LIFETIME:
        return None
    return VisitId(
        visitor_id=UUID(bytes=visitor), click_id=UUID(bytes=click), issued_at=issued_at
    )
