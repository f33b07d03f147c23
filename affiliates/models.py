"""Django's meeting point: the models of the domains."""

from __future__ import annotations

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import ConfigChange
from affiliates.brands.models.domain import BrandDomain
from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.claims.models import MissingSaleClaim
from affiliates.commissions.models import (
    Commission,
    CommissionEvent,
    CommissionLine,
    CommissionReversal,
)
from affiliates.emails.models import Email
from affiliates.fraud.models import FraudPolicy, FraudReview
from affiliates.integrations.models import (
    Delivery,
    DeliveryAttempt,
    IntegrationHealth,
    TrackingIntegration,
    VisitorAlias,
    Webhook,
)
from affiliates.ledger.models import AccountBalance, LedgerEntry, LedgerPosting
from affiliates.payouts.models import (
    Payout,
    PayoutBatch,
    PayoutDestination,
    PayoutEvent,
    PayoutTerms,
)
from affiliates.plans.models.coupon import CouponCode, CouponCodeVersion
from affiliates.plans.models.group import AffiliateGroup
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion
from affiliates.plans.models.rule import PlanRule
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.referrals.models import (
    ClientReferral,
    DecisionOverride,
    OrderReferral,
)
from affiliates.sales.models import InvoicePayment, InvoiceRefund, Sale, SaleReversal
from affiliates.visits.models import Click
from affiliates.worker.models import WorkerJob

__all__ = [
    "AccountBalance",
    "Affiliate",
    "AffiliateGroup",
    "AffiliateLink",
    "AttributionPolicyVersion",
    "Brand",
    "BrandDomain",
    "Click",
    "ClientReferral",
    "Commission",
    "CommissionEvent",
    "CommissionLine",
    "CommissionPlan",
    "CommissionPlanVersion",
    "CommissionReversal",
    "ConfigChange",
    "CouponCode",
    "CouponCodeVersion",
    "DecisionOverride",
    "Delivery",
    "DeliveryAttempt",
    "Email",
    "FraudPolicy",
    "FraudReview",
    "IntegrationHealth",
    "InvoicePayment",
    "InvoiceRefund",
    "LedgerEntry",
    "LedgerPosting",
    "MissingSaleClaim",
    "OrderReferral",
    "Payout",
    "PayoutBatch",
    "PayoutDestination",
    "PayoutEvent",
    "PayoutTerms",
    "PlanRule",
    "Sale",
    "SaleReversal",
    "TrackingIntegration",
    "VisitorAlias",
    "Webhook",
    "WorkerJob",
]
