"""A batch group at Wise: filled, closed, perhaps funded, and read."""

from __future__ import annotations

from collections.abc import Generator
from datetime import timedelta
from itertools import count

from affiliates.contrib.wise import items
from affiliates.contrib.wise.calls import (
    Ask,
    Parsed,
    Session,
    WiseRefused,
    objects,
    unreadable,
)
from affiliates.outbox.http.types import Call, Response
from affiliates.outbox.protocol import ProviderSettings
from affiliates.outbox.types import OutcomeKind
from affiliates.payouts.providers.protocol import Transfer
from affiliates.payouts.providers.references import batch_day
from affiliates.payouts.providers.sender import Batch, ItemAnswer

FUNDS = "funds"
FUND_PAGE = "https://wise.com/batch"
NEW, COMPLETED, CANCELLED = "NEW", "COMPLETED", "CANCELLED"
CLOSED = frozenset({COMPLETED, CANCELLED})
FORBIDDEN, NOT_FOUND = 403, 404
# A transfer has about 700 bytes, and an answer is cut at 64 KiB.
PAGE_SIZE = 40
# Transfers of a batch are made on its day, or soon after it.
LISTED_BEFORE, LISTED_AFTER = timedelta(days=1), timedelta(days=7)
UNKNOWN = "Wise does not know the batch: look at your Wise account."
ABSENT = "Wise has taken no transfer for it."
AUTHENTICATION = "Wise wants you to confirm it yourself."

Nothing = Generator[Call, Response, None]


class BatchGroup:
    """A batch group at Wise. ``_known`` are its transfers, by our references."""

    def __init__(self, batch: Batch, settings: ProviderSettings) -> None:
        self._batch = batch
        self._session = Session(settings)
        self._funds = settings.is_on(FUNDS)
        profile = f"/v3/profiles/{self._session.profile}"
        self._path = f"{profile}/batch-groups/{batch.remote_id}"
        self._payments = f"{profile}/batch-payments/{batch.remote_id}/payments"
        self._quotes = f"{profile}/quotes"
        self._ours = {
            items.transfer_number(batch.reference, transfer): transfer
            for transfer in batch.transfers
        }
        self._known: dict[str, Parsed] = {}
        self._refused: dict[str, str] = {}
        self._status = ""

    def advance(self) -> Generator[Call, Response, str]:
        """Fills, closes and funds it as far as it is not. Returns what it waits for."""
        content = yield from self._read()
        yield from self._read_pages()
        yield from self._read_transfers(content)
        if self._status == NEW:
            yield from self._fill()
            content = yield from self._close()
            yield from self._read_transfers(content)
        words = {str(transfer.get("status")) for transfer in self._known.values()}
        if items.WAITING not in words:
            return ""
        why = ""
        # It is funded as a whole: what has moved on shows that it was funded before.
        if self._funds and self._status == COMPLETED and words == {items.WAITING}:
            why = yield from self._fund()
            if not why:
                return ""
        page = f"{items.FUND_IT}, as {self._batch.reference}: {FUND_PAGE}"
        return f"{why} {page}".strip()

    def answers(self) -> list[ItemAnswer]:
        answers = []
        for transfer in self._batch.transfers:
            reference = transfer.reference
            if reference in self._known:
                answers.append(items.read_item(self._known[reference], transfer))
            elif self._status in CLOSED:
                why = self._refused.get(reference, ABSENT)
                answers.append(items.refused_item(transfer, why))
        return answers

    def _read(self) -> Ask:
        try:
            content = yield from self._session.ask("GET", self._path)
        except WiseRefused as refusal:
            if refusal.status == NOT_FOUND:
                raise WiseRefused(OutcomeKind.NOT_FOUND, UNKNOWN) from None
            raise
        self._status = str(content.get("status"))
        return content

    def _read_pages(self) -> Nothing:
        """Reads transfers by pages: also those that are in another group.

        A restored database may not know the group that it has filled.
        """
        day = batch_day(self._batch.reference)
        query = (
            f"profile={self._session.profile}"
            f"&createdDateStart={day - LISTED_BEFORE}&createdDateEnd={day + LISTED_AFTER}"
        )
        for offset in count(0, PAGE_SIZE):
            path = f"/v1/transfers?{query}&limit={PAGE_SIZE}&offset={offset}"
            answer = yield from self._session.ask("GET", path)
            if "rows" not in answer:
                raise unreadable()
            page = objects(answer["rows"])
            for content in page:
                self._keep(content)
            if len(page) < PAGE_SIZE:
                break

    def _read_transfers(self, group: Parsed) -> Nothing:
        """Reads those transfers of the group that no page has shown."""
        known = {transfer.get("id") for transfer in self._known.values()}
        for number in _transfers_in(group):
            if number not in known:
                path = f"/v1/transfers/{number}"
                self._keep((yield from self._session.ask("GET", path)))

    def _keep(self, content: Parsed) -> None:
        number = str(content.get("customerTransactionId")).lower()
        if number in self._ours:
            self._known[self._ours[number].reference] = content

    def _fill(self) -> Nothing:
        """Adds what is missing. A refused payout does not stop the others."""
        for number, transfer in self._ours.items():
            if transfer.reference in self._known:
                continue
            try:
                self._keep((yield from self._add(transfer, number)))
            except WiseRefused as refusal:
                if refusal.kind is not OutcomeKind.REJECTED:
                    raise
                self._refused[transfer.reference] = refusal.detail

    def _add(self, transfer: Transfer, number: str) -> Ask:
        recipient = items.recipient_of(transfer, self._session.profile)
        account = yield from self._session.ask("POST", "/v1/accounts", recipient)
        quote = yield from self._quote(transfer, account.get("id"))
        content = {
            "targetAccount": account.get("id"),
            "quoteUuid": quote.get("id"),
            "customerTransactionId": number,
            "details": {"reference": items.text_of(transfer)},
        }
        return (
            yield from self._session.ask("POST", f"{self._path}/transfers", content)
        )

    def _quote(self, transfer: Transfer, account: object) -> Ask:
        """A quote whose fee is the brand's: by what the recipient shall get."""
        source, target = transfer.currency, items.payout_currency(transfer)
        common = {
            "sourceCurrency": source,
            "targetCurrency": target,
            "targetAccount": account,
        }
        wanted: int | None = transfer.amount
        if target != source:
            worth = items.number_for(transfer.amount, source)
            content = {**common, "sourceAmount": worth}
            told = yield from self._session.ask("POST", self._quotes, content)
            wanted = items.converted(transfer, told.get("rate"))
        if wanted is None:
            raise unreadable()
        content = {**common, "targetAmount": items.number_for(wanted, target)}
        quote = yield from self._session.ask("POST", self._quotes, content)
        if items.amount_in(quote, "targetAmount", target) != wanted:
            raise unreadable()
        return quote

    def _close(self) -> Ask:
        """Takes no more transfers from now on; an empty group is cancelled.

        Its version shows whether another process has added one since it was read.
        """
        group = yield from self._read()
        if self._status != NEW:
            return group
        status = COMPLETED if _transfers_in(group) else CANCELLED
        content = {"status": status, "version": group.get("version")}
        group = yield from self._session.ask("PATCH", self._path, content)
        self._status = str(group.get("status"))
        return group

    def _fund(self) -> Generator[Call, Response, str]:
        """Pays the group from the balance; returns why that is not possible."""
        content = {"type": "BALANCE"}
        try:
            payment = yield from self._session.ask("POST", self._payments, content)
        except WiseRefused as refusal:
            # An answer that cannot be read: the payment was taken.
            if not refusal.status:
                return ""
            return AUTHENTICATION if refusal.status == FORBIDDEN else refusal.detail
        if payment.get("status") != "REJECTED":
            return ""
        return f"Wise: {payment.get('errorCode')}."


def _transfers_in(group: Parsed) -> list[int]:
    """The numbers of its transfers. Raises WiseRefused if they cannot be read."""
    numbers = group.get("transferIds")
    if not isinstance(numbers, list) or not all(
        type(number) is int for number in numbers
    ):
        raise unreadable()
    return numbers
