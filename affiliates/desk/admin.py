"""The admin pages that several packages contribute to, put together above them all."""

from __future__ import annotations

from django.contrib import admin

from affiliates.brands.admin import BrandAdmin, BrandForm, PolicyVersionInline
from affiliates.brands.models.brand import Brand
from affiliates.fraud.admin import FraudPolicyInline
from affiliates.integrations.admin import IntegrationInline
from affiliates.integrations.selectors import parameters_of_brand
from affiliates.integrations.webhooks.admin import WebhookInline
from affiliates.ledger.admin import AccountBalanceInline
from affiliates.program.admin import AffiliateAdmin
from affiliates.program.models import Affiliate
from affiliates.referrals.admin import StoodDownInline


class BrandPageForm(BrandForm):
    parameters_elsewhere = (parameters_of_brand,)


@admin.register(Brand)
class BrandPage(BrandAdmin):
    form = BrandPageForm
    inlines_of_saved = (
        PolicyVersionInline,
        IntegrationInline,
        WebhookInline,
        StoodDownInline,
        FraudPolicyInline,
    )


@admin.register(Affiliate)
class AffiliatePage(AffiliateAdmin):
    inlines_of_saved = (AccountBalanceInline,)
