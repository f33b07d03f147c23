"""The module where Django finds the models of the domains."""

from __future__ import annotations

from affiliates.admin_tools.lists.models import SavedView
from affiliates.api.idempotency.models import StoredAnswer
from affiliates.api.throttling.models import CallCount
from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import ConfigChange
from affiliates.brands.models.domain import BrandDomain
from affiliates.brands.models.refused_origin import RefusedOrigin
from affiliates.brands.models.staff import StaffBrand
from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.commissions.forfeit_models import ForfeitDeduction, ForfeitedAmount
from affiliates.commissions.models import (
    Adjustment,
    Commission,
    CommissionEvent,
    CommissionLine,
    CommissionReversal,
)
from affiliates.emails.models import Email
from affiliates.fraud.models import FraudPolicy, FraudReview
from affiliates.ledger.models import AccountBalance, LedgerEntry, LedgerPosting
from affiliates.operations.recovery.models import Recovery
from affiliates.outbox.models.delivery import Delivery, DeliveryAttempt, VisitorAlias
from affiliates.outbox.models.integration import IntegrationHealth, TrackingIntegration
from affiliates.payouts.models import (
    Payout,
    PayoutBatch,
    PayoutDestination,
    PayoutEvent,
    PayoutTerms,
)
from affiliates.payouts.sending_models import PayoutAccount, PayoutSending
from affiliates.payouts.statement_models import (
    PayoutStatement,
    StatementGap,
    StatementSeries,
)
from affiliates.plans.models.coupon import CouponCode, CouponCodeVersion
from affiliates.plans.models.group import AffiliateGroup
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion
from affiliates.plans.models.rule import PlanRule
from affiliates.privacy.erasure.models import Erasure
from affiliates.privacy.retention.models import PurgedClicks
from affiliates.program.creative_models import Creative
from affiliates.program.history_models import (
    AffiliateDeparture,
    AffiliateNote,
    AffiliateTransfer,
)
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.slug_models import RetiredName
from affiliates.referrals.models import (
    ClientReferral,
    DecisionOverride,
    OrderCandidate,
    OrderReferral,
)
from affiliates.sales.models import (
    InvoicePayment,
    InvoiceRefund,
    RefundCancellation,
    Sale,
    SaleReversal,
)
from affiliates.verification.proved.models import ProvedRange
from affiliates.visits.models import Click
from affiliates.webhooks.models import AffiliateWebhook, Webhook
from affiliates.worker.models import WorkerJob

__all__ = [
    "AccountBalance",
    "Adjustment",
    "Affiliate",
    "AffiliateDeparture",
    "AffiliateGroup",
    "AffiliateLink",
    "AffiliateNote",
    "AffiliateTransfer",
    "AffiliateWebhook",
    "AttributionPolicyVersion",
    "Brand",
    "BrandDomain",
    "CallCount",
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
    "Creative",
    "CouponCodeVersion",
    "DecisionOverride",
    "Delivery",
    "DeliveryAttempt",
    "Email",
    "Erasure",
    "ForfeitDeduction",
    "ForfeitedAmount",
    "FraudPolicy",
    "FraudReview",
    "IntegrationHealth",
    "InvoicePayment",
    "InvoiceRefund",
    "LedgerEntry",
    "LedgerPosting",
    "OrderCandidate",
    "OrderReferral",
    "Payout",
    "PayoutAccount",
    "PayoutBatch",
    "PayoutDestination",
    "PayoutEvent",
    "PayoutSending",
    "PayoutStatement",
    "PayoutTerms",
    "PlanRule",
    "Recovery",
    "ProvedRange",
    "PurgedClicks",
    "RefundCancellation",
    "RefusedOrigin",
    "RetiredName",
    "Sale",
    "SaleReversal",
    "SavedView",
    "StaffBrand",
    "StatementGap",
    "StatementSeries",
    "StoredAnswer",
    "TrackingIntegration",
    "VisitorAlias",
    "Webhook",
    "WorkerJob",
]
