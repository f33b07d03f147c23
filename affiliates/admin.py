"""Django's meeting point: the admin pages of the domains."""

from __future__ import annotations

from affiliates.desk import admin as desk
from affiliates.integrations import admin as integrations
from affiliates.integrations import delivery_admin as deliveries
from affiliates.integrations import webhook_admin as webhooks
from affiliates.ledger import admin as ledger
from affiliates.ledger import order_admin as orders
from affiliates.ledger import reviewing_admin as reviewing
from affiliates.ledger.books import admin as books
from affiliates.ledger.claim_desk import admin as claim_desk
from affiliates.ledger.commissions import admin as commissions
from affiliates.ledger.payouts import admin as payouts
from affiliates.program import admin as program
from affiliates.program.plans import admin as plans
from affiliates.referrals import admin as referrals
from affiliates.visits import admin as visits

__all__ = [
    "books",
    "claim_desk",
    "commissions",
    "deliveries",
    "desk",
    "integrations",
    "ledger",
    "orders",
    "payouts",
    "plans",
    "program",
    "referrals",
    "reviewing",
    "visits",
    "webhooks",
]
