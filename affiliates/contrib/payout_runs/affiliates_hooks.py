"""Registers the jobs, the verification and the encrypted files of payout runs."""

from __future__ import annotations

from affiliates.brands.roles import register
from affiliates.contrib.payout_runs import verification
from affiliates.contrib.payout_runs.services import schedule
from affiliates.encrypted.columns import register_column
from affiliates.payouts.details import ACCOUNTS
from affiliates.privacy.registry import declare
from affiliates.privacy.types import Key, Person
from affiliates.privacy.uses import ACT, DESTINATION, EARNINGS, PAYMENT

__all__ = ["schedule", "verification"]

for _column in ("content", "entries"):
    register_column("affiliates_payout_runs.PayoutAnswer", _column, purpose=ACCOUNTS)

register("affiliates_payout_runs", {})

declare("affiliates_payout_runs.PayoutRun", {ACT: "prepared_by approved_by reason"})
declare(
    "affiliates_payout_runs.PayoutRunLine",
    {EARNINGS: "detail"},
    of={Person.AFFILIATE: {"affiliate": Key.AFFILIATE}},
    other="currency",
)
declare("affiliates_payout_runs.PayoutRunFile")
declare(
    "affiliates_payout_runs.PayoutAnswer",
    {DESTINATION: "name content entries", ACT: "uploaded_by applied_by"},
    shared={Person.AFFILIATE: {"lines__payout__affiliate": Key.AFFILIATE}},
    other="digest",
)
declare(
    "affiliates_payout_runs.PayoutAnswerLine",
    {PAYMENT: "reference remote_ref reason"},
    of={Person.AFFILIATE: {"payout__affiliate": Key.AFFILIATE}},
    other="amount currency",
)
