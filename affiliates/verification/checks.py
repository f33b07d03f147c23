"""The checks of verify_ledger, in order."""

from __future__ import annotations

from affiliates.verification import (
    commissions,
    decisions,
    payouts,
    postings,
    program,
    receipts,
    sales,
    seals,
    shares,
)
from affiliates.verification.faults import Check

# Apps add their own in ``affiliates_hooks.py``.
CHECKS: list[Check] = [
    *program.CHECKS,
    *sales.CHECKS,
    *commissions.CHECKS,
    *receipts.CHECKS,
    *shares.CHECKS,
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
    return [*CHECKS, *DEEP_CHECKS, *seals.seal_checks()] if is_deep else CHECKS
