"""/api/affiliate/coupons: the codes that credit orders to the affiliate."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework import serializers

from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    OrderingField,
    PageQuerySerializer,
)
from affiliates.contrib.area.api.lists import Listing, Rows
from affiliates.contrib.area.keys.rules import Scope
from affiliates.plans.models.coupon import CouponCode


class CouponQuerySerializer(PageQuerySerializer):
    ordering = OrderingField("code", "id")
    is_active = serializers.BooleanField(required=False, allow_null=False)


class CouponDataSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    code = serializers.CharField(help_text="Upper and lower case are one.")
    is_active = serializers.BooleanField(help_text="False: it credits nobody.")
    percent = serializers.DecimalField(
        max_digits=6,
        decimal_places=3,
        normalize_output=True,
        allow_null=True,
        help_text="What an order with it earns; null: what the plan says.",
    )
    affiliate_funds_percent = serializers.DecimalField(
        max_digits=6,
        decimal_places=3,
        normalize_output=True,
        help_text="Of the discount, taken from the commission.",
    )


COUPONS = Listing(
    name="coupons",
    rows=lambda affiliate, query: Rows(
        own=[CouponCode.objects.filter(affiliate=affiliate)]
    ),
    shape=CouponDataSerializer,
    query=CouponQuerySerializer,
)


class CouponViewSet(AffiliateViewSet):
    scopes: ClassVar = {"list": Scope.STATISTICS}

    list = COUPONS.view(
        "list_coupons", "The affiliate's coupon codes", answer="AffiliateCoupons"
    )
