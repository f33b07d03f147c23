"""The module where Django finds the models of the domains."""

from __future__ import annotations

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.change import ConfigChange
from affiliates.brands.models.domain import BrandDomain
from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.commissions.models import (
    Adjustment,
    Commission,
    CommissionEvent,
    CommissionLine,
    CommissionReversal,
)
from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.contrib.area.looks.models import AreaLook
from affiliates.contrib.claims.models import MissingSaleClaim
from affiliates.contrib.desk.exports.models import SavedList
from affiliates.contrib.imports.models import (
    ImportedRow,
    ImportFault,
    ImportFile,
)
from affiliates.contrib.payout_runs.models import (
    PayoutAnswer,
    PayoutAnswerLine,
    PayoutRun,
    PayoutRunLine,
)
from affiliates.contrib.recruitment.models import (
    Application,
    ApplicationQuestion,
    Invitation,
    ProgramTermsVersion,
    RecruitmentPolicy,
    TermsAcceptance,
    UnverifiedApplication,
)
from affiliates.contrib.statistics.models import (
    CountedDay,
    DailyFigures,
    StatisticsChange,
    StatisticsState,
)
from affiliates.emails.models import Email
from affiliates.fraud.models import FraudPolicy, FraudReview
from affiliates.ledger.models import AccountBalance, LedgerEntry, LedgerPosting
from affiliates.outbox.models.delivery import (
    Delivery,
    DeliveryAttempt,
    VisitorAlias,
)
from affiliates.outbox.models.integration import (
    IntegrationHealth,
    TrackingIntegration,
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
from affiliates.visits.models import Click
from affiliates.webhooks.models import AffiliateWebhook, Webhook
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
