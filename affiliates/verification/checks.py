"""The checks of verify_ledger, in order."""

from __future__ import annotations

from affiliates.verification import (
    commissions,
    departures,
    payouts,
    postings,
    program,
    receipts,
    sales,
    seals,
    shares,
)
from affiliates.verification.deep import decisions, erased, orphans
from affiliates.verification.faults import Check

# Apps add their own in ``affiliates_hooks.py``.
CHECKS: list[Check] = [
    *program.CHECKS,
    *sales.CHECKS,
    *commissions.CHECKS,
    *receipts.CHECKS,
    *shares.CHECKS,
    *departures.CHECKS,
    *payouts.CHECKS,
    *postings.CHECKS,
]
# The additional checks of a thorough verification.
DEEP_CHECKS: list[Check] = [
    *decisions.DEEP_CHECKS,
    *receipts.DEEP_CHECKS,
    *shares.DEEP_CHECKS,
    *commissions.DEEP_CHECKS,
    *postings.DEEP_CHECKS,
]


def all_checks(*, is_deep: bool) -> list[Check]:
    if not is_deep:
        return CHECKS
    return [
        *CHECKS,
        *DEEP_CHECKS,
        *orphans.orphan_checks(),
        *erased.erased_checks(),
        *seals.seal_checks(),
    ]
