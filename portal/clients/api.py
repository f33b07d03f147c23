from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.translation import get_language_from_request
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.host_events import brand_id_for_origin
from portal.api.schema import data_of, read
from portal.api.throttles import LoginThrottle
from portal.api.views import PortalView
from portal.clients import password_reset, services
from portal.clients.login_limits import forgive_tries, take_try
from portal.clients.models import MAX_EMAIL_LENGTH, User
from portal.clients.second_factor import MAX_CODE_LENGTH
from portal.clients.services import SignedIn
from portal.clients.tokens import client_of
from portal.clients.validators import MAX_PASSWORD_LENGTH

MAX_TOKEN_LENGTH = 100


class LoginSerializer(serializers.Serializer[Any]):
    email = serializers.CharField(min_length=1, max_length=MAX_EMAIL_LENGTH)
    password = serializers.CharField(
        min_length=1, max_length=MAX_PASSWORD_LENGTH, trim_whitespace=False
    )
    code = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=MAX_CODE_LENGTH,
        help_text="Of the authenticator, or a recovery code: after code_required.",
    )


class ResetRequestSerializer(serializers.Serializer[Any]):
    email = serializers.CharField(min_length=1, max_length=MAX_EMAIL_LENGTH)


class ResetRequestedSerializer(serializers.Serializer[Any]):
    valid_seconds = serializers.IntegerField(help_text="How long a link can be used.")


class NewPasswordSerializer(serializers.Serializer[Any]):
    token = serializers.CharField(max_length=MAX_TOKEN_LENGTH)
    password = serializers.CharField(
        min_length=1, max_length=MAX_PASSWORD_LENGTH, trim_whitespace=False
    )


class PasswordSetSerializer(serializers.Serializer[User]):
    email = serializers.CharField()


class SignedInSerializer(serializers.Serializer[SignedIn]):
    """The client's public fields, and the token for its next requests."""

    id = serializers.UUIDField(source="user.id")
    email = serializers.CharField(source="user.email")
    firstname = serializers.CharField(source="user.firstname")
    lastname = serializers.CharField(source="user.lastname")
    is_guest = serializers.BooleanField(source="user.is_guest")
    token = serializers.CharField()


class LoggedOutSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField(help_text="The client's.")


class _OpenView(PortalView):
    authentication_classes = ()
    permission_classes = (AllowAny,)
    throttle_classes = (LoginThrottle,)


class LoginView(_OpenView):
    @extend_schema(
        operation_id="client_login",
        summary="Log in a client of the Origin's brand",
        tags=["Clients"],
        request=LoginSerializer,
        responses={200: data_of(SignedInSerializer)},
        description=(
            "A client with a second factor also sends `code`. The token lives 24 hours."
        ),
    )
    def post(self, request: Request) -> Response:
        body = read(LoginSerializer, request.data)
        brand_id = brand_id_for_origin(request.headers.get("Origin"))
        account = {"brand_id": brand_id, "email": body["email"]}
        take_try(request, **account)
        signed_in = services.log_in(
            **account,
            password=body["password"],
            code=body.get("code", ""),
            now=timezone.now(),
        )
        forgive_tries(request, **account)
        return Response({"data": SignedInSerializer(signed_in).data})


class TokenView(PortalView):
    @extend_schema(
        operation_id="client_logout",
        summary="Log out: end the token of the request",
        tags=["Clients"],
        responses={200: data_of(LoggedOutSerializer)},
        description="Other tokens of the client live on.",
    )
    def delete(self, request: Request) -> Response:
        services.end_token(request.auth.pk)
        return Response({"data": LoggedOutSerializer(client_of(request)).data})


class PasswordResetView(_OpenView):
    @extend_schema(
        operation_id="client_password_reset",
        summary="Send a client of the Origin's brand a link to set a new password",
        tags=["Clients"],
        request=ResetRequestSerializer,
        responses={200: data_of(ResetRequestedSerializer)},
        description=(
            "The answer is the same for every address, known or not. The link "
            "works once."
        ),
    )
    def post(self, request: Request) -> Response:
        body = read(ResetRequestSerializer, request.data)
        origin = request.headers.get("Origin")
        password_reset.request_reset(
            brand_id=brand_id_for_origin(origin),
            email=body["email"],
            origin=origin or "",
            language=get_language_from_request(request),
            now=timezone.now(),
        )
        answer = {"valid_seconds": settings.PASSWORD_RESET_TIMEOUT}
        return Response({"data": ResetRequestedSerializer(answer).data})


class NewPasswordView(_OpenView):
    @extend_schema(
        operation_id="client_password_reset_confirm",
        summary="Set a new password by the token of the link",
        tags=["Clients"],
        request=NewPasswordSerializer,
        responses={200: data_of(PasswordSetSerializer)},
        description=(
            "Every session, token and key of the client ends. Log in afterwards."
        ),
    )
    def post(self, request: Request) -> Response:
        body = read(NewPasswordSerializer, request.data)
        brand_id = brand_id_for_origin(request.headers.get("Origin"))
        client = password_reset.reset_password(brand_id=brand_id, **body)
        forgive_tries(request, brand_id=brand_id, email=client.email)
        return Response({"data": PasswordSetSerializer(client).data})
