"""Banks' answers: statements (camt.053), notices (camt.054), status reports (pain.002).

The XML comes from outside: no document type, so no entities; elements are dropped once
read, so that a large file needs little memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any

from affiliates.contrib.payout_runs.types import Entry, Said
from affiliates.errors import InvalidInput, StateConflict

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

NOT_PROVIDED = "NOTPROVIDED"
REJECTED, WAITING = "RJCT", ("ACTC", "ACCP", "ACSP", "ACSC", "ACWC", "PDNG", "PART")
# A bank writes some dozens of elements for a transaction. Without limits, a small
# archive full of elements would take minutes to read.
MAX_ELEMENTS, MAX_OUTSIDE, MAX_EACH = 1_000_000, 5_000, 200
_TRANSACTIONS = ("TxDtls", "Ntry", "TxInfAndSts")
_KNOWN_ROOTS = ("BkToCstmrStmt", "BkToCstmrDbtCdtNtfctn", "CstmrPmtStsRpt")


def read_bank_file(content: bytes, elements: Iterator[int]) -> Iterator[Entry]:
    """Each transaction that may be a payout's. Raises InvalidInput for anything else.

    ``elements`` counts the elements of all files in an archive.
    """
    depth, count, allowed, is_known = 0, 0, MAX_OUTSIDE, False
    for event, element in _events(content):
        name = _name(element)
        if event == "start":
            depth += 1
            is_known = is_known or (depth == 2 and name in _KNOWN_ROOTS)
            count += 1
            if count > allowed or next(elements) > MAX_ELEMENTS:
                raise InvalidInput(
                    "too_large", "The file has too many elements for its transactions."
                )
            continue
        depth -= 1
        if name in _TRANSACTIONS and len(element):
            allowed += MAX_EACH
        if name == "Ntry":
            yield from _entry(element)
            element.clear()
        elif name == "TxInfAndSts":
            yield _status(element)
            element.clear()
        elif name == "OrgnlGrpInfAndSts" and _text(element, "GrpSts") == REJECTED:
            reason = f"The bank refused the whole file. {_reason(element, 'StsRsnInf')}"
            group = _text(element, "OrgnlMsgId")
            yield Entry(said=Said.UNCLEAR, reference=group, reason=reason)
    if not is_known:
        raise InvalidInput(
            "unknown_file", "This is no camt.053, camt.054 or pain.002 file."
        )


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


def _entry(entry: Element) -> Iterator[Entry]:
    """Entries of a booking; each of its transactions may differ from it in details."""
    details = entry.findall(_path("NtryDtls", "TxDtls"))
    is_booked = (_text(entry, "Sts", "Cd") or _text(entry, "Sts")) == "BOOK"
    for tx in details or [entry]:
        # An element without children is false, so these are not joined by "or".
        amount = tx.find(_path("Amt"))
        if amount is None:
            amount = tx.find(_path("AmtDtls", "TxAmt", "Amt"))
        if amount is None and len(details) == 1:
            amount = entry.find(_path("Amt"))
        reference = _text(tx, "Refs", "EndToEndId")
        side = _text(tx, "CdtDbtInd") or _text(entry, "CdtDbtInd")
        came_back = (
            tx.find(_path("RtrInf")) is not None or _text(entry, "RvslInd") == "true"
        )
        if side == "CRDT" and not came_back:
            continue  # Money from somebody else.
        said = Said.RETURNED if came_back else Said.PAID
        reason = _reason(tx, "RtrInf") if came_back else ""
        if came_back and side != "CRDT":
            said, reason = Said.UNCLEAR, "A return that was charged: look at it."
        elif not is_booked:
            said, reason = Said.WAITING, "Announced, not booked yet."
        yield Entry(
            said=said,
            reference="" if reference == NOT_PROVIDED else reference,
            **_money(amount),
            reason=reason or ("Reversed by the bank." if came_back else ""),
            remote_ref=_text(tx, "Refs", "AcctSvcrRef") or _text(entry, "AcctSvcrRef"),
        )


def _status(tx: Element) -> Entry:
    """The entry of a status report; an accepted transfer has not arrived yet."""
    status = _text(tx, "TxSts")
    amount = tx.find(_path("OrgnlTxRef", "Amt", "InstdAmt"))
    said, reason = Said.UNCLEAR, f"The status {status or 'is missing'}."
    if status == REJECTED:
        said, reason = Said.FAILED, _reason(tx, "StsRsnInf")
    elif status in WAITING:
        said, reason = Said.WAITING, f"The bank has taken it ({status})."
    return Entry(
        said=said,
        reference=_text(tx, "OrgnlEndToEndId"),
        **_money(amount),
        reason=reason,
        remote_ref=_text(tx, "AcctSvcrRef"),
    )


def _money(amount: Element | None) -> dict[str, str]:
    if amount is None:
        return {}
    currency = amount.attrib.get("Ccy", "")
    return {"amount": (amount.text or "").strip(), "currency": currency}


def _reason(element: Element, path: str) -> str:
    """The bank's code and text: "AC04 Account closed"."""
    code = _text(element, path, "Rsn", "Cd") or _text(element, path, "Rsn", "Prtry")
    return f"{code} {_text(element, path, 'AddtlInf')}".strip()


def _text(element: Element, *path: str) -> str:
    return (element.findtext(_path(*path)) or "").strip()


def _path(*names: str) -> str:
    """The path in the namespace of any version."""
    return "/".join(f"{{*}}{name}" for name in names)


def _name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]
