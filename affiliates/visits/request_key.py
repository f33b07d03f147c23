"""Ids of a visit by its request: a proxy that sends it twice makes one click of it.

It sends a visit to a second process if the first one does not answer. The first may have
stored the click before it died.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from uuid import UUID

from affiliates.visits.rules import Visit
from affiliates.visits.unstored.ids import VisitId

# nginx: "$msec-$request_id". Another form of request id says no moment.
_REQUEST_ID = re.compile(r"([0-9]{10})\.([0-9]{3})-[0-9a-f]{32}")
# All processes share the proxy's clock, so it is believed where it is behind this one:
# then this one may be ahead. A click of the future would be credited to nobody.
BEHIND, AHEAD = timedelta(hours=1), timedelta(seconds=5)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def visit_of_request(visit: Visit, *, now: datetime) -> VisitId | None:
    """Ids and moment that each process finds in this request; None if it names none."""
    match = _REQUEST_ID.fullmatch(visit.request_id)
    if match is None:
        return None
    milliseconds = int(match[1] + match[2])
    moment = _EPOCH + milliseconds * _MILLISECOND
    if not -AHEAD <= now - moment < BEHIND:
        return None
    # Another visit under the same request id is another visit.
    said = "\n".join((visit.request_id, visit.visit_url, visit.user_agent, visit.ip))
    digest = sha256(said.encode("utf-8", "surrogatepass")).digest()
    return VisitId(
        visitor_id=_uuid7(milliseconds, digest[:10]),
        click_id=_uuid7(milliseconds, digest[10:20]),
        issued_at=moment,
    )


def _uuid7(milliseconds: int, chosen: bytes) -> UUID:
    number = milliseconds << 80 | int.from_bytes(chosen)
    version_and_variant = 0xF << 76 | 0x3 << 62
    return UUID(int=number & ~version_and_variant | 0x7 << 76 | 0x2 << 62)
