"""The paths of an affiliate's own account."""

from __future__ import annotations

from django.urls import path

from affiliates.contrib.area.api.claims import ClaimViewSet
from affiliates.contrib.area.api.commissions import CommissionViewSet, PostingViewSet
from affiliates.contrib.area.api.notifications import (
    NotificationChoicesViewSet,
    NotificationViewSet,
)
from affiliates.contrib.area.api.orders import OrderViewSet, ReferralViewSet
from affiliates.contrib.area.api.payouts import (
    BalancesViewSet,
    PayoutDestinationViewSet,
    PayoutViewSet,
)
from affiliates.contrib.area.api.profile import ApplicationViewSet, ProfileViewSet
from affiliates.contrib.area.api.promotion.coupons import CouponViewSet
from affiliates.contrib.area.api.promotion.creatives import CreativeViewSet
from affiliates.contrib.area.api.promotion.links import LinkViewSet
from affiliates.contrib.area.api.statistics import StatisticsViewSet
from affiliates.contrib.area.api.tools.keys import KeyViewSet
from affiliates.contrib.area.api.tools.webhook import WebhookViewSet

urlpatterns = [
    path(
        "profile",
        ProfileViewSet.as_view({"get": "retrieve", "patch": "partial_update"}),
        name="affiliate_profile",
    ),
    path(
        "apply",
        ApplicationViewSet.as_view({"get": "retrieve", "post": "create"}),
        name="affiliate_apply",
    ),
    path(
        "links",
        LinkViewSet.as_view({"get": "list", "post": "create"}),
        name="affiliate_links",
    ),
    path(
        "links/<int:link_id>",
        LinkViewSet.as_view({"get": "retrieve", "patch": "partial_update"}),
        name="affiliate_link",
    ),
    path(
        "creatives",
        CreativeViewSet.as_view({"get": "list"}),
        name="affiliate_creatives",
    ),
    path("coupons", CouponViewSet.as_view({"get": "list"}), name="affiliate_coupons"),
    path(
        "balances", BalancesViewSet.as_view({"get": "list"}), name="affiliate_balances"
    ),
    path(
        "payout_destination",
        PayoutDestinationViewSet.as_view({"get": "retrieve", "put": "update"}),
        name="affiliate_payout_destination",
    ),
    path(
        "payouts",
        PayoutViewSet.as_view({"get": "list", "post": "create"}),
        name="affiliate_payouts",
    ),
    path(
        "payouts/<int:payout_id>",
        PayoutViewSet.as_view({"get": "retrieve"}),
        name="affiliate_payout",
    ),
    path(
        "referrals",
        ReferralViewSet.as_view({"get": "list"}),
        name="affiliate_referrals",
    ),
    path("orders", OrderViewSet.as_view({"get": "list"}), name="affiliate_orders"),
    path(
        "orders/<int:order_id>",
        OrderViewSet.as_view({"get": "retrieve"}),
        name="affiliate_order",
    ),
    path(
        "commissions",
        CommissionViewSet.as_view({"get": "list"}),
        name="affiliate_commissions",
    ),
    path(
        "commissions/<int:commission_id>",
        CommissionViewSet.as_view({"get": "retrieve"}),
        name="affiliate_commission",
    ),
    path(
        "postings",
        PostingViewSet.as_view({"get": "list"}),
        name="affiliate_postings",
    ),
    path(
        "statistics",
        StatisticsViewSet.as_view({"get": "retrieve"}),
        name="affiliate_statistics",
    ),
    path(
        "claims",
        ClaimViewSet.as_view({"post": "create", "get": "list"}),
        name="affiliate_claims",
    ),
    path(
        "notifications",
        NotificationViewSet.as_view({"get": "list"}),
        name="affiliate_notifications",
    ),
    path(
        "notifications/choices",
        NotificationChoicesViewSet.as_view({"get": "list", "patch": "partial_update"}),
        name="affiliate_notification_choices",
    ),
    path(
        "keys",
        KeyViewSet.as_view({"get": "list", "post": "create"}),
        name="affiliate_keys",
    ),
    path(
        "keys/<int:key_id>",
        KeyViewSet.as_view({"delete": "destroy"}),
        name="affiliate_key",
    ),
    path(
        "webhook",
        WebhookViewSet.as_view(
            {"get": "retrieve", "put": "update", "delete": "destroy"}
        ),
        name="affiliate_webhook",
    ),
    path(
        "webhook/rotate",
        WebhookViewSet.as_view({"post": "rotate"}),
        name="affiliate_webhook_rotation",
    ),
    path(
        "webhook/test",
        WebhookViewSet.as_view({"post": "test"}),
        name="affiliate_webhook_test",
    ),
]
