"""Registers the work of staff."""

from __future__ import annotations

from affiliates.roles import OPERATOR, SUPPORT, Work, register

register(
    "affiliates_claims",
    {role: Work(does=("decide_missingsaleclaim",)) for role in (OPERATOR, SUPPORT)},
)
