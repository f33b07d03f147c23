"""Django's meeting point: the admin pages of the domains."""

from __future__ import annotations

from affiliates.claims import admin as claim_desk
from affiliates.commissions import admin as commissions
from affiliates.desk import admin as desk
from affiliates.fraud_review import admin as reviewing
from affiliates.integrations import admin as integrations
from affiliates.integrations.delivery import admin as deliveries
from affiliates.integrations.webhooks import admin as webhooks
from affiliates.ledger import admin as books
from affiliates.order_history import admin as orders
from affiliates.payouts import admin as payouts
from affiliates.plans import admin as plans
from affiliates.program import admin as program
from affiliates.referrals import admin as referrals
from affiliates.sales import admin as ledger
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
