"""Banks' answers: statements (camt.053), notices (camt.054), status reports (pain.002).

The XML comes from outside: no document type, so no entities; elements are dropped once
read, so that a large file needs little memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from affiliates.contrib.payout_runs.elements import (
    inside,
    money_of,
    name_of,
    number_of,
    path_of,
    reasons_of,
    text_of,
    word_of,
)
from affiliates.contrib.payout_runs.status_reports import StatusReport
from affiliates.contrib.payout_runs.types import CHARGED, UNMARKED, Entry, Said
from affiliates.errors import InvalidInput, StateConflict
from affiliates.payouts.providers.references import (
    batch_number,
    payout_number,
    references_in,
)

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

NOT_PROVIDED = "NOTPROVIDED"
DEBIT, CREDIT = "DBIT", "CRDT"
BOOKED, ANNOUNCED = "BOOK", frozenset({"PDNG", "FUTR", "INFO"})
# The codes of a returned transfer: ISO 20022's sub-families, SWIFT's type, Germany's.
RETURN_FAMILIES = frozenset({"RRTN", "RPCR"})
SWIFT_RETURN, GERMAN_RETURN = "NRTI", "159"
# A bank writes some dozens of elements for a transaction. Without limits, a small
# archive full of elements would take minutes to read.
MAX_ELEMENTS, MAX_OUTSIDE, MAX_EACH = 1_000_000, 5_000, 200
DAY_REPORT = "BkToCstmrAcctRpt"
_TRANSACTIONS = ("TxDtls", "Ntry", "TxInfAndSts")
_KNOWN_ROOTS = ("BkToCstmrStmt", "BkToCstmrDbtCdtNtfctn", "CstmrPmtStsRpt")


def read_bank_file(content: bytes, elements: Iterator[int]) -> Iterator[Entry]:
    """Each transaction that may be a payout's. Raises InvalidInput for anything else.

    ``elements`` counts the elements of all files in an archive.
    """
    count, allowed, is_known = 0, MAX_OUTSIDE, False
    parents: list[str] = []
    report = StatusReport()
    for event, element in _events(content):
        name = name_of(element)
        if event == "start":
            # An envelope may be around the document.
            is_known = is_known or (parents[-1:] == ["Document"] and _is_root(name))
            parents.append(name)
            report.begin(name, element)
            count += 1
            if count > allowed or next(elements) > MAX_ELEMENTS:
                raise InvalidInput(
                    "too_large", "The file has too many elements for its transactions."
                )
            continue
        parents.pop()
        if name in _TRANSACTIONS and len(element):
            allowed += MAX_EACH
        if name == "Ntry":
            yield from _bookings(element)
            element.clear()
        else:
            yield from report.end(name, element)
    if not is_known:
        raise InvalidInput(
            "unknown_file", "This is no camt.053, camt.054 or pain.002 file."
        )


def _is_root(name: str) -> bool:
    if name == DAY_REPORT:
        raise InvalidInput(
            "unknown_file",
            "This is a camt.052, a report during the day, which the bank may still "
            "change: read the camt.053 of the same day.",
        )
    return name in _KNOWN_ROOTS


def _events(content: bytes) -> Iterator[tuple[str, Any]]:
    try:
        from defusedxml.common import DefusedXmlException  # type: ignore[import-untyped]  # it has no types
        from defusedxml.ElementTree import (  # type: ignore[import-untyped]  # it has no types
            ParseError,
            iterparse,
        )
    except ImportError:
        raise StateConflict(
            "no_payout_files",
            "Banks' files need an extra that is not installed here: "
            "pip install 'affiliates[payout-files]'.",
        ) from None
    try:
        yield from iterparse(BytesIO(content), events=("start", "end"), forbid_dtd=True)
    except (DefusedXmlException, LookupError, ParseError, ValueError):
        raise InvalidInput(
            "unreadable_file", "The file is no XML that can be read safely."
        ) from None


class _Name(NamedTuple):
    """How a transaction names payouts; ``is_clear`` unless it names several."""

    reference: str
    is_clear: bool = True
    is_batch: bool = False


def _bookings(entry: Element) -> Iterator[Entry]:
    """Entries of a booking: of each transaction, or of all where none is named."""
    details = entry.findall(path_of("NtryDtls", "TxDtls"))
    if len(details) == 1 and entry.find(inside("Btch")) is None:
        name = _name(entry)
        # A single transfer that names nothing is no sum.
        is_sum = batch_number(name.reference) is not None
        yield from _booking(details[0], entry, name._replace(is_batch=is_sum))
        return
    names = [_name(tx) for tx in details]
    if all(name.is_batch for name in names):
        yield from _booking(entry, entry, _name(entry))
        return
    for tx, name in zip(details, names, strict=True):
        yield from _booking(tx, entry, name)


def _booking(tx: Element, entry: Element, name: _Name) -> Iterator[Entry]:
    """The entry of a transaction, or of the whole booking given as ``tx``."""
    side = word_of(tx, "CdtDbtInd") or word_of(entry, "CdtDbtInd")
    is_back = _is_marked_as_return(tx, entry)
    if side == CREDIT and not is_back and not references_in(name.reference):
        return  # Money from somebody else.
    said, sentence = _judge(
        side=side,
        status=word_of(entry, "Sts", "Cd") or word_of(entry, "Sts"),
        is_back=is_back,
        is_clear=name.is_clear,
    )
    if said is Said.RETURNED:
        part = ("NtryDtls", "TxDtls") if tx is entry else ()
        sentence = reasons_of(tx, *part, "RtrInf") or "Reversed by the bank."
    count = text_of(entry, "NtryDtls", "Btch", "NbOfTxs") if name.is_batch else ""
    amount, currency = money_of(_amount(tx, entry, side=side))
    yield Entry(
        said=said,
        reference=name.reference,
        amount=amount,
        currency=currency,
        reason=sentence,
        remote_ref=text_of(tx, "Refs", "AcctSvcrRef") or text_of(entry, "AcctSvcrRef"),
        is_batch=name.is_batch,
        count=number_of(count),
    )


def _judge(
    *, side: str, status: str, is_back: bool, is_clear: bool
) -> tuple[Said, str]:
    if is_back and side == DEBIT:
        return Said.UNCLEAR, CHARGED
    if status in ANNOUNCED:
        return Said.WAITING, "Announced, not booked yet."
    if status != BOOKED:
        return Said.UNCLEAR, f"The booking's status {status or 'is missing'}."
    if side not in (DEBIT, CREDIT):
        return Said.UNCLEAR, "The booking does not say whether money came or went."
    if not is_clear:
        return Said.UNCLEAR, "The booking names several payouts: look at it."
    if side == DEBIT:
        return Said.PAID, ""
    if is_back:
        return Said.RETURNED, ""
    return Said.UNCLEAR, UNMARKED


def _is_marked_as_return(tx: Element, entry: Element) -> bool:
    """Any of the marks, of the transaction or of its booking."""
    return (
        tx.find(inside("RtrInf")) is not None
        or any(word_of(part, "RvslInd") in ("TRUE", "1") for part in (tx, entry))
        or any(
            _is_code_of_return(code)
            for code in (
                *entry.findall(path_of("BkTxCd")),
                *tx.findall(inside("BkTxCd")),
            )
        )
    )


def _is_code_of_return(code: Element) -> bool:
    """In the bank's own code, such as NTRF+166+931, the first number counts."""
    own = re.split(r"[^A-Z0-9]+", word_of(code, "Prtry", "Cd"))
    number = next((part for part in own if part.isdigit()), "")
    family = word_of(code, "Domn", "Fmly", "SubFmlyCd")
    return family in RETURN_FAMILIES or number == GERMAN_RETURN or SWIFT_RETURN in own


def _name(element: Element) -> _Name:
    """A reference of ours wherever it stands, else the sender's own."""
    end_to_end = _first(element, "EndToEndId")
    if end_to_end == NOT_PROVIDED:
        end_to_end = ""
    if payout_number(end_to_end) is not None:
        return _Name(end_to_end)
    ours = references_in("\n".join(element.itertext()))
    if payouts := [name for name in ours if payout_number(name) is not None]:
        return _Name(payouts[0], is_clear=len(set(payouts)) == 1)
    if ours:
        return _Name(ours[0], is_batch=True)
    if end_to_end:
        return _Name(end_to_end)
    return _Name(_first(element, "PmtInfId"), is_batch=True)


def _first(element: Element, name: str) -> str:
    return (element.findtext(inside(name)) or "").strip()


def _amount(tx: Element, entry: Element, *, side: str) -> Element | None:
    """For a debit the amount that was ordered: charges may be in the other."""
    ordered: list[tuple[str, ...]] = [("AmtDtls", "InstdAmt", "Amt")]
    booked: list[tuple[str, ...]] = [("Amt",), ("AmtDtls", "TxAmt", "Amt")]
    paths = ordered + booked if side == DEBIT else booked + ordered
    if tx is entry:
        paths = [("NtryDtls", "Btch", "TtlAmt"), *paths]
    amounts = [tx.findall(path_of(*path)) for path in paths]
    if len(entry.findall(path_of("NtryDtls", "TxDtls"))) == 1:
        amounts.append(entry.findall(path_of("Amt")))
    # An element without children is false.
    return next((places[0] for places in amounts if len(places) == 1), None)
