"""Registers the jobs, the verification and the encrypted files of payout runs."""

from __future__ import annotations

from affiliates.contrib.payout_runs import verification
from affiliates.contrib.payout_runs.models import PayoutAnswer
from affiliates.contrib.payout_runs.services import schedule
from affiliates.health.keys import FILES, STORED
from affiliates.payouts import details
from affiliates.roles import register

__all__ = ["schedule", "verification"]

STORED.append((PayoutAnswer.objects, "content", details.decrypt, FILES))

register("affiliates_payout_runs", {})
