"""The referral cookie: its contents, encrypted into one opaque string and read back."""

from __future__ import annotations

import struct
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from affiliates.core.secrets.sealing import KeyRing, seal, unseal

MAX_EXTERNAL_VISITOR_ID = 128
# The affiliate id of a touch that only the brand's tracking integration has.
NO_AFFILIATE = 0
# Browsers cap a cookie's life at 400 days.
MAX_AGE_SECONDS = 34_560_000
CLOCK_SKEW = timedelta(seconds=300)

_LAYOUT = 2
_MAX_AFFILIATE_ID = 2**64 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_SECOND = timedelta(seconds=1)
# Layout, visitor, click, affiliate, issued at, expires at, length of the rest.
_FIXED = struct.Struct(">B16s16sQQQB")


class ReferralCookie(NamedTuple):
    """A visitor's sender. Times are aware, in UTC, to the microsecond like a click's.

    ``external_visitor_id`` is the visitor's identifier at the brand's tracking
    integration, "" for none.
    """

    visitor_id: UUID
    click_id: UUID
    affiliate_id: int
    issued_at: datetime
    expires_at: datetime
    external_visitor_id: str = ""


def seal_cookie(
    cookie: ReferralCookie, *, brand_id: int, ring: KeyRing, nonce: bytes
) -> str:
    """Encrypts the cookie as the opaque string of the interface.

    Raises ValueError for a value that the format cannot hold.
    """
    if not 0 <= cookie.affiliate_id <= _MAX_AFFILIATE_ID:
        raise ValueError("affiliate_id must fit 64 bits")
    external = cookie.external_visitor_id.encode("ascii")
    if len(external) > MAX_EXTERNAL_VISITOR_ID:
        raise ValueError(
            f"external_visitor_id has at most {MAX_EXTERNAL_VISITOR_ID} characters"
        )
    fixed = _FIXED.pack(
        _LAYOUT,
        cookie.visitor_id.bytes,
        cookie.click_id.bytes,
        cookie.affiliate_id,
        _to_timestamp(cookie.issued_at),
        _to_timestamp(cookie.expires_at),
        len(external),
    )
    return seal(fixed + external, ring=ring, brand_id=brand_id, nonce=nonce)


def read_cookie(
    text: str | None, *, brand_id: int, ring: KeyRing, now: datetime
) -> ReferralCookie | None:
    """The cookie in this text; None when absent, foreign, expired or garbage."""
    payload = unseal(text, ring=ring, brand_id=brand_id) if text else None
    cookie = _unpack(payload) if payload is not None else None
    if cookie is None or now > cookie.expires_at:
        return None
    if cookie.issued_at - now > CLOCK_SKEW:
        return None
    return cookie


def remaining_seconds(cookie: ReferralCookie, *, now: datetime) -> int:
    """The lifetime for the browser: 1 second to 400 days, never less than is left."""
    seconds = -((now - cookie.expires_at) // _SECOND)
    return min(max(seconds, 1), MAX_AGE_SECONDS)


def _to_timestamp(moment: datetime) -> int:
    if moment.tzinfo is None:
        raise ValueError("A cookie's times must be aware")
    if moment < _EPOCH:
        raise ValueError("A cookie's times lie in 1970 or later")
    return (moment - _EPOCH) // _MICROSECOND


def _unpack(payload: bytes) -> ReferralCookie | None:
    if len(payload) < _FIXED.size:
        return None
    layout, visitor, click, affiliate, issued, expires, length = _FIXED.unpack_from(
        payload
    )
    external = payload[_FIXED.size :]
    if layout != _LAYOUT or len(external) != length or not external.isascii():
        return None
    return ReferralCookie(
        visitor_id=UUID(bytes=visitor),
        click_id=UUID(bytes=click),
        affiliate_id=affiliate,
        issued_at=_EPOCH + issued * _MICROSECOND,
        expires_at=_EPOCH + expires * _MICROSECOND,
        external_visitor_id=external.decode("ascii"),
    )
