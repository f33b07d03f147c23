"""The registration endpoints that accept the referral cookie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.descriptions import describe
from affiliates.api.http.idempotency import EndsCredentialsViewSet, answered_once
from affiliates.api.http.requests import client_id_of, origin_of, utc_now
from affiliates.api.http.views import EndpointViewSet
from affiliates.api.serializers import (
    ClientSerializer,
    CompletionSerializer,
    GuestSerializer,
    RegistrationSerializer,
    answer_of,
    read_body,
)
from affiliates.brands.selectors import brand_for_origin_or_only, origin_brand_id
from affiliates.contracts import (
    ClientRegistration,
    GuestRegistration,
    RegisteredClient,
    RegistrationCompletion,
)
from affiliates.referrals import services

REGISTERED = answer_of("Registered", ClientSerializer())


class RegistrationViewSet(EndpointViewSet):
    authentication_classes = ()
    permission_classes = ()
    throttle_scope = "register"

    @describe(
        operation_id="register_client",
        tags=["Clients"],
        summary="Register a client",
        request=RegistrationSerializer,
        responses={201: REGISTERED},
        description=(
            "The cookie's affiliate, if there is one, gets the client. An "
            "e-mail address is registered once per brand."
        ),
    )
    @answered_once
    def create(self, request: Request) -> Response:
        return _register(
            request, "register", ClientRegistration, services.register_client
        )


class GuestRegistrationViewSet(RegistrationViewSet):
    throttle_scope = "guest"

    @describe(
        operation_id="register_guest",
        tags=["Clients"],
        summary="Create a guest for basket operations",
        request=GuestSerializer,
        responses={201: REGISTERED},
        description=(
            "The guest's token fills and converts baskets for 24 hours. The "
            "cookie binds the guest as it binds a client."
        ),
    )
    @answered_once
    def create(self, request: Request) -> Response:
        return _register(
            request, "register_guest", GuestRegistration, services.register_guest
        )


class RegistrationCompletionViewSet(EndsCredentialsViewSet):
    throttle_scope = "complete"

    @describe(
        operation_id="complete_registration",
        tags=["Clients"],
        summary="Complete a guest registration",
        request=CompletionSerializer,
        responses={200: REGISTERED},
        description=(
            "The guest becomes a client with the same id. The guest's tokens "
            "end, and the answer has a new one."
        ),
    )
    @answered_once
    def create(self, request: Request, client_id: str) -> Response:
        brand_id = origin_brand_id(origin_of(request))
        fields, extra = read_body("complete_registration", request.data)
        cookie = fields.pop("referral_cookie", None)
        registered = services.complete_registration(
            completion=RegistrationCompletion(
                client_id=client_id, extra=extra, **fields
            ),
            caller_id=client_id_of(request),
            origin_brand_id=brand_id,
            referral_cookie=cookie,
            now=utc_now(),
        )
        return Response({"data": registered.data})


def _register(
    request: Request,
    endpoint: str,
    registration: Callable[..., Any],
    register: Callable[..., RegisteredClient],
) -> Response:
    brand = brand_for_origin_or_only(origin_of(request))
    fields, extra = read_body(endpoint, request.data)
    cookie = fields.pop("referral_cookie", None)
    registered = register(
        registration=registration(brand_id=brand.id, extra=extra, **fields),
        referral_cookie=cookie,
        now=utc_now(),
    )
    return Response({"data": registered.data}, status=201)
