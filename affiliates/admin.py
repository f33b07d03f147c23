"""The module where Django finds the admin pages of the domains."""

from __future__ import annotations

from affiliates.admin_tools.theme import register_on_host_site
from affiliates.commissions import adjustment_admin as adjustments
from affiliates.commissions import admin as commissions
from affiliates.contrib.area.keys import admin as api_keys
from affiliates.contrib.area.looks import admin as looks
from affiliates.contrib.claims import admin as claims
from affiliates.contrib.desk import admin as desk
from affiliates.contrib.desk import changes
from affiliates.contrib.desk.exports import admin as exports
from affiliates.contrib.imports import admin as imports
from affiliates.contrib.payout_runs import admin as payout_runs
from affiliates.contrib.recruitment import admin as recruitment
from affiliates.emails import admin as emails
from affiliates.fraud_review import admin as fraud_review
from affiliates.ledger import admin as ledger
from affiliates.order_story import admin as order_history
from affiliates.outbox import admin as delivery
from affiliates.payouts import admin as payouts
from affiliates.payouts import statement_admin as payout_statements
from affiliates.payouts import terms_admin as payout_terms
from affiliates.plans import admin as plans
from affiliates.program import creative_admin as creatives
from affiliates.referrals import admin as referrals
from affiliates.sales import admin as sales
from affiliates.tracking import admin as integrations
from affiliates.visits import admin as visits
from affiliates.webhooks import admin as webhooks

__all__ = [
    "changes",
    "adjustments",
    "api_keys",
    "claims",
    "commissions",
    "creatives",
    "delivery",
    "desk",
    "emails",
    "exports",
    "fraud_review",
    "imports",
    "integrations",
    "ledger",
    "looks",
    "order_history",
    "payout_runs",
    "payout_statements",
    "payout_terms",
    "payouts",
    "plans",
    "recruitment",
    "referrals",
    "sales",
    "visits",
    "webhooks",
]

register_on_host_site()
