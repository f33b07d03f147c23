"""Payouts to accounts at Wise, and what Wise answers about them."""

from __future__ import annotations

from typing import Any

from affiliates.contrib.wise.items import transfer_number
from affiliates.outbox.protocol import ProviderSettings
from affiliates.payouts.providers.protocol import Transfer
from affiliates.payouts.providers.sender import Batch

API = "https://api.wise.example"
GROUP = "54a6bc09-cef9-49a8-9041-f1f0c654cd88"
REFERENCE = "BATCH-3-20260301120000"
TOKEN = "t0ken"  # noqa: S105 - of a test
IBAN = "DE02120300000000202051"
PERSON = {"account_holder": "Ann Johnson", "holder_type": "PRIVATE"}
EUR = {**PERSON, "payout_currency": "EUR", "iban": IBAN}
GBP = {
    **PERSON,
    "payout_currency": "GBP",
    "sort_code": "231470",
    "account_number": "28821822",
}
USD = {
    **PERSON,
    "payout_currency": "USD",
    "routing_number": "111000025",
    "account_number": "12345678",
    "account_type": "CHECKING",
    "street": "50 Branson Ave",
    "city": "New York",
    "post_code": "10025",
    "state": "NY",
    "country": "US",
}
SETTINGS = ProviderSettings(
    address=f"{API}/", parameters=(), values={"profile": "7"}, secrets={"token": TOKEN}
)


def payout(number: int = 17, **values: Any) -> Transfer:
    common = {
        "amount": 1_250,
        "currency": "EUR",
        "text": f"Affiliate payout {number} of Hosting",
        "details": EUR,
    }
    return Transfer(reference=f"PAYOUT-{number}", **common | values)


def batch(*transfers: Transfer, remote_id: str = "") -> Batch:
    return Batch(
        reference=REFERENCE,
        currency="EUR",
        transfers=transfers or (payout(),),
        remote_id=remote_id,
    )


def group(status: str = "NEW", *numbers: int, version: int = 1) -> dict[str, Any]:
    return {
        "id": GROUP,
        "version": version,
        "status": status,
        "transferIds": list(numbers),
    }


def transfer(sent: Transfer, status: str, **values: Any) -> dict[str, Any]:
    """Wise's transfer of the payout, whose number is that of the payout."""
    return {
        "id": int(sent.reference.removeprefix("PAYOUT-")),
        "status": status,
        "sourceCurrency": sent.currency,
        "sourceValue": 12.5,
        "targetCurrency": sent.details["payout_currency"],
        "targetValue": 12.5,
        "customerTransactionId": transfer_number(REFERENCE, sent).upper(),
        **values,
    }
