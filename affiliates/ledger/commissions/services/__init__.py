"""The only writer of commissions, one public function for each operation.

Whoever locks several rows does it in one order: the invoice and its order, then
affiliates, then commissions, then balances, the rows of each by primary key. An
affiliate's row is locked wherever its payable balance changes, so that a payout takes
exactly what is approved.
"""

from __future__ import annotations

from affiliates.ledger.commissions.services.locks import lock_affiliates
from affiliates.ledger.commissions.services.maturing import Matured, mature_due
from affiliates.ledger.commissions.services.payouts import (
    claim_for_payout,
    mark_paid,
    return_from_payout,
)
from affiliates.ledger.commissions.services.recording import record_commission
from affiliates.ledger.commissions.services.reversing import reverse_commissions
from affiliates.ledger.commissions.services.staff import (
    approve,
    hold,
    reject,
    release,
    take_away,
)

__all__ = [
    "Matured",
    "approve",
    "claim_for_payout",
    "hold",
    "lock_affiliates",
    "mark_paid",
    "mature_due",
    "record_commission",
    "reject",
    "release",
    "return_from_payout",
    "reverse_commissions",
    "take_away",
]
