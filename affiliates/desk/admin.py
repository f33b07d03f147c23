"""The admin pages that several packages contribute to, put together above them all."""

from __future__ import annotations

from typing import ClassVar

from django.contrib import admin

from affiliates.brands.admin import BrandAdmin, BrandForm, PolicyVersionInline
from affiliates.brands.models.brand import Brand
from affiliates.commissions.adjustment_admin import AdjustsBalance
from affiliates.desk.affiliate.page import AffiliateDesk
from affiliates.desk.affiliate.transfer import TransfersAll
from affiliates.desk.guide import GuidePage
from affiliates.desk.overview import OverviewPage
from affiliates.desk.search.page import SearchPage
from affiliates.desk.unearned_page import UnearnedPage
from affiliates.fraud.admin import FraudPolicyInline
from affiliates.integrations.admin import IntegrationInline
from affiliates.integrations.selectors import parameters_of_brand
from affiliates.integrations.webhooks.admin import WebhookInline
from affiliates.ledger.admin import AccountBalanceInline
from affiliates.plans.admin import CommissionPlanAdmin
from affiliates.plans.models.plan import CommissionPlan
from affiliates.program.models import Affiliate
from affiliates.recruitment.admin import (
    ApplicationInline,
    ApplicationQuestionInline,
    ProgramTermsInline,
    PublishesTerms,
    RecruitmentPolicyInline,
    TermsAcceptanceInline,
)
from affiliates.recruitment.admin_actions import DecidesApplications
from affiliates.referrals.admin import StoodDownInline
from affiliates.simulation.before_saving import AsksWhatIf


class BrandPageForm(BrandForm):
    parameters_elsewhere = (parameters_of_brand,)


@admin.register(Brand)
class BrandPage(
    GuidePage,
    OverviewPage,
    SearchPage,
    UnearnedPage,
    PublishesTerms,
    AsksWhatIf,
    BrandAdmin,
):
    form = BrandPageForm
    actions_list = (
        *OverviewPage.actions_list,
        *SearchPage.actions_list,
        *UnearnedPage.actions_list,
        *GuidePage.actions_list,
    )
    inlines_of_saved = (
        PolicyVersionInline,
        IntegrationInline,
        WebhookInline,
        StoodDownInline,
        FraudPolicyInline,
        RecruitmentPolicyInline,
        ApplicationQuestionInline,
        ProgramTermsInline,
    )


@admin.register(CommissionPlan)
class PlanPage(AsksWhatIf, CommissionPlanAdmin):
    pass


@admin.register(Affiliate)
class AffiliatePage(DecidesApplications, AdjustsBalance, TransfersAll, AffiliateDesk):
    actions = (*AffiliateDesk.actions, "decline")
    actions_detail: ClassVar = (
        "approve_this",
        "decline_this",
        *AffiliateDesk.actions_detail,
        "adjust",
        "transfer",
    )
    inlines_of_saved = (
        ApplicationInline,
        TermsAcceptanceInline,
        AccountBalanceInline,
    )
