"""Registers the jobs, the verification and the encrypted files of payout runs."""

from __future__ import annotations

from affiliates.contrib.payout_runs import verification
from affiliates.contrib.payout_runs.services import schedule
from affiliates.encrypted.columns import register_column
from affiliates.payouts.details import ACCOUNTS
from affiliates.roles import register

__all__ = ["schedule", "verification"]

for _column in ("content", "entries"):
    register_column("affiliates_payout_runs.PayoutAnswer", _column, purpose=ACCOUNTS)

register("affiliates_payout_runs", {})
