"""/api/affiliate/profile and apply: who the affiliate is, and how to become one."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.adapter import get_adapter
from affiliates.api.affiliate.base import (
    AffiliateViewSet,
    MomentField,
    described,
    profile_of,
)
from affiliates.api.http.requests import client_id_of, origin_of
from affiliates.api.http.shapes import answer_body
from affiliates.api.serializers import TextField, answer_of, read
from affiliates.api_keys.rules import Scope
from affiliates.brands.selectors import origin_brand_id
from affiliates.errors import NotFound
from affiliates.program.services import apply


class ApplicationSerializer(serializers.Serializer[Any]):
    code = TextField(
        required=False,
        allow_blank=True,
        max_length=32,
        help_text="The wish for a short name in links; without one it is made up.",
    )


class ProfileDataSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="The short name in links.")
    status = serializers.CharField(
        help_text="pending (waiting for approval), active or suspended."
    )
    brand = serializers.CharField(source="brand.name")
    address = serializers.CharField(
        source="url", allow_null=True, help_text="The link with the code."
    )
    time_zone = serializers.CharField(
        source="brand.zone", help_text="Of the days in statistics and filters."
    )
    window_days = serializers.IntegerField(
        source="brand.attribution_window_days",
        help_text="An older click earns nothing.",
    )
    cookie_days = serializers.IntegerField(source="brand.cookie_lifetime_days")
    created_at = MomentField()


PROFILE = answer_of("Profile", ProfileDataSerializer())


class ProfileViewSet(AffiliateViewSet):
    scopes: ClassVar = {"retrieve": Scope.STATISTICS}

    @described(
        "get_affiliate_profile",
        "The caller's own affiliate account; 404 where it has none",
        PROFILE,
    )
    def retrieve(self, request: Request) -> Response:
        return Response(answer_body(ProfileDataSerializer(profile_of(request)).data))


class ApplicationViewSet(AffiliateViewSet):
    @described(
        "apply_as_affiliate",
        "Become an affiliate, once approved; 409 where the caller is one",
        PROFILE,
        status=201,
        request=ApplicationSerializer,
    )
    def create(self, request: Request) -> Response:
        fields = read(ApplicationSerializer, request.data)
        client = get_adapter().get_client(client_id_of(request))
        brand_id = origin_brand_id(origin_of(request))
        if client is None or brand_id not in (None, client.brand_id):
            raise NotFound
        affiliate = apply(client, code=fields.get("code", ""))
        return Response(answer_body(ProfileDataSerializer(affiliate).data), status=201)
