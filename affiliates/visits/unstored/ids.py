"""The id under which a visit is sent again: it is the same click, of the same moment.

A sealed one if the click could not be stored. Otherwise the referral cookie of the
visit's answer: the browser has a newer one by now, and the service says which counts.
"""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from affiliates.core.secrets.sealing import KeyRing, seal, unseal
from affiliates.visits.cookie import CLOCK_SKEW, read_cookie

PURPOSE = b"visit_id"
# As long as the script remembers an arrival.
LIFETIME = timedelta(days=1)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# Visitor, click, moment.
_LAYOUT = struct.Struct(">16s16sQ")


class VisitId(NamedTuple):
    """``issued_at`` is the moment of the visit, aware, in UTC, to the microsecond.

    ``is_stored``: its click is stored with this visitor.
    """

    visitor_id: UUID
    click_id: UUID
    issued_at: datetime
    is_stored: bool = False


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
    visit = _of_sealed(text, brand_id=brand_id, ring=ring) or _of_cookie(
        text, brand_id=brand_id, ring=ring, now=now
    )
    if visit is None or not -CLOCK_SKEW <= now - visit.issued_at < LIFETIME:
        return None
    return visit


def _of_sealed(text: str, *, brand_id: int, ring: KeyRing) -> VisitId | None:
    payload = unseal(text, ring=ring, brand_id=brand_id, purpose=PURPOSE)
    if payload is None or len(payload) != _LAYOUT.size:
        return None
    visitor, click, moment = _LAYOUT.unpack(payload)
    return VisitId(
        visitor_id=UUID(bytes=visitor),
        click_id=UUID(bytes=click),
        issued_at=_EPOCH + moment * _MICROSECOND,
    )


def _of_cookie(
    text: str, *, brand_id: int, ring: KeyRing, now: datetime
) -> VisitId | None:
    cookie = read_cookie(text, brand_id=brand_id, ring=ring, now=now)
    if cookie is None:
        return None
    return VisitId(cookie.visitor_id, cookie.click_id, cookie.issued_at, is_stored=True)
