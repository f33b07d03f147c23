"""/api/affiliate/claims: an affiliate says that a sale was theirs, and reads the answer."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from drf_spectacular.utils import extend_schema, extend_schema_serializer
from rest_framework import serializers
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle

from affiliates.api.http.requests import client_id_of, origin_of, utc_now
from affiliates.api.http.throttles import EndpointThrottle
from affiliates.api.payouts import AffiliateViewSet, PageSerializer
from affiliates.api.serializers import MAX_EMAIL, EmailField, TextField
from affiliates.brands.selectors import origin_brand_id
from affiliates.claims.models import MAX_NOTE, MissingSaleClaim
from affiliates.claims.rules import WAITING, ClaimStatus, Hints
from affiliates.claims.services import submit_claim
from affiliates.payouts.selectors import affiliate_of_client
from affiliates.program.models import Affiliate
from affiliates.referrals.models import MAX_REFERENCE

CLAIMS_ON_A_PAGE = 20


class ClaimThrottle(EndpointThrottle):
    """Counts each client's own claims, wherever they come from."""

    scope = "claim"

    def caller(self, request: Request) -> str | None:
        return client_id_of(request)


class ClaimRequestSerializer(serializers.Serializer[Any]):
    order = TextField(
        required=False,
        allow_blank=True,
        max_length=MAX_REFERENCE,
        help_text="Order or invoice. Required unless client_email is given.",
    )
    client_email = EmailField(
        required=False,
        allow_blank=True,
        max_length=MAX_EMAIL,
        help_text="Of the client, as far as known.",
    )
    ordered_on = serializers.DateField(
        required=False, allow_null=True, help_text="About when, as YYYY-MM-DD."
    )
    note = TextField(required=False, allow_blank=True, max_length=MAX_NOTE)


class ClaimDataSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=ClaimStatus.choices())
    order = serializers.CharField(help_text="As typed; empty where it was left out.")
    client_email = serializers.CharField(help_text="As typed.")
    ordered_on = serializers.DateField(allow_null=True)
    note = serializers.CharField()
    answer = serializers.ListField(
        child=serializers.CharField(), help_text="Sentence by sentence."
    )
    created_at = serializers.DateTimeField()


class ClaimSerializer(serializers.Serializer[Any]):
    data = ClaimDataSerializer()  # type: ignore[assignment]  # DRF's own property is .data


class ClaimPageSerializer(serializers.Serializer[Any]):
    claims = ClaimDataSerializer(many=True)
    page = serializers.IntegerField(min_value=1)
    pages = serializers.IntegerField(min_value=1)


@extend_schema_serializer(many=False)
class ClaimsSerializer(serializers.Serializer[Any]):
    data = ClaimPageSerializer()  # type: ignore[assignment]


class ClaimViewSet(AffiliateViewSet):
    def get_throttles(self) -> list[BaseThrottle]:
        own: list[BaseThrottle] = [ClaimThrottle()] if self.action == "create" else []
        return [*super().get_throttles(), *own]

    @extend_schema(
        operation_id="submit_claim",
        tags=["Affiliates"],
        summary="Claim a missing sale",
        description=(
            "An order that the affiliate had a part in is answered at once. Anything "
            "else opens a case that staff answer; what it says is the same whether or "
            "not such an order exists. The same claim again is the same case."
        ),
        request=ClaimRequestSerializer,
        responses={200: ClaimSerializer},
    )
    def create(self, request: Request) -> Response:
        affiliate = _affiliate_of(request)
        fields = _read(ClaimRequestSerializer, request.data)
        note = fields.pop("note", "")
        claim = submit_claim(
            affiliate=affiliate, hints=Hints(**fields), note=note, now=utc_now()
        )
        return Response({"data": _claim_data(claim)})

    @extend_schema(
        operation_id="list_claims",
        tags=["Affiliates"],
        summary="The affiliate's own claims, newest first",
        parameters=[PageSerializer],
        responses={200: ClaimsSerializer},
    )
    def list(self, request: Request) -> Response:
        affiliate = _affiliate_of(request)
        number = _read(PageSerializer, request.query_params.dict())["page"]
        pages = Paginator(
            affiliate.claims.order_by("-created_at", "-id"), CLAIMS_ON_A_PAGE
        )
        rows = pages.page(number) if number <= pages.num_pages else ()
        return Response(
            {
                "data": {
                    "claims": [_claim_data(row) for row in rows],
                    "page": number,
                    "pages": pages.num_pages,
                }
            }
        )


def _affiliate_of(request: Request) -> Affiliate:
    return affiliate_of_client(
        client_id_of(request), origin_brand_id=origin_brand_id(origin_of(request))
    )


def _read(shape: type[serializers.Serializer[Any]], given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise ValidationError([ErrorDetail("Send a JSON object.", code="invalid")])
    serializer = shape(data=given)
    serializer.is_valid(raise_exception=True)
    return dict(serializer.validated_data)


def _claim_data(claim: MissingSaleClaim) -> dict[str, Any]:
    """What the affiliate typed and what they are told; never the order behind it."""
    return {
        "id": str(claim.pk),
        "status": claim.status,
        "order": claim.order_hint,
        "client_email": claim.client_hint,
        "ordered_on": claim.ordered_on,
        "note": claim.note,
        "answer": claim.answer.splitlines() or [WAITING],
        "created_at": claim.created_at,
    }
