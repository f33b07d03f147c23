"""Affiliates make and end codes within offers; visitors are shown them."""

from __future__ import annotations

from typing import Any, ClassVar

from django.utils.translation import get_language_from_request
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.descriptions import describe
from affiliates.api.http.idempotency import answered_once
from affiliates.api.http.requests import origin_of, utc_now
from affiliates.api.http.views import EndpointViewSet
from affiliates.api.serializers import (
    MAX_ID,
    IdField,
    ReferralSerializer,
    TextField,
    answer_of,
    read,
)
from affiliates.brands.selectors import brand_for_origin
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    MomentField,
    PageQuerySerializer,
    affiliate_of,
    described,
)
from affiliates.contrib.area.api.lists import page_answer, whole_list
from affiliates.contrib.area.api.promotion.coupons import (
    CouponDataSerializer,
    CouponViewSet,
    RateField,
    coupon_data,
)
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.offers.selectors import code_to_show, open_offers
from affiliates.contrib.offers.services import end_code, make_code
from affiliates.core.language import translated
from affiliates.plans.models.coupon import MAX_CODE
from affiliates.referrals.evidence import sender_of_cookie

COUPON = answer_of("AffiliateCoupon", CouponDataSerializer())


class CodeRequestSerializer(serializers.Serializer[Any]):
    offer_id = IdField(min_value=1, max_value=MAX_ID)
    code = TextField(
        required=False,
        allow_blank=True,
        max_length=MAX_CODE,
        help_text="It begins with the offer's prefix. Left out: one is proposed.",
    )


class OfferDataSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    text = serializers.CharField(source="shown_text", help_text="What the friend gets.")
    grants = serializers.CharField(
        source="shown_grants", help_text="The same in detail; may be empty."
    )
    prefix = serializers.CharField(help_text="Every code begins with it.")
    max_codes = serializers.IntegerField(help_text="At a time.")
    codes_left = serializers.IntegerField(help_text="How many can be made now.")
    percent = RateField(allow_null=True, help_text="Null: what the plan says.")
    affiliate_funds_percent = RateField(
        help_text="Of the discount, taken from the commission."
    )
    for_new_clients = serializers.BooleanField(help_text="True: others do not get it.")
    valid_until = MomentField(allow_null=True, help_text="Null: for ever.")


class OfferViewSet(AffiliateViewSet):
    scopes: ClassVar = {"list": Scope.STATISTICS}

    @described(
        "list_offers",
        "What the affiliate can offer friends now",
        page_answer("Offers", "offers", OfferDataSerializer),
        parameters=[PageQuerySerializer],
        description="Codes are made within an offer. All are on one page.",
    )
    def list(self, request: Request) -> Response:
        offers, _ = open_offers(affiliate_of(request), now=utc_now())
        rows: Any = OfferDataSerializer(offers, many=True).data
        page = whole_list("offers", rows, request.query_params.dict())
        return Response({"data": page})


class OfferCouponViewSet(CouponViewSet):
    """The area's list of coupons, with the codes that affiliates make themselves."""

    scopes: ClassVar = {
        **CouponViewSet.scopes,
        "create": Scope.LINKS,
        "destroy": Scope.LINKS,
    }

    @described(
        "create_coupon",
        "Make a code within an offer",
        COUPON,
        status=201,
        request=CodeRequestSerializer,
        description=(
            "The code keeps the offer's terms of now. The same code again answers with "
            "the same coupon; 409 where the offer gives no further code."
        ),
    )
    @answered_once
    def create(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        fields = read(CodeRequestSerializer, request.data)
        made = make_code(affiliate_id=affiliate.pk, **fields, now=utc_now())
        return Response({"data": coupon_data(affiliate, made.coupon)}, status=201)

    @described(
        "end_coupon",
        "End a code for good",
        COUPON,
        description=(
            "It credits nobody and gives no discount any more, and nobody gets it "
            "again. 404 for a code that was made within no offer."
        ),
    )
    def destroy(self, request: Request, coupon_id: int) -> Response:
        affiliate = affiliate_of(request)
        ended = end_code(coupon_id=coupon_id, affiliate_id=affiliate.pk, now=utc_now())
        return Response({"data": coupon_data(affiliate, ended.coupon)})


class ShownOfferSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="Enter it as the basket's coupon.")
    text = serializers.CharField(help_text="In the language of Accept-Language.")
    expires_at = serializers.DateTimeField(
        allow_null=True, help_text="null: the offer has no end."
    )


class AffiliateLinkOfferViewSet(EndpointViewSet):
    authentication_classes = ()
    permission_classes = ()
    throttle_scope = "offer"

    @describe(
        operation_id="get_affiliate_link_offer",
        tags=["Affiliate links"],
        summary="What the affiliate who sent the visitor offers",
        headers={"Origin": "The client area's origin; it names the brand."},
        request=ReferralSerializer,
        responses={
            200: answer_of("AffiliateLinkOffer", ShownOfferSerializer(allow_null=True))
        },
        description=(
            "Decided by the cookie alone: whether the visitor may use the code is "
            "decided at the checkout. null without a cookie or an offer. Nothing is "
            "stored."
        ),
    )
    def create(self, request: Request) -> Response:
        brand = brand_for_origin(origin_of(request))
        body = read(ReferralSerializer, request.data)
        now = utc_now()
        sender = sender_of_cookie(
            body.get("referral_cookie"), brand_id=brand.id, now=now
        )
        offer = sender and code_to_show(sender.affiliate_id, brand_id=brand.id, now=now)
        if not offer:
            return Response({"data": None})
        language = get_language_from_request(request)
        shown = {
            "code": offer.code,
            "text": translated(offer.text, offer.translations, language),
            "expires_at": offer.expires_at,
        }
        return Response({"data": ShownOfferSerializer(shown).data})
