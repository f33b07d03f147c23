"""The module where Django finds the models of the domains."""

from __future__ import annotations

from affiliates.api_keys.models import AffiliateKey
from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import ConfigChange
from affiliates.brands.models.domain import BrandDomain
from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.claims.models import MissingSaleClaim
from affiliates.commissions.models import (
    Adjustment,
    Commission,
    CommissionEvent,
    CommissionLine,
    CommissionReversal,
)
from affiliates.emails.models import Email
from affiliates.exports.models import SavedList
from affiliates.fraud.models import FraudPolicy, FraudReview
from affiliates.imports.models import ImportedRow, ImportFault, ImportFile
from affiliates.integrations.delivery.models import VisitorAlias
from affiliates.integrations.models import (
    Delivery,
    DeliveryAttempt,
    IntegrationHealth,
    TrackingIntegration,
    Webhook,
)
from affiliates.integrations.webhooks.models import AffiliateWebhook
from affiliates.ledger.models import AccountBalance, LedgerEntry, LedgerPosting
from affiliates.looks.models import AreaLook
from affiliates.payout_runs.models import (
    PayoutAnswer,
    PayoutAnswerLine,
    PayoutRun,
    PayoutRunLine,
)
from affiliates.payouts.models import (
    Payout,
    PayoutBatch,
    PayoutDestination,
    PayoutEvent,
    PayoutTerms,
)
from affiliates.payouts.statement_models import PayoutStatement, StatementSeries
from affiliates.plans.models.coupon import CouponCode, CouponCodeVersion
from affiliates.plans.models.group import AffiliateGroup
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion
from affiliates.plans.models.rule import PlanRule
from affiliates.program.creative_models import Creative
from affiliates.program.history_models import AffiliateNote, AffiliateTransfer
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.recruitment.models import (
    Application,
    ApplicationQuestion,
    Invitation,
    ProgramTermsVersion,
    RecruitmentPolicy,
    TermsAcceptance,
    UnverifiedApplication,
)
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
from affiliates.statistics.models import (
    CountedDay,
    DailyFigures,
    StatisticsChange,
    StatisticsState,
)
from affiliates.visits.models import Click
from affiliates.worker.models import WorkerJob

__all__ = [
    "AccountBalance",
    "Adjustment",
    "Affiliate",
    "AffiliateGroup",
    "AffiliateKey",
    "AffiliateLink",
    "AffiliateNote",
    "AffiliateTransfer",
    "AffiliateWebhook",
    "Application",
    "ApplicationQuestion",
    "AreaLook",
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
    "CountedDay",
    "CouponCode",
    "Creative",
    "CouponCodeVersion",
    "DailyFigures",
    "DecisionOverride",
    "Delivery",
    "DeliveryAttempt",
    "Email",
    "FraudPolicy",
    "FraudReview",
    "ImportFault",
    "ImportFile",
    "ImportedRow",
    "IntegrationHealth",
    "Invitation",
    "InvoicePayment",
    "InvoiceRefund",
    "LedgerEntry",
    "LedgerPosting",
    "MissingSaleClaim",
    "OrderCandidate",
    "OrderReferral",
    "Payout",
    "PayoutAnswer",
    "PayoutAnswerLine",
    "PayoutBatch",
    "PayoutDestination",
    "PayoutEvent",
    "PayoutRun",
    "PayoutRunLine",
    "PayoutStatement",
    "PayoutTerms",
    "PlanRule",
    "ProgramTermsVersion",
    "RecruitmentPolicy",
    "RefundCancellation",
    "Sale",
    "SaleReversal",
    "SavedList",
    "StatementSeries",
    "StatisticsChange",
    "StatisticsState",
    "TermsAcceptance",
    "TrackingIntegration",
    "UnverifiedApplication",
    "VisitorAlias",
    "Webhook",
    "WorkerJob",
]
