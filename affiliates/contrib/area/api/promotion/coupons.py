"""/api/affiliate/coupons: the codes that credit orders to the affiliate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from rest_framework import serializers

from affiliates.api.descriptions import described_as
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    OrderingField,
    PageQuerySerializer,
)
from affiliates.contrib.area.api.lists import Listing, Rows
from affiliates.contrib.area.api.promotion.figures import part_figures
from affiliates.contrib.area.api.statistics import FiguresSerializer
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.statistics.types import Dimension
from affiliates.plans.models.coupon import CouponCode
from affiliates.program.models import Affiliate


class CouponQuerySerializer(PageQuerySerializer):
    ordering = OrderingField("code", "id")
    is_active = serializers.BooleanField(required=False, allow_null=False)


class RateField(serializers.DecimalField):
    """A rate in percent as text: 7.5."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            max_digits=6, decimal_places=3, normalize_output=True, **options
        )


class CouponDataSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    code = serializers.CharField(help_text="Upper and lower case are one.")
    is_active = serializers.BooleanField(help_text="False: it credits nobody.")
    percent = RateField(
        allow_null=True,
        help_text="What an order with it earns; null: what the plan says.",
    )
    affiliate_funds_percent = RateField(
        help_text="Of the discount, taken from the commission."
    )
    figures = serializers.SerializerMethodField(
        help_text="Of all time. Clicks and signups have no coupon."
    )

    @described_as(FiguresSerializer())
    def get_figures(self, coupon: CouponCode) -> dict[str, Any]:
        figures: dict[str, Any] = self.context["figures"][coupon.code]
        return figures


def _figures(affiliate: Affiliate, coupons: Sequence[CouponCode]) -> dict[str, Any]:
    codes = [coupon.code for coupon in coupons]
    return {"figures": part_figures(affiliate, codes, Dimension.COUPON)}


COUPONS = Listing(
    name="coupons",
    rows=lambda affiliate, query: Rows(
        own=[CouponCode.objects.filter(affiliate=affiliate)],
        prepare=lambda coupons: _figures(affiliate, coupons),
    ),
    shape=CouponDataSerializer,
    query=CouponQuerySerializer,
)


class CouponViewSet(AffiliateViewSet):
    scopes: ClassVar = {"list": Scope.STATISTICS}

    list = COUPONS.view(
        "list_coupons",
        "The affiliate's coupon codes",
        answer="AffiliateCoupons",
        description=(
            "A coupon credits its affiliate without a click. Each row names "
            "what an order with it earns."
        ),
    )


# An app over the area puts a subclass in its place, with the actions of more methods.
COUPON_PATH: dict[str, Any] = {"views": CouponViewSet, "get": "list"}


def coupon_data(affiliate: Affiliate, coupon: CouponCode) -> Any:
    """The coupon as the list has it."""
    return CouponDataSerializer(coupon, context=_figures(affiliate, [coupon])).data
