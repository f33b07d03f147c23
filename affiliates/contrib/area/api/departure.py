"""/api/affiliate/departure: what leaving the program means, and leaving it."""

from __future__ import annotations

from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.http.requests import utc_now
from affiliates.api.serializers import answer_of
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    AmountField,
    GuardedSerializer,
    MomentField,
    affiliate_of,
    described,
    read_guarded,
)
from affiliates.contrib.area.keys.rules import Scope
from affiliates.membership.departures import leave
from affiliates.membership.selectors import leaving_of
from affiliates.program.models import Affiliate


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
    )
    def retrieve(self, request: Request) -> Response:
        return Response({"data": departure_data(affiliate_of(request))})

    @described(
        "leave_program",
        "Leave the program; a repeat changes nothing",
        DEPARTURE,
        request=DepartureRequestSerializer,
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
