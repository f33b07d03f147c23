"""The admin pages that several packages contribute to, put together above them all."""

from __future__ import annotations

from typing import ClassVar

from django.contrib import admin
from django.http import HttpRequest, HttpResponse

from affiliates.admin_tools.base import action, requires
from affiliates.brands.admin import BrandAdmin, BrandForm, PolicyVersionInline
from affiliates.brands.models.brand import Brand
from affiliates.commissions.adjustment_admin import AdjustsBalance
from affiliates.contrib.desk import (
    guide,
    jobs,
    overview,
    unearned_page,
)
from affiliates.contrib.area.looks.looking import LooksAtArea
from affiliates.contrib.desk.affiliate.page import AffiliateDesk
from affiliates.membership.transfer_admin import TransfersAll
from affiliates.contrib.desk.search import page
from affiliates.contrib.desk.simulation.admin import (
    PlanWhatIf,
    PolicyWhatIf,
)
from affiliates.contrib.recruitment.admin import (
    ApplicationInline,
    ApplicationQuestionInline,
    ProgramTermsInline,
    PublishesTerms,
    RecruitmentPolicyInline,
    TermsAcceptanceInline,
)
from affiliates.contrib.recruitment.admin_actions import DecidesApplications
from affiliates.fraud.admin import FraudPolicyInline
from affiliates.ledger.admin import AccountBalanceInline
from affiliates.outbox.active import parameters_of_brand
from affiliates.plans.admin import CommissionPlanAdmin
from affiliates.plans.models.plan import CommissionPlan
from affiliates.program.models import Affiliate
from affiliates.referrals.admin import StoodDownInline
from affiliates.tracking.admin import IntegrationInline
from affiliates.webhooks.admin import WebhookInline


class BrandPageForm(BrandForm):
    parameters_elsewhere = (parameters_of_brand,)


@admin.register(Brand)
class BrandPage(PublishesTerms, PolicyWhatIf, BrandAdmin):
    """The list of brands leads to the pages of the desk."""

    form = BrandPageForm
    actions_list = ("overview", "search", "unearned", "guide", "jobs")
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
    # It shows orders and what became of their commissions.
    has_unearned_permission = requires(
        "affiliates.view_orderreferral", "affiliates.view_commission"
    )
    has_jobs_permission = requires("affiliates.view_workerjob")

    @action(description="Overview", url_path="overview", permissions=["view"])
    def overview(self, request: HttpRequest) -> HttpResponse:
        return overview.show(request, self.admin_site)

    @action(description="Search", url_path="search", permissions=["view"])
    def search(self, request: HttpRequest) -> HttpResponse:
        return page.show(request, self.admin_site)

    @action(
        description="Orders that earned nothing",
        url_path="unearned",
        permissions=["unearned"],
    )
    def unearned(self, request: HttpRequest) -> HttpResponse:
        return unearned_page.show(request, self.admin_site)

    @action(description="First steps", url_path="guide", permissions=["view"])
    def guide(self, request: HttpRequest) -> HttpResponse:
        return guide.show(request, self)

    @action(description="Background jobs", url_path="jobs", permissions=["jobs"])
    def jobs(self, request: HttpRequest) -> HttpResponse:
        return jobs.show(request, self.admin_site)


@admin.register(CommissionPlan)
class PlanPage(PlanWhatIf, CommissionPlanAdmin):
    pass


@admin.register(Affiliate)
class AffiliatePage(
    DecidesApplications, AdjustsBalance, TransfersAll, LooksAtArea, AffiliateDesk
):
    actions = (*AffiliateDesk.actions, "decline")
    actions_detail: ClassVar = (
        "approve_this",
        "decline_this",
        *AffiliateDesk.actions_detail,
        "look",
        "adjust",
        "transfer",
    )
    inlines_of_saved = (
        ApplicationInline,
        TermsAcceptanceInline,
        AccountBalanceInline,
    )
