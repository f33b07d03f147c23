"""Parses a row of text into its values, or into all of its errors. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import TypeVar

from moneyed import Currency

from affiliates.commissions.rules import MAX_NOTE
from affiliates.contrib.imports.files import values
from affiliates.contrib.imports.files.columns import AFFILIATE, CLIENT, REQUIRED
from affiliates.contrib.imports.files.rows import (
    AffiliateRow,
    BalanceRow,
    ClientRow,
    CouponRow,
    Fault,
    ImportKind,
    ImportRow,
    LinkRow,
    Named,
    NamedBy,
    OrderRow,
    ParseOptions,
    RowError,
    TextRow,
)
from affiliates.plans.rules.matching import LAST_MOMENT, normal_coupon_code
from affiliates.program.rules import AffiliateStatus

MAX_REFERENCE = 64
MAX_NAME = 100

T = TypeVar("T")
# MySQL's way of having no date.
_NO_DATE = "0000-00-00"


def parse(
    kind: ImportKind, row: TextRow, options: ParseOptions
) -> ImportRow | tuple[RowError, ...]:
    """The row's values, or its errors: those of reading it where there are any.

    Do not ask it of a row that is skipped.
    """
    if row.errors:
        return row.errors
    cells = _Cells(row, options)
    for group in REQUIRED[kind]:
        cells.require(group)
    made = _PARSERS[kind](cells)
    return tuple(cells.errors) or made


class _Cells:
    """A row's cells, each read once; what is wrong with them is collected.

    A cell that is empty or wrong is as if it were ``default``.
    """

    def __init__(self, row: TextRow, options: ParseOptions) -> None:
        self.options = options
        self.errors: list[RowError] = []
        self._row = row
        self._of_file = {"currency": options.currency, "reason": options.reason}

    def has(self, column: str) -> bool:
        return self._text(column) != ""

    def require(self, columns: Sequence[str]) -> None:
        if not any(self.has(column) for column in columns):
            code = "required" if len(columns) == 1 else "one_required"
            self._add(columns[0], code, columns=", ".join(columns))

    def read(self, column: str, reader: Callable[[str], T], default: T) -> T:
        if not self.has(column):
            return default
        try:
            return reader(self._text(column))
        except Fault as fault:
            self._add(column, fault.code, **fault.params)
            return default

    def text(self, column: str, limit: int) -> str:
        return self.read(column, partial(values.plain_text, limit=limit), "")

    def word(self, column: str) -> str:
        return self.read(column, _reference, "")

    def moment(self, column: str) -> datetime | None:
        order, zone = self.options.date_order, self.options.zone
        return self.read(column, partial(values.moment, order=order, zone=zone), None)

    def percentage(self, column: str) -> Decimal | None:
        mark = self.options.decimal_mark
        return self.read(column, partial(values.percentage, mark=mark), None)

    def currency(self) -> Currency | None:
        """The row's or the file's."""
        self.require(["currency"])
        return self.read("currency", values.currency, None)

    def minor_units(
        self,
        column: str,
        currency: Currency | None,
        *,
        least: int | None = None,
        fault: str = "",
    ) -> int | None:
        """Less than ``least`` is this fault."""
        if currency is None:
            return None

        def reader(text: str) -> int:
            units = values.minor_units(text, self.options.decimal_mark, currency)
            if least is not None and units < least:
                raise Fault(fault, text=values.shown(text))
            return units

        return self.read(column, reader, None)

    def gross(self, currency: Currency | None, *, net: int | None) -> int | None:
        if self.has("gross"):
            self.require(["net"])
        if net is None:
            return None
        return self.minor_units("gross", currency, least=net, fault="gross_below_net")

    def named(self, *columns: str) -> Named:
        """By the first of these columns that has a value; its last word says how."""
        for column in columns:
            if self.has(column):
                by = NamedBy(column.rpartition("_")[2])
                return Named(by, self.read(column, _NAMED_AS[by], ""))
        return Named(NamedBy.ID, "")

    def affiliate(self) -> Named:
        return self.named(*AFFILIATE)

    def client(self) -> Named:
        return self.named(*CLIENT)

    def _text(self, column: str) -> str:
        text = self._row.values.get(column, "").strip()
        if not text or text.startswith(_NO_DATE):
            return self._of_file.get(column, "")
        return text

    def _add(self, column: str, code: str, **params: str | int) -> None:
        self.errors.append(RowError(self._row.number, column, code, params))


def _affiliate(cells: _Cells) -> AffiliateRow:
    return AffiliateRow(
        client=cells.named("email", "client_id"),
        code=cells.read("code", values.code, ""),
        status=cells.read("status", _status, AffiliateStatus.ACTIVE),
        old_id=cells.word("old_id"),
        group=cells.text("group", MAX_NAME),
    )


def _link(cells: _Cells) -> LinkRow:
    hash = cells.read("hash", values.link_hash, "")
    old_code = cells.word("old_code")
    return LinkRow(
        affiliate=cells.affiliate(),
        name=cells.text("name", MAX_NAME) or old_code or hash[:8],
        hash=hash,
        old_code=old_code,
        target_url=cells.read("target_url", values.url, ""),
        is_active=cells.read("is_active", values.boolean, True),
    )


def _client(cells: _Cells) -> ClientRow:
    return ClientRow(
        client=cells.client(),
        affiliate=cells.affiliate(),
        bound_at=cells.moment("bound_at"),
    )


def _balance(cells: _Cells) -> BalanceRow:
    currency = cells.currency()
    cells.require(["reason"])
    return BalanceRow(
        affiliate=cells.affiliate(),
        amount=cells.minor_units("amount", currency) or 0,
        currency=currency.code if currency else "",
        reason=cells.text("reason", MAX_NOTE),
        reference=cells.word("reference"),
    )


def _coupon(cells: _Cells) -> CouponRow:
    return CouponRow(
        code=cells.read("code", _coupon_code, ""),
        affiliate=cells.affiliate(),
        percent=cells.percentage("percent"),
        affiliate_funds_percent=cells.percentage("affiliate_funds_percent")
        or Decimal(0),
        is_active=cells.read("is_active", values.boolean, True),
    )


def _order(cells: _Cells) -> OrderRow:
    order_ref = cells.word("order_ref")
    has_amount = cells.has("net") or cells.has("gross")
    currency = cells.currency() if has_amount else None
    net = cells.minor_units("net", currency, least=0, fault="below_zero")
    return OrderRow(
        order_ref=order_ref,
        invoice_ref=cells.word("invoice_ref") or order_ref,
        client=cells.client(),
        affiliate=cells.affiliate(),
        placed_at=cells.moment("placed_at") or LAST_MOMENT,
        net=net,
        gross=cells.gross(currency, net=net),
        currency=currency.code if currency else "",
        paid_at=cells.moment("paid_at"),
    )


def _reference(text: str) -> str:
    return values.word(text, limit=MAX_REFERENCE)


def _coupon_code(text: str) -> str:
    return _reference(normal_coupon_code(text))


def _status(text: str) -> AffiliateStatus:
    try:
        return AffiliateStatus(text.casefold())
    except ValueError:
        words = ", ".join(AffiliateStatus)
        raise Fault("unknown_word", text=values.shown(text), words=words) from None


_NAMED_AS: Mapping[NamedBy, Callable[[str], str]] = {
    NamedBy.CODE: values.code,
    NamedBy.EMAIL: values.email,
    NamedBy.ID: _reference,
}
_PARSERS: Mapping[ImportKind, Callable[[_Cells], ImportRow]] = {
    ImportKind.AFFILIATES: _affiliate,
    ImportKind.LINKS: _link,
    ImportKind.CLIENTS: _client,
    ImportKind.BALANCES: _balance,
    ImportKind.COUPONS: _coupon,
    ImportKind.ORDERS: _order,
}
