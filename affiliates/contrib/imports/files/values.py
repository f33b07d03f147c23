"""Parses the text of one cell. Pure; raises Fault if it is invalid or ambiguous."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from decimal import Decimal

from moneyed import Currency, CurrencyDoesNotExist, get_currency

from affiliates.contrib.imports.files.rows import DateOrder, DecimalMark, Fault
from affiliates.core.money import minor_unit
from affiliates.core.redirects import MAX_TARGET_LENGTH
from affiliates.core.tables.numbers import read_decimals
from affiliates.core.urls import parse_http_url
from affiliates.ledger.rules import MAX_AMOUNT
from affiliates.program.rules import CODE, LINK_HASH, RESERVED_CODES

MAX_EMAIL = 254
FIRST_YEAR = 1990
LAST_YEAR = 2099
_SHOWN = 60

# English and German, as people, spreadsheets and databases write them.
_YES = "yes y true t 1 on active enabled ja j wahr aktiv an"
_NO = "no n false f 0 off inactive disabled nein falsch inaktiv aus"
_BOOLEANS = dict.fromkeys(_YES.split(), True) | dict.fromkeys(_NO.split(), False)
_EMAIL = re.compile(r'[^@\s"(),:;<>\[\]\\]+@[^@\s"(),:;<>\[\]\\.]+(\.[^@\s.,;<>]+)+')
_URL = re.compile(r"https?://[^\s\\]+", re.IGNORECASE)
_DATE = re.compile(
    r"(?:(?P<iso>[0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"|(?P<one>[0-9]{1,2})(?P<mark>[./-])(?P<other>[0-9]{1,2})(?P=mark)(?P<year>[0-9]{4}))"
    r"(?:(?:T|, ?| )(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:[.,][0-9]{1,9})?)?"
    r" ?(?P<offset>Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)?)?",
    re.IGNORECASE,
)


def shown(text: str) -> str:
    """Returns the text, shortened to fit into a sentence."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def plain_text(text: str, *, limit: int) -> str:
    """On one line, without blanks around it."""
    text = " ".join(text.split())
    if not text.isprintable():
        raise Fault("unprintable")
    if len(text) > limit:
        raise Fault("too_long", limit=limit)
    return text


def word(text: str, *, limit: int) -> str:
    """A text without blanks."""
    text = plain_text(text, limit=limit)
    if " " in text:
        raise Fault("has_blanks", text=shown(text))
    return text


def email(text: str) -> str:
    address = text.strip().lower()
    if not _EMAIL.fullmatch(address) or not address.isprintable():
        raise Fault("not_an_email", text=shown(text))
    if len(address) > MAX_EMAIL:
        raise Fault("too_long", limit=MAX_EMAIL)
    return address


def code(text: str) -> str:
    wanted = text.strip().lower()
    if wanted in RESERVED_CODES:
        raise Fault("reserved_code", text=shown(text))
    if not CODE.fullmatch(wanted):
        raise Fault("not_a_code", text=shown(text))
    return wanted


def link_hash(text: str) -> str:
    wanted = text.strip().lower()
    if not LINK_HASH.fullmatch(wanted):
        raise Fault("not_a_hash", text=shown(text))
    return wanted


def url(text: str) -> str:
    """A whole http or https address by its form; where it may lead is for others."""
    if len(text) > MAX_TARGET_LENGTH:
        raise Fault("too_long", limit=MAX_TARGET_LENGTH)
    if not _URL.fullmatch(text) or parse_http_url(text) is None:
        raise Fault("not_a_url", text=shown(text))
    return text


def boolean(text: str) -> bool:
    known = _BOOLEANS.get(text.casefold())
    if known is None:
        raise Fault("unknown_word", text=shown(text), words="yes, no")
    return known


def currency(text: str) -> Currency:
    try:
        return get_currency(text.upper())
    except CurrencyDoesNotExist:
        raise Fault("unknown_currency", text=shown(text)) from None


def decimal(text: str, mark: DecimalMark) -> Decimal:
    """1,234.50 and 1.234,50 are plain; 1.234 is two things until the file's mark is said."""
    numbers = read_decimals(text, [mark.value]) if mark else read_decimals(text)
    if not numbers:
        raise Fault("not_a_number", text=shown(text))
    if len(numbers) > 1:
        raise Fault("unclear_number", text=shown(text))
    return numbers.pop()


def minor_units(text: str, mark: DecimalMark, money: Currency) -> int:
    amount = decimal(text, mark)
    units = amount / minor_unit(money)
    if units % 1:
        raise Fault("too_fine", text=shown(text), currency=money.code)
    if abs(units) > MAX_AMOUNT:
        raise Fault("too_large_amount", text=shown(text))
    return int(units)


def percentage(text: str, mark: DecimalMark) -> Decimal:
    value = decimal(text.removesuffix("%"), mark)
    if not 0 <= value <= 100 or value.quantize(Decimal("0.001")) != value:
        raise Fault("not_a_percentage", text=shown(text))
    return value


def moment(text: str, order: DateOrder, zone: tzinfo) -> datetime:
    """In UTC. A day without a time is its beginning in the zone."""
    parts = _DATE.fullmatch(text)
    if parts is None:
        raise Fault("not_a_date", text=shown(text))
    offset = (parts["offset"] or "").upper().replace("UTC", "Z")
    time = (
        f"{parts['hour'] or 0:0>2}:{parts['minute'] or '00'}:{parts['second'] or '00'}"
    )
    try:
        there = datetime.fromisoformat(f"{_day(parts, order)}T{time}{offset}")
    except ValueError:
        raise Fault("not_a_date", text=shown(text)) from None
    if not FIRST_YEAR <= there.year <= LAST_YEAR:
        raise Fault("not_a_date", text=shown(text))
    return (there if there.tzinfo else there.replace(tzinfo=zone)).astimezone(UTC)


def _day(parts: re.Match[str], order: DateOrder) -> str:
    if parts["year"] is None:
        return parts["iso"]
    day, month = parts["one"], parts["other"]
    # Who writes points begins with the day.
    if order is DateOrder.UNSURE and parts["mark"] != "." and int(day) != int(month):
        if max(int(day), int(month)) <= 12:
            raise Fault("unclear_date", text=shown(parts[0]))
        order = DateOrder.DAY_FIRST if int(day) > 12 else DateOrder.MONTH_FIRST
    if order is DateOrder.MONTH_FIRST:
        day, month = month, day
    return f"{parts['year']}-{month:0>2}-{day:0>2}"
