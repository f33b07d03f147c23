"""Django's meeting point: the models of the domains."""

from __future__ import annotations

from affiliates.brands.models import (
    AttributionPolicyVersion,
    Brand,
    BrandDomain,
    ConfigChange,
)
from affiliates.integrations.models import (
    Delivery,
    DeliveryAttempt,
    IntegrationHealth,
    TrackingIntegration,
    VisitorAlias,
    Webhook,
)
from affiliates.ledger.books.models import AccountBalance, LedgerEntry, LedgerPosting
from affiliates.ledger.claim_desk.models import MissingSaleClaim
from affiliates.ledger.commissions.models import (
    Commission,
    CommissionEvent,
    CommissionLine,
    CommissionReversal,
)
from affiliates.ledger.fraud.models import FraudPolicy, FraudReview
from affiliates.ledger.models import (
    InvoicePayment,
    InvoiceRefund,
    Sale,
    SaleReversal,
)
from affiliates.ledger.payouts.models import (
    Payout,
    PayoutBatch,
    PayoutDestination,
    PayoutEvent,
    PayoutTerms,
)
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.plans.models import (
    AffiliateGroup,
    CommissionPlan,
    CommissionPlanVersion,
    CouponCode,
    CouponCodeVersion,
    PlanRule,
)
from affiliates.referrals.models import (
    ClientReferral,
    DecisionOverride,
    OrderReferral,
)
from affiliates.visits.models import Click

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
]
