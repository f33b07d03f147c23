"""Status reports of banks (pain.002): a status of each transfer, or of a level above."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from affiliates.contrib.payout_runs.elements import (
    money_of,
    number_of,
    path_of,
    reasons_of,
    text_of,
    word_of,
)
from affiliates.contrib.payout_runs.types import Entry, Said
from affiliates.payouts.providers.references import batch_number

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

REJECTED = "RJCT"
# Verification of payee: the names were compared; a mismatch is released at the bank.
VERIFIED = ("RCVC", "RVCM", "RVMC", "RVNM", "RVNA")
_SAID = {
    Said.PAID: ("ACCC",),
    Said.FAILED: (REJECTED, "CANC"),
    Said.WAITING: (
        *("RCVD", "ACTC", "ACCP", "ACFC", "PATC", "ACWC", "ACSP", "ACWP", "ACSC"),
        *("PDNG", "PART", *VERIFIED),
    ),
}
SAID: Mapping[str, Said] = {
    status: said for said, statuses in _SAID.items() for status in statuses
}
_GROUP, _PAYMENT, _TRANSFER = "OrgnlGrpInfAndSts", "OrgnlPmtInfAndSts", "TxInfAndSts"
_REPORT = "CstmrPmtStsRpt"
_STATUS = {_GROUP: "GrpSts", _PAYMENT: "PmtInfSts", _TRANSFER: "TxSts"}
_REFERENCE = {_GROUP: "OrgnlMsgId", _PAYMENT: "OrgnlPmtInfId"}


class StatusReport:
    """A report as it is read: where a level has no status, the level above counts."""

    def __init__(self) -> None:
        self._above: dict[str, Element] = {}
        self._has_payments = self._has_transfers = False

    def begin(self, name: str, element: Element) -> None:
        if name == _GROUP:
            self._above, self._has_payments = {_GROUP: element}, False
        elif name == _PAYMENT:
            # The nearest first.
            self._above = {_PAYMENT: element} | self._above
            self._has_payments = True
        if name in _REFERENCE:
            self._has_transfers = False

    def end(self, name: str, element: Element) -> Iterator[Entry]:
        """The entries of an element that was read, which is dropped."""
        if name == _TRANSFER:
            self._has_transfers = True
            said, reason = _judge({_TRANSFER: element} | self._above)
            ordered = element.find(path_of("OrgnlTxRef", "Amt", "InstdAmt"))
            amount, currency = money_of(ordered)
            yield Entry(
                said=said,
                reference=text_of(element, "OrgnlEndToEndId"),
                amount=amount,
                currency=currency,
                reason=reason,
                remote_ref=text_of(element, "AcctSvcrRef"),
            )
            element.clear()
        elif name == _PAYMENT:
            yield from self._batch(_PAYMENT)
            del self._above[_PAYMENT]
            element.clear()
        elif name == _REPORT and not self._has_payments:
            yield from self._batch(_GROUP)

    def _batch(self, level: str) -> Iterator[Entry]:
        """The status of a batch: the only one, or also of transfers that are not listed."""
        if not any(_status(*place) for place in self._above.items()):
            return
        said, reason = _judge(self._above)
        element = self._above[level]
        reference = text_of(element, _REFERENCE[level])
        is_of_the_rest = said is Said.FAILED and batch_number(reference) is not None
        if not self._has_transfers or is_of_the_rest:
            yield Entry(
                said=said,
                reference=reference,
                amount=text_of(element, "OrgnlCtrlSum"),
                reason=reason,
                is_batch=True,
                count=number_of(text_of(element, "OrgnlNbOfTxs")),
            )


def _judge(levels: Mapping[str, Element]) -> tuple[Said, str]:
    """The status of the nearest level that has one, and the bank's sentences."""
    status, sentences = "", ""
    for level, element in levels.items():
        if not (status and sentences):
            status = status or _status(level, element)
            sentences = sentences or reasons_of(element, "StsRsnInf")
    said = SAID.get(status, Said.UNCLEAR)
    match said:
        case Said.PAID:
            return said, ""
        case Said.FAILED:
            return said, sentences
        case Said.WAITING if status in VERIFIED:
            meaning = f"The payee's name was compared ({status})."
        case Said.WAITING:
            meaning = f"The bank has taken it ({status})."
        case _:
            meaning = f"The status {status or 'is missing'}."
    return said, f"{meaning} {sentences}".strip()


def _status(level: str, element: Element) -> str:
    return word_of(element, _STATUS[level])
