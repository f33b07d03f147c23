"""POST /api/affiliate_link/visit: the product's busiest endpoint.

Its body is read by hand: a serializer costs as much as the rest of the request.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.descriptions import describe
from affiliates.api.http.cors import VISIT_ID
from affiliates.api.http.requests import address_of, origin_of, utc_now
from affiliates.api.http.views import EndpointViewSet
from affiliates.brands.selectors import brand_for_origin
from affiliates.conf import conf
from affiliates.core.addresses import ip_prefix, plain_address
from affiliates.db.deadlines.deadline import Deadline
from affiliates.visits.consent.rules import REPORTED, Consent
from affiliates.visits.rules import Embedding, Visit, VisitAnswer, embedding_of
from affiliates.visits.services import track_visit

PREFETCH_HEADERS = ("HTTP_SEC_PURPOSE", "HTTP_PURPOSE", "HTTP_X_PURPOSE", "HTTP_X_MOZ")
FETCH_HEADERS = ("HTTP_SEC_FETCH_DEST", "HTTP_SEC_FETCH_MODE", "HTTP_SEC_FETCH_SITE")
# Global Privacy Control has no other value.
PRIVACY_CONTROL_HEADER, OPTED_OUT = "HTTP_SEC_GPC", "1"
PREFETCH_WORDS = ("prefetch", "prerender", "preview")
# Not headers' names: only the short path passes them on, with what it found.
REFUSAL, ANSWER = "affiliates.refusal", "affiliates.answer"
VISIT_ID_HEADER, REQUEST_ID_HEADER = "HTTP_VISIT_ID", "HTTP_X_REQUEST_ID"


class VisitRequestSerializer(serializers.Serializer[Any]):
    """The visit's body, for the API's description."""

    visit_url = serializers.URLField(
        help_text="Full current browser URL including query string and hash."
    )
    referrer_url = serializers.CharField(
        allow_blank=True, help_text="Browser referrer URL; empty on a direct visit."
    )
    user_agent = serializers.CharField(
        allow_blank=True, help_text="Browser user agent string."
    )
    referral_cookie = serializers.CharField(
        required=False, allow_null=True, help_text="Existing value, if there is one."
    )
    consent = serializers.ChoiceField(
        required=False,
        choices=REPORTED,
        help_text="The visitor's consent to be recognised again; unknown if left out.",
    )
    framed = serializers.BooleanField(
        required=False,
        help_text="Whether the page runs in a frame of another site.",
    )
    automated = serializers.BooleanField(
        required=False,
        help_text="The browser's navigator.webdriver: whether a program drives it.",
    )


class VisitDataSerializer(serializers.Serializer[Any]):
    redirect_url = serializers.URLField(
        help_text="Where the visitor is to be redirected."
    )
    referral_cookie = serializers.CharField(
        required=False, help_text="New or updated cookie value."
    )
    referral_cookie_max_age = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=34_560_000,
        help_text=(
            "Lifetime to use for the browser cookie, in seconds. Left out with a cookie: "
            "it ends with the browser's session."
        ),
    )


class VisitResponseSerializer(serializers.Serializer[Any]):
    data = VisitDataSerializer()  # type: ignore[assignment]  # DRF's own property is .data


class AffiliateLinkVisitViewSet(EndpointViewSet):
    authentication_classes = ()
    permission_classes = ()
    throttle_scope = "visit"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        with Deadline(conf.visit_deadline_seconds):
            return super().dispatch(request, *args, **kwargs)

    dispatch.by_brand_table = True  # type: ignore[attr-defined] # as the base's

    def check_throttles(self, request: Request) -> None:
        visit_headers = passed_on(request)
        if REFUSAL in visit_headers:
            raise visit_headers[REFUSAL]
        if ANSWER not in visit_headers:
            super().check_throttles(request)

    @describe(
        operation_id="track_affiliate_link_visit",
        tags=["Affiliate links"],
        summary="Track an affiliate link visit",
        headers={"Origin": "The client area's origin; it names the brand."},
        optional_headers={
            VISIT_ID: "That of the answer to this visit, whose click was not stored."
        },
        request=VisitRequestSerializer,
        responses={200: VisitResponseSerializer},
        description=(
            "Records a click if the visited address names an affiliate, and "
            "renews the cookie in any case. Send every page of the shop: where "
            "there is nothing to record, the answer leads to the same page."
        ),
    )
    def create(self, request: Request) -> Response:
        answer = passed_on(request).get(ANSWER)
        if answer is None:
            brand = brand_for_origin(origin_of(request))
            visit = read_visit(request.data, request, address=address_of(request))
            answer = track_visit(brand=brand, visit=visit, now=utc_now())
        headers = None if answer.visit_id is None else {VISIT_ID: answer.visit_id}
        return Response({"data": to_data(answer)}, headers=headers)


def passed_on(request: HttpRequest) -> dict[str, Any]:
    """Returns WSGI's environ or ASGI's scope, which the server and outer layers fill."""
    carrier: dict[str, Any] = getattr(request, "scope", request.META)
    return carrier


def read_visit(body: Any, request: HttpRequest, *, address: str) -> Visit:
    """The visit the body reports, or a ValidationError that names every faulty field.

    ``address``: that of the client, as address_of finds it in the request.
    """
    if not isinstance(body, dict):
        raise ValidationError([ErrorDetail("Send a JSON object.", code="invalid")])
    errors: dict[str, list[ErrorDetail]] = {}
    visit = Visit(
        visit_url=_text(body, "visit_url", errors),
        referrer_url=_text(body, "referrer_url", errors, may_be_blank=True),
        user_agent=_text(body, "user_agent", errors, may_be_blank=True),
        referral_cookie=_optional_text(body, "referral_cookie", errors),
        ip=plain_address(address),
        ip_prefix=ip_prefix(address),
        is_prefetch=_is_prefetch(request),
        consent=_consent(body, errors),
        opts_out=request.META.get(PRIVACY_CONTROL_HEADER) == OPTED_OUT,
        visit_id=request.META.get(VISIT_ID_HEADER),
        request_id=request.META.get(REQUEST_ID_HEADER, ""),
        embedding=_embedding(body, request, errors),
        is_automated=body.get("automated") is True,
    )
    if errors:
        raise ValidationError(errors)
    return visit


def _text(
    body: dict[str, Any],
    name: str,
    errors: dict[str, list[ErrorDetail]],
    *,
    may_be_blank: bool = False,
) -> str:
    value = body.get(name)
    if isinstance(value, str) and (value or may_be_blank):
        return value
    if name not in body:
        error = ErrorDetail("This field is required.", code="required")
    elif value is None:
        error = ErrorDetail("This field may not be null.", code="null")
    elif value == "":
        error = ErrorDetail("This field may not be blank.", code="blank")
    else:
        error = ErrorDetail("Not a valid string.", code="invalid")
    errors[name] = [error]
    return ""


def _optional_text(
    body: dict[str, Any], name: str, errors: dict[str, list[ErrorDetail]]
) -> str | None:
    value = body.get(name)
    if value is None or isinstance(value, str):
        return value
    errors[name] = [ErrorDetail("Not a valid string.", code="invalid")]
    return None


def _consent(body: dict[str, Any], errors: dict[str, list[ErrorDetail]]) -> Consent:
    if "consent" not in body:
        return Consent.NOT_ASKED
    if body["consent"] in REPORTED:
        return Consent(body["consent"])
    detail = "Send granted, denied or unknown, or leave it out."
    errors["consent"] = [ErrorDetail(detail, code="invalid_choice")]
    return Consent.NOT_ASKED


def _embedding(
    body: dict[str, Any], request: HttpRequest, errors: dict[str, list[ErrorDetail]]
) -> Embedding:
    is_framed = body.get("framed", False)
    if not isinstance(is_framed, bool):
        errors["framed"] = [ErrorDetail("Must be a valid boolean.", code="invalid")]
        return Embedding.NONE
    destination, mode, site = (request.META.get(name, "") for name in FETCH_HEADERS)
    return embedding_of(
        is_framed=is_framed, destination=destination, mode=mode, site=site
    )


def _is_prefetch(request: HttpRequest) -> bool:
    values = (request.META.get(header) for header in PREFETCH_HEADERS)
    return any(
        word in value.lower() for value in values if value for word in PREFETCH_WORDS
    )


def to_data(answer: VisitAnswer) -> dict[str, str | int]:
    data: dict[str, str | int] = {"redirect_url": answer.redirect_url}
    if answer.referral_cookie is not None:
        data["referral_cookie"] = answer.referral_cookie
    if answer.referral_cookie_max_age is not None:
        data["referral_cookie_max_age"] = answer.referral_cookie_max_age
    return data
