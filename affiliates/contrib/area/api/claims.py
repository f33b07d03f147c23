"""/api/affiliate/claims: affiliates claim missing sales and read the answers."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import UUID

from rest_framework import ISO_8601, serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle

from affiliates.api.http.idempotency import answered_once
from affiliates.api.http.requests import client_id_of, utc_now
from affiliates.api.http.throttles import EndpointThrottle
from affiliates.api.serializers import MAX_EMAIL, EmailField, TextField, answer_of, read
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    MomentField,
    OrderingField,
    SpanQuerySerializer,
    affiliate_of,
    described,
)
from affiliates.contrib.area.api.lists import Listing, Rows, one_of
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.claims.models import MAX_NOTE, MissingSaleClaim
from affiliates.contrib.claims.rules import ClaimStatus, Hints
from affiliates.contrib.claims.selectors import answers_to
from affiliates.contrib.claims.services import submit_claim
from affiliates.program.models import Affiliate
from affiliates.referrals.models import MAX_REFERENCE


class ClaimThrottle(EndpointThrottle):
    """Counts each client's claims from all addresses together."""

    counted_by = "of one client"

    def scope_of(self, view: Any) -> str:
        return "claim"

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
        required=False,
        allow_null=True,
        # Independent of the date formats of the host's own endpoints.
        input_formats=[ISO_8601],
        help_text="About when, as YYYY-MM-DD.",
    )
    note = TextField(required=False, allow_blank=True, max_length=MAX_NOTE)


class ClaimDataSerializer(serializers.Serializer[Any]):
    # The affiliate's text and the answer; never the order found.
    id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=ClaimStatus.choices)
    order = serializers.CharField(
        source="order_hint", help_text="As typed; empty where it was left out."
    )
    client_email = serializers.CharField(source="client_hint", help_text="As typed.")
    ordered_on = serializers.DateField(format=None, allow_null=True)
    note = serializers.CharField()
    answer = serializers.SerializerMethodField(help_text="Sentence by sentence.")
    created_at = MomentField()

    def get_answer(self, claim: MissingSaleClaim) -> list[str]:
        answers = self.context.get("answers") or answers_to([claim])
        return answers[claim.pk]


class ClaimQuerySerializer(SpanQuerySerializer):
    """The days are those of submission."""

    ordering = OrderingField("-created_at")
    status = serializers.ChoiceField(choices=ClaimStatus.choices, required=False)


CLAIMS = Listing(
    name="claims",
    rows=lambda affiliate, query: Rows(
        own=[affiliate.claims.select_related("referral")],
        prepare=lambda claims: {"answers": answers_to(claims)},
    ),
    shape=ClaimDataSerializer,
    query=ClaimQuerySerializer,
    size=20,
    moment="created_at",
)


class ClaimViewSet(AffiliateViewSet):
    scopes: ClassVar = {"list": Scope.CLAIMS, "create": Scope.CLAIMS}

    def get_throttles(self) -> list[BaseThrottle]:
        own: list[BaseThrottle] = [ClaimThrottle()] if self.action == "create" else []
        return [*super().get_throttles(), *own]

    @described(
        "submit_claim",
        "Claim a missing sale",
        answer_of("Claim", ClaimDataSerializer()),
        description=(
            "An order that the affiliate had a part in is answered at once. Anything "
            "else opens a case that staff answer; what it says is the same whether or "
            "not such an order exists. The same claim again is the same case."
        ),
        status=201,
        request=ClaimRequestSerializer,
    )
    @answered_once
    def create(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        fields = read(ClaimRequestSerializer, request.data)
        note = fields.pop("note", "")
        claim, _ = submit_claim(
            affiliate=affiliate, hints=Hints(**fields), note=note, now=utc_now()
        )
        return Response({"data": ClaimDataSerializer(claim).data}, status=201)

    list = CLAIMS.view(
        "list_claims",
        "The affiliate's own claims, newest first",
        answer="Claims",
        description="Each claim has its answer, once there is one.",
    )


def claim_data(affiliate: Affiliate, claim_id: UUID) -> Any:
    """Raises NotFound for another affiliate's claim."""
    return ClaimDataSerializer(one_of(claim_id, affiliate.claims.all())).data
