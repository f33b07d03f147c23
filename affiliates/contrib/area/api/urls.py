"""The paths of an affiliate's own account."""

from __future__ import annotations

from django.urls import URLPattern, path
from rest_framework.viewsets import ViewSetMixin

from affiliates.contrib.area.api.account.profile import (
    ApplicationViewSet,
    DepartureViewSet,
    ProfileViewSet,
)
from affiliates.contrib.area.api.account.terms import TermsViewSet
from affiliates.contrib.area.api.books import BalancesViewSet, PostingViewSet
from affiliates.contrib.area.api.claims import ClaimViewSet
from affiliates.contrib.area.api.commissions import CommissionViewSet
from affiliates.contrib.area.api.notifications import (
    NotificationChoicesViewSet,
    NotificationViewSet,
)
from affiliates.contrib.area.api.orders import OrderViewSet, ReferralViewSet
from affiliates.contrib.area.api.payouts import PayoutDestinationViewSet, PayoutViewSet
from affiliates.contrib.area.api.promotion.coupons import COUPON_PATH
from affiliates.contrib.area.api.promotion.creatives import CreativeViewSet
from affiliates.contrib.area.api.promotion.links import LinkViewSet
from affiliates.contrib.area.api.statistics import StatisticsViewSet
from affiliates.contrib.area.api.tools.keys import KeyViewSet
from affiliates.contrib.area.api.tools.webhook import WebhookViewSet


def _path(
    route: str, views: type[ViewSetMixin], name: str, **methods: str
) -> URLPattern:
    """``methods`` are the actions of the view set, by HTTP method."""
    return path(route, views.as_view({**methods}), name=f"affiliate_{name}")


urlpatterns = [
    _path("profile", ProfileViewSet, "profile", get="retrieve", patch="partial_update"),
    _path("terms", TermsViewSet, "terms", get="retrieve"),
    _path("departure", DepartureViewSet, "departure", get="retrieve", post="create"),
    _path("apply", ApplicationViewSet, "apply", get="retrieve", post="create"),
    _path("links", LinkViewSet, "links", get="list", post="create"),
    _path(
        "links/<int:link_id>",
        LinkViewSet,
        "link",
        get="retrieve",
        patch="partial_update",
    ),
    _path("creatives", CreativeViewSet, "creatives", get="list"),
    _path("creatives/<int:creative_id>", CreativeViewSet, "creative", get="retrieve"),
    _path("coupons", name="coupons", **COUPON_PATH),
    _path("balances", BalancesViewSet, "balances", get="list"),
    _path(
        "payout_destination",
        PayoutDestinationViewSet,
        "payout_destination",
        get="retrieve",
        put="update",
    ),
    _path("payouts", PayoutViewSet, "payouts", get="list", post="create"),
    _path("payouts/<int:payout_id>", PayoutViewSet, "payout", get="retrieve"),
    _path("referrals", ReferralViewSet, "referrals", get="list"),
    _path("orders", OrderViewSet, "orders", get="list"),
    _path("orders/<int:order_id>", OrderViewSet, "order", get="retrieve"),
    _path("commissions", CommissionViewSet, "commissions", get="list"),
    _path(
        "commissions/<int:commission_id>",
        CommissionViewSet,
        "commission",
        get="retrieve",
    ),
    _path("postings", PostingViewSet, "postings", get="list"),
    _path("statistics", StatisticsViewSet, "statistics", get="retrieve"),
    _path("claims", ClaimViewSet, "claims", post="create", get="list"),
    _path("notifications", NotificationViewSet, "notifications", get="list"),
    _path(
        "notifications/choices",
        NotificationChoicesViewSet,
        "notification_choices",
        get="list",
        patch="partial_update",
    ),
    _path("keys", KeyViewSet, "keys", get="list", post="create"),
    _path("keys/<int:key_id>", KeyViewSet, "key", delete="destroy"),
    _path(
        "webhook",
        WebhookViewSet,
        "webhook",
        get="retrieve",
        put="update",
        delete="destroy",
    ),
    _path("webhook/rotate", WebhookViewSet, "webhook_rotation", post="rotate"),
    _path("webhook/test", WebhookViewSet, "webhook_test", post="test"),
]
