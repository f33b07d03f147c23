from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.host_events import brand_id_for_origin
from portal.api.schema import data_of, read
from portal.api.throttles import LoginThrottle
from portal.api.views import PortalView
from portal.clients import services
from portal.clients.login_limits import forgive_tries, take_try
from portal.clients.models import MAX_EMAIL_LENGTH
from portal.clients.services import MAX_PASSWORD_LENGTH, SignedIn


class LoginSerializer(serializers.Serializer[Any]):
    email = serializers.CharField(min_length=1, max_length=MAX_EMAIL_LENGTH)
    password = serializers.CharField(
        min_length=1, max_length=MAX_PASSWORD_LENGTH, trim_whitespace=False
    )


class SignedInSerializer(serializers.Serializer[SignedIn]):
    """The client's public fields, and the token for its next requests."""

    id = serializers.UUIDField(source="user.id")
    email = serializers.CharField(source="user.email")
    firstname = serializers.CharField(source="user.firstname")
    lastname = serializers.CharField(source="user.lastname")
    is_guest = serializers.BooleanField(source="user.is_guest")
    token = serializers.CharField()


class LoginView(PortalView):
    authentication_classes = ()
    permission_classes = (AllowAny,)
    throttle_classes = (LoginThrottle,)

    @extend_schema(
        operation_id="client_login",
        summary="Log in a client of the Origin's brand",
        tags=["Clients"],
        request=LoginSerializer,
        responses={200: data_of(SignedInSerializer)},
    )
    def post(self, request: Request) -> Response:
        body = read(LoginSerializer, request.data)
        brand_id = brand_id_for_origin(request.headers.get("Origin"))
        account = {"brand_id": brand_id, "email": body["email"]}
        take_try(request, **account)
        signed_in = services.log_in(
            **account, password=body["password"], now=timezone.now()
        )
        forgive_tries(request, **account)
        return Response({"data": SignedInSerializer(signed_in).data})
