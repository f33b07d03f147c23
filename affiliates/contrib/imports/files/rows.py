"""Rows of another system's file as plain values, and the errors in them.

The code that stores them checks whether the affiliate, client or group exists.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from decimal import Decimal
from enum import StrEnum

from django.db.models import TextChoices

from affiliates.program.rules import AffiliateStatus

MAX_BYTES = 20_000_000


class ImportKind(TextChoices):
    AFFILIATES = "affiliates", "Affiliates"
    LINKS = "links", "Links"
    CLIENTS = "clients", "Client bindings"
    BALANCES = "balances", "Opening balances"
    COUPONS = "coupons", "Coupons"
    ORDERS = "orders", "Past orders"


class Source(TextChoices):
    """Whose columns a file has. Ours are understood in every file."""

    OWN = "own", "Our columns"
    WHMCS = "whmcs", "WHMCS"
    PAP = "pap", "Post Affiliate Pro"
    REWARDFUL = "rewardful", "Rewardful"
    TAPFILIATE = "tapfiliate", "Tapfiliate"


class NamedBy(StrEnum):
    """An affiliate's ``ID`` is that of the system left, a client's that of the host."""

    CODE = "code"
    EMAIL = "email"
    ID = "id"


@dataclass(frozen=True, slots=True)
class Named:
    """How a row names an affiliate or a client. An e-mail and a code are in small letters."""

    by: NamedBy
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AffiliateRow:
    """``client`` becomes an affiliate. ``old_id`` is how other files name it; "" is none."""

    client: Named
    code: str = ""
    status: AffiliateStatus = AffiliateStatus.ACTIVE
    old_id: str = ""
    group: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkRow:
    """``hash`` as ours (40 hex digits), ``old_code`` as the system left wrote it.

    At least one of them is there. ``target_url`` is an address by its form only; "" is
    the brand's default.
    """

    affiliate: Named
    name: str
    hash: str = ""
    old_code: str = ""
    target_url: str = ""
    is_active: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRow:
    """A client is bound to an affiliate; ``bound_at`` is None where the file does not say."""

    client: Named
    affiliate: Named
    bound_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BalanceRow:
    """``amount`` in minor units; below zero the affiliate owes it, zero is nothing to post.

    ``reference`` tells several balances of an affiliate and currency apart; "" is the one.
    """

    affiliate: Named
    amount: int
    currency: str
    reason: str
    reference: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CouponRow:
    """``code`` in capitals. ``percent`` is None where the plan decides."""

    code: str
    affiliate: Named
    percent: Decimal | None = None
    affiliate_funds_percent: Decimal = Decimal(0)
    is_active: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderRow:
    """An order of the past. ``invoice_ref`` is the order's where the file names none.

    ``net`` and ``gross`` in minor units, ``currency`` and ``paid_at`` are of its first
    payment; where the file names none, ``currency`` is "" and the others are None. There
    is no ``gross`` without ``net``, and none below it.
    """

    order_ref: str
    invoice_ref: str
    client: Named
    affiliate: Named
    placed_at: datetime
    net: int | None = None
    gross: int | None = None
    currency: str = ""
    paid_at: datetime | None = None


ImportRow = AffiliateRow | LinkRow | ClientRow | BalanceRow | CouponRow | OrderRow


@dataclass(frozen=True, slots=True)
class RowError:
    """An error in a row, as a code for which a sentence exists.

    ``row_number`` counts as a spreadsheet does: the headings of a plain file are row 1;
    0 is the whole file. ``column`` is our name of the column, "" if the error has none.
    ``params`` are plain texts and numbers, fit for JSON.
    """

    row_number: int
    column: str
    code: str
    params: Mapping[str, str | int] = field(default_factory=dict)


class Fault(Exception):
    """The row cannot be imported. ``column`` is one of ours."""

    def __init__(self, code: str, column: str = "", /, **params: str | int) -> None:
        super().__init__(code)
        self.code, self.column, self.params = code, column, params

    def at(self, row_number: int) -> RowError:
        return RowError(row_number, self.column, self.code, self.params)


class UnreadableFile(Exception):
    """The file cannot be read at all, or from some row on."""

    def __init__(self, code: str, row_number: int = 0, /, **params: str | int) -> None:
        super().__init__(code)
        self.error = RowError(row_number, "", code, params)


@dataclass(frozen=True, slots=True)
class TextRow:
    """A row as it is read: text by our columns, and what was wrong in reading it.

    ``is_skipped``: the source keeps rows of other kinds in the same file.
    """

    number: int
    values: Mapping[str, str] = field(default_factory=dict)
    errors: tuple[RowError, ...] = ()
    is_skipped: bool = False


class DecimalMark(TextChoices):
    """``EITHER`` refuses what could be both, such as 1.234."""

    EITHER = "", "As each amount is written"
    POINT = ".", "Point: 1,234.50"
    COMMA = ",", "Comma: 1.234,50"


class DateOrder(TextChoices):
    """Year first is understood in every file; ``UNSURE`` refuses what could be both."""

    UNSURE = "", "Year first: 2026-12-31"
    DAY_FIRST = "dmy", "Day first: 31/12/2026"
    MONTH_FIRST = "mdy", "Month first: 12/31/2026"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseOptions:
    """Details that a file does not state, for all of its rows.

    ``zone`` applies to times without an offset; ``currency`` and ``reason`` to rows
    that leave them empty.
    """

    decimal_mark: DecimalMark = DecimalMark.EITHER
    date_order: DateOrder = DateOrder.UNSURE
    zone: tzinfo = UTC
    currency: str = ""
    reason: str = ""
