"""Whether the triggers that make rows append-only are in place.

SQLite drops a table's triggers whenever a migration rebuilds the table, and anybody who
owns the database can switch them off.
"""

from __future__ import annotations

from collections.abc import Iterator

from django.db import connection
from django.db.models import Model

from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.commissions.models import (
    CommissionEvent,
    CommissionLine,
    CommissionReversal,
)
from affiliates.ledger.models import LedgerEntry, LedgerPosting
from affiliates.payouts.models import PayoutEvent
from affiliates.plans.models.plan import CommissionPlanVersion
from affiliates.referrals.models import DecisionOverride
from affiliates.sales.models import SaleReversal

GUARDED: tuple[type[Model], ...] = (
    AttributionPolicyVersion,
    CommissionEvent,
    CommissionLine,
    CommissionPlanVersion,
    CommissionReversal,
    DecisionOverride,
    LedgerEntry,
    LedgerPosting,
    PayoutEvent,
    SaleReversal,
)
# It goes with its brand, as long as nothing names it.
DELETABLE: frozenset[type[Model]] = frozenset({AttributionPolicyVersion})

_TRIGGERS = {
    "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
    " AND tgenabled IN ('O', 'A')",
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
}


def missing_guards() -> list[str]:
    """The names of the triggers that are not there, or switched off."""
    with connection.cursor() as cursor:
        cursor.execute(_TRIGGERS[connection.vendor])
        found = {name for (name,) in cursor.fetchall()}
    return [name for name in _guards() if name not in found]


def _guards() -> Iterator[str]:
    for model in GUARDED:
        table = model._meta.db_table
        yield f"{table}_refuses_update"
        if model not in DELETABLE:
            yield f"{table}_refuses_delete"
    if connection.vendor == "postgresql":
        for model in (LedgerEntry, LedgerPosting):
            yield f"{model._meta.db_table}_sums_to_zero"
