"""The module where Django finds the admin pages of the domains."""

from __future__ import annotations

from typing import Any, ClassVar

from affiliates.admin_tools.theme import register_page
from affiliates.brands import staff_admin as staff
from affiliates.brands.admin import BrandAdmin, BrandForm, PolicyVersionInline
from affiliates.brands.models.brand import Brand
from affiliates.commissions import adjustment_admin as adjustments
from affiliates.commissions import admin as commissions
from affiliates.emails import admin as emails
from affiliates.fraud.admin import FraudPolicyInline
from affiliates.fraud_review import admin as fraud_review
from affiliates.ledger import admin as ledger
from affiliates.membership import admin as membership
from affiliates.order_story import admin as order_story
from affiliates.outbox import admin as outbox
from affiliates.outbox.active import parameters_of_brand
from affiliates.payouts import admin as payouts
from affiliates.payouts import batch_admin as payout_batches
from affiliates.payouts import statement_admin as payout_statements
from affiliates.payouts import terms_admin as payout_terms
from affiliates.payouts.sending import admin as payout_accounts
from affiliates.plans import admin as plans
from affiliates.privacy import admin as privacy
from affiliates.privacy.erasure import admin as erasure
from affiliates.program import creative_admin as creatives
from affiliates.referrals import admin as referrals
from affiliates.sales import admin as sales
from affiliates.tracking import admin as tracking
from affiliates.visits import admin as visits
from affiliates.webhooks import admin as webhooks

__all__ = [
    "adjustments",
    "commissions",
    "creatives",
    "emails",
    "erasure",
    "fraud_review",
    "ledger",
    "membership",
    "order_story",
    "outbox",
    "payout_accounts",
    "payout_batches",
    "payout_statements",
    "payout_terms",
    "payouts",
    "plans",
    "privacy",
    "referrals",
    "sales",
    "staff",
    "tracking",
    "visits",
    "webhooks",
]


class BrandPageForm(BrandForm):
    parameters_elsewhere = (parameters_of_brand,)


@register_page(Brand)
class BrandPage(BrandAdmin):
    """With the sections of other packages."""

    form = BrandPageForm
    inlines_of_saved: ClassVar[tuple[Any, ...]] = (
        PolicyVersionInline,
        tracking.IntegrationInline,
        webhooks.WebhookInline,
        referrals.StoodDownInline,
        FraudPolicyInline,
    )
