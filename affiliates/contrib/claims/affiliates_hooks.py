"""Registers the work of staff."""

from __future__ import annotations

from affiliates.brands.roles import OPERATOR, SUPPORT, Work, register
from affiliates.privacy.registry import declare
from affiliates.privacy.types import Key, Person
from affiliates.privacy.uses import ACT, HELP

register(
    "affiliates_claims",
    {role: Work(does=("decide_missingsaleclaim",)) for role in (OPERATOR, SUPPORT)},
)

declare(
    "affiliates_claims.MissingSaleClaim",
    {HELP: "order_hint client_hint note answer", ACT: "decided_by"},
    of={Person.AFFILIATE: {"affiliate": Key.AFFILIATE}},
    deletes={Person.AFFILIATE},
    other="key",
)
