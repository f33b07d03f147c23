"""Django's meeting point: the admin pages of the domains."""

from __future__ import annotations

from affiliates.brands import admin as brands
from affiliates.ledger import admin as ledger
from affiliates.program import admin as program
from affiliates.referrals import admin as referrals
from affiliates.visits import admin as visits

__all__ = ["brands", "ledger", "program", "referrals", "visits"]
