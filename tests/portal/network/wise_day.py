"""A brand that pays by the simulated Wise, and funds its batches there."""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar

from affiliates.contrib.wise.sender import WiseTransfers
from portal.demo.network.wise_books import CANCELLED, SENT, SentTransfer
from tests.portal.network.payout_day import PayoutDay


class WiseDay(PayoutDay):
    sender = WiseTransfers()
    config: ClassVar = {"profile": "7", "funds": False}
    secrets: ClassVar = {"token": "demo"}
    faults = (
        "wise_read",
        "wise_group",
        "wise_recipient",
        "wise_quote",
        "wise_transfer",
        "wise_close",
        "wise_fund",
    )
    fates = ("Refused", "Returned")
    death = 0.03

    def details(self, name: str) -> dict[str, str]:
        return {
            "account_holder": f"{name} Johnson",
            "holder_type": "PRIVATE",
            "payout_currency": "EUR",
            "iban": "DE02120300000000202051",
        }

    def transfers(self) -> list[SentTransfer]:
        return list(self.network.state.wise.transfers.values())

    def sent(self) -> list[str]:
        now = self.at.timestamp()
        return [
            f"PAYOUT-{one.content['details']['reference'].split()[2]}"
            for one in self.transfers()
            if one.status(now=now, settles_after=0) != CANCELLED
        ]

    def paid_there(self) -> Decimal:
        now = self.at.timestamp()
        paid = [
            Decimal(str(one.quote["sourceAmount"]))
            for one in self.transfers()
            if one.status(now=now, settles_after=0) == SENT
        ]
        return sum(paid, Decimal(0))

    def fund(self) -> None:
        books = self.network.state.wise
        books.fund(list(books.groups.values()), now=self.at.timestamp())


class BalanceDay(WiseDay):
    """Batches are funded from the balance, by the API."""

    config: ClassVar = {"profile": "7", "funds": True}

    def fund(self) -> None:
        """Nothing is left to do."""
