"""The only writer of payouts and of where they go."""

from __future__ import annotations

from affiliates.ledger.payouts.services.batches import export_batch
from affiliates.ledger.payouts.services.confirmations import (
    confirm_batch,
    confirm_payout,
    confirm_payouts,
)
from affiliates.ledger.payouts.services.decisions import (
    approve_payouts,
    reject_payout,
    reject_payouts,
    reject_uncredited_payout,
    reject_uncredited_payouts,
)
from affiliates.ledger.payouts.services.destinations import change_destination
from affiliates.ledger.payouts.services.requests import request_payout
from affiliates.ledger.payouts.services.steps import BulkOutcome

__all__ = [
    "BulkOutcome",
    "approve_payouts",
    "change_destination",
    "confirm_batch",
    "confirm_payout",
    "confirm_payouts",
    "export_batch",
    "reject_payout",
    "reject_payouts",
    "reject_uncredited_payout",
    "reject_uncredited_payouts",
    "request_payout",
]
