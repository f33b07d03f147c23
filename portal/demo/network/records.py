"""The rows that the real one would keep in its database."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

CENT = Decimal("0.01")


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    visitorid: str
    accountid: str
    userid: str
    refid: str
    ip: str
    useragent: str
    url: str
    referrer: str
    at: float
    banner: str = ""
    campaign: str = ""
    channel: str = ""
    data1: str = ""
    data2: str = ""


@dataclass(slots=True, kw_only=True)
class VisitorAffiliate:
    """A visitor's tie to an affiliate; the ``actual`` one is credited while valid."""

    visitorid: str
    userid: str
    ip: str
    actual: bool
    at: float
    valid_until: float | None

    def is_valid(self, now: float) -> bool:
        return self.valid_until is None or now < self.valid_until


@dataclass(slots=True, kw_only=True)
class Transaction:
    """``type`` is S sale, A action, R refund or H chargeback; ``status`` A, P or D."""

    transid: str
    type: str
    status: str
    orderid: str
    productid: str
    totalcost: Decimal
    currency: str
    commission: Decimal
    userid: str
    refid: str
    visitorid: str
    ip: str
    useragent: str
    accountid: str
    at: float
    action: str = ""
    coupon: str = ""
    campaign: str = ""
    banner: str = ""
    channel: str = ""
    data1: str = ""
    data2: str = ""
    data3: str = ""
    data4: str = ""
    data5: str = ""
    parent: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedRequest:
    """A request as it arrived, before anybody understood it."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes
    peer: str
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something dropped without a word to the caller; the panel would show it."""

    at: float
    text: str


Record = Click | VisitorAffiliate | Transaction | LoggedRequest | Event


def as_json(record: Record) -> dict[str, Any]:
    """The row as JSON types; ``dateinserted`` beside the unix time."""
    values = asdict(record)
    for name, value in values.items():
        if isinstance(value, Decimal):
            values[name] = str(value)
        elif isinstance(value, bytes):
            values[name] = value.decode("utf-8", "replace")
    values["dateinserted"] = moment(record.at)
    return values


def moment(at: float) -> str:
    when = datetime.fromtimestamp(at, tz=UTC)
    return when.strftime("%Y-%m-%d %H:%M:%S")
