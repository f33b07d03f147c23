"""POST /api/affiliate_link/offer: the offer of the affiliate who sent the visitor."""

from __future__ import annotations

from typing import Any

from django.utils.translation import get_language_from_request
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.descriptions import describe
from affiliates.api.http.requests import origin_of, utc_now
from affiliates.api.http.views import EndpointViewSet
from affiliates.api.serializers import ReferralSerializer, answer_of, read
from affiliates.brands.selectors import brand_for_origin
from affiliates.contrib.offers.selectors import code_to_show
from affiliates.core.language import translated
from affiliates.referrals.evidence import sender_of_cookie


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
