"""/api/affiliate/profile, apply and departure: who is an affiliate, and until when."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.adapter import get_adapter
from affiliates.api.http.requests import client_id_of, origin_of, utc_now
from affiliates.api.serializers import IdField, TextField, answer_of, read
from affiliates.brands.selectors import origin_brand_id
from affiliates.contracts import Client
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    AmountField,
    GuardedSerializer,
    MomentField,
    affiliate_of,
    described,
    profile_of,
    read_guarded,
)
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.recruitment.rules import Given
from affiliates.contrib.recruitment.selectors import (
    current_terms,
    questions_of,
    rates_of_newcomers,
)
from affiliates.contrib.recruitment.services.applications import apply_as_client
from affiliates.contrib.recruitment.services.enrolling import site_with_area
from affiliates.errors import NotFound
from affiliates.membership.departures import leave
from affiliates.membership.selectors import leaving_of
from affiliates.program.models import Affiliate
from affiliates.program.services import choose_time_zone


class ApplicationSerializer(serializers.Serializer[Any]):
    code = TextField(
        required=False,
        allow_blank=True,
        max_length=32,
        help_text="The wish for a short name in links; without one it is made up.",
    )
    by = TextField(
        required=False,
        allow_blank=True,
        help_text="The code of the affiliate whose address the caller came by: it is the "
        "recruiter while it is active; any other is ignored.",
    )
    answers = serializers.DictField(
        child=TextField(allow_blank=True),
        required=False,
        help_text="Of each question, by its id.",
    )
    terms = IdField(
        required=False, help_text="The number of the terms, which are accepted by it."
    )


class QuestionSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    text = serializers.CharField()
    is_required = serializers.BooleanField()


class TermsSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField()
    text = serializers.CharField(source="own_text")


class ProgramDataSerializer(serializers.Serializer[Any]):
    rates = serializers.ListField(
        child=serializers.CharField(), help_text="What newcomers earn, in words."
    )
    questions = QuestionSerializer(many=True)
    terms = TermsSerializer(allow_null=True)


class ProfileDataSerializer(serializers.Serializer[Any]):
    code = serializers.CharField(help_text="The short name in links.")
    status = serializers.CharField(
        help_text="pending (waiting for approval), active, suspended or left."
    )
    brand = serializers.CharField(source="brand.name")
    address = serializers.CharField(
        source="url", allow_null=True, help_text="The link with the code."
    )
    time_zone = serializers.CharField(
        source="brand.zone", help_text="Of the days in statistics and filters."
    )
    own_time_zone = serializers.CharField(
        source="time_zone",
        help_text="Of the times on pages and in e-mails; empty: the one of the days.",
    )
    window_days = serializers.IntegerField(
        source="brand.attribution_window_days",
        help_text="An older click earns nothing.",
    )
    cookie_days = serializers.IntegerField(source="brand.cookie_lifetime_days")
    created_at = MomentField()


class ProfileChangeSerializer(serializers.Serializer[Any]):
    own_time_zone = TextField(
        allow_blank=True, help_text="Such as Europe/Berlin; empty: the brand's."
    )


PROFILE = answer_of("Profile", ProfileDataSerializer())
PROGRAM = answer_of("Program", ProgramDataSerializer())


class ProfileViewSet(AffiliateViewSet):
    scopes: ClassVar = {"retrieve": Scope.STATISTICS}

    @described(
        "get_affiliate_profile",
        "The caller's own affiliate account; 404 where it has none",
        PROFILE,
        description=(
            "Code, status, the link with the code and the brand's time zone. A "
            "client who never applied gets 404 `not_enrolled`."
        ),
    )
    def retrieve(self, request: Request) -> Response:
        return Response({"data": ProfileDataSerializer(profile_of(request)).data})

    @described(
        "change_affiliate_profile",
        "Choose the time zone that times are read in",
        PROFILE,
        request=ProfileChangeSerializer,
        description="The time zone of pages and e-mails. Times of the API stay in UTC.",
    )
    def partial_update(self, request: Request) -> Response:
        fields = read(ProfileChangeSerializer, request.data)
        affiliate = choose_time_zone(
            affiliate_id=profile_of(request).pk, name=fields["own_time_zone"]
        )
        return Response({"data": ProfileDataSerializer(affiliate).data})


class ApplicationViewSet(AffiliateViewSet):
    @described(
        "get_affiliate_program",
        "What applicants earn, are asked and accept",
        PROGRAM,
        description=(
            "What to show before an application: the rates in words, the "
            "questions, and the terms to accept."
        ),
    )
    def retrieve(self, request: Request) -> Response:
        brand_id = _client_of(request).brand_id
        program = {
            "rates": rates_of_newcomers(brand_id, at=utc_now()),
            "questions": questions_of(brand_id),
            "terms": current_terms(brand_id),
        }
        return Response({"data": ProgramDataSerializer(program).data})

    @described(
        "apply_as_affiliate",
        "Become an affiliate, once approved; 409 where the caller is one",
        PROFILE,
        status=201,
        request=ApplicationSerializer,
        description=(
            "The application waits for approval unless the brand approves by "
            "itself. Answers are given by the question's id, and the terms by "
            "their number."
        ),
    )
    def create(self, request: Request) -> Response:
        fields = read(ApplicationSerializer, request.data)
        client = _client_of(request)
        affiliate = apply_as_client(
            client,
            Given(**fields),
            site=site_with_area(client.brand_id),
            now=utc_now(),
        )
        return Response({"data": ProfileDataSerializer(affiliate).data}, status=201)


def _client_of(request: Request) -> Client:
    client = get_adapter().get_client(client_id_of(request))
    brand_id = origin_brand_id(origin_of(request))
    if client is None or brand_id not in (None, client.brand_id):
        raise NotFound
    return client


class DepartureRequestSerializer(GuardedSerializer):
    gives_up_balance = serializers.BooleanField(
        help_text="True: no balance is paid out. Commissions in their hold are deducted "
        "when they become payable.",
    )


class BalanceOnLeavingSerializer(serializers.Serializer[Any]):
    """Decimal numbers as text."""

    currency = serializers.CharField(source="unpaid.currency")
    pending = AmountField(source="unpaid.pending", help_text="Its hold is not over.")
    held = AmountField(source="unpaid.held", help_text="Being looked at.")
    payable = AmountField(source="unpaid.payable", help_text="Below zero: a debt.")
    being_paid = AmountField(source="unpaid.being_paid", help_text="In an open payout.")
    total = AmountField(
        source="unpaid.total", help_text="Besides what is in an open payout."
    )
    minimum = AmountField(source="unpaid.minimum", help_text="Usually paid at least.")
    end = serializers.CharField(
        help_text="paid, given_up, forfeited (below the minimum), owed (a debt) or "
        "nothing."
    )
    matures_at = MomentField(
        source="unpaid.matures", allow_null=True, help_text="When the last hold ends."
    )


class DepartureDataSerializer(serializers.Serializer[Any]):
    left_at = MomentField(allow_null=True, help_text="Null: it has not left.")
    refusal = serializers.CharField(
        help_text="The code of why it cannot leave now, else empty."
    )
    balances = BalanceOnLeavingSerializer(many=True)


DEPARTURE = answer_of("Departure", DepartureDataSerializer())


class DepartureViewSet(AffiliateViewSet):
    """Accepts a key for reading only: leaving needs the client."""

    scopes: ClassVar = {"retrieve": Scope.MONEY}

    @described(
        "get_departure",
        "What becomes of each balance if the affiliate leaves",
        DEPARTURE,
        description=(
            "What is paid and what is forfeited, for each currency; after "
            "leaving, what became of it."
        ),
    )
    def retrieve(self, request: Request) -> Response:
        return Response({"data": departure_data(affiliate_of(request))})

    @described(
        "leave_program",
        "Leave the program; a repeat changes nothing",
        DEPARTURE,
        request=DepartureRequestSerializer,
        description=(
            "The account earns nothing from then on. Balances are still paid as the "
            "answer says, unless they are given up."
        ),
    )
    def create(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        fields = read_guarded(DepartureRequestSerializer, request)
        leave(
            affiliate_id=affiliate.pk,
            gives_up=fields["gives_up_balance"],
            now=utc_now(),
        )
        affiliate.refresh_from_db(fields=["status"])
        return Response({"data": departure_data(affiliate)})


def departure_data(affiliate: Affiliate, *, gives_up: bool = False) -> Any:
    """After it has left, what becomes of what is not settled yet."""
    leaving = leaving_of(affiliate, gives_up=gives_up)
    departure = leaving.departure
    return DepartureDataSerializer(
        {
            "left_at": departure and departure.left_at,
            "refusal": leaving.refusal.code if leaving.refusal else "",
            "balances": leaving.balances,
        }
    ).data
