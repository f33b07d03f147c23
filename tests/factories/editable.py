"""A row for each page of ours that has fields to edit."""

from __future__ import annotations

from typing import Any

from django.apps import apps

from tests.factories.affiliates import AffiliateLinkFactory, CreativeFactory
from tests.factories.announcements import AnnouncementFactory
from tests.factories.integrations import TrackingIntegrationFactory, WebhookFactory
from tests.factories.payouts import PayoutAccountFactory, PayoutTermsFactory
from tests.factories.plans import (
    AffiliateGroupFactory,
    CommissionPlanFactory,
    CouponCodeFactory,
)


def editable_rows(brand: Any, affiliate: Any) -> list[Any]:
    return [
        brand,
        affiliate,
        AffiliateLinkFactory(affiliate=affiliate),
        AffiliateGroupFactory(brand=brand),
        CommissionPlanFactory(brand=brand),
        CouponCodeFactory(brand=brand, affiliate=affiliate),
        CreativeFactory(brand=brand),
        AnnouncementFactory(brand=brand, to=[affiliate]),
        PayoutTermsFactory(brand=brand),
        PayoutAccountFactory(brand=brand),
        TrackingIntegrationFactory(brand=brand),
        WebhookFactory(brand=brand),
        # Of apps that a host may leave out.
        *(
            model.objects.create(brand=brand)
            for label in ("affiliates_invoices", "affiliates_tax_identity")
            for name, model in apps.all_models[label].items()
            if name in ("identityterms", "invoiceterms")
        ),
        *(
            model.objects.create(brand=brand, name="Ten off", text="10 % off")
            for name, model in apps.all_models["affiliates_offers"].items()
            if name == "offer"
        ),
    ]
