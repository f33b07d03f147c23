"""What an affiliate asks about its own money: balances, destination, payouts."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.affiliate_views import (
    AffiliateViewSet,
    PageQuerySerializer,
    PageSerializer,
    affiliate_of,
    page_of,
)
from affiliates.api.http.requests import utc_now
from affiliates.api.http.schema import describe
from affiliates.api.http.shapes import answer_body
from affiliates.api.serializers import TextField, answer_of, read
from affiliates.core.money import decimal_text
from affiliates.payouts import selectors
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import DestinationKind, PayoutStatus
from affiliates.payouts.services.destinations import change_destination
from affiliates.payouts.services.requests import request_payout

PAYOUTS_ON_A_PAGE = 50


# A pattern and no enumeration: a host's schema has others that are called kind.
@extend_schema_field({"type": "string", "pattern": "^(wallet|paypal|bank|offline)$"})
class KindField(serializers.ChoiceField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=DestinationKind.choices(), **kwargs)


class AmountField(serializers.CharField):
    """A decimal number as text, of the row's minor units and currency."""

    def get_attribute(self, instance: Any) -> str:
        amount: Any = super().get_attribute(instance)
        return decimal_text(amount, instance.currency)


class DestinationRequestSerializer(serializers.Serializer[Any]):
    """Which of the texts are needed depends on ``kind``."""

    kind = KindField()
    email = TextField(
        required=False, allow_blank=True, help_text="PayPal: the account's address."
    )
    account_holder = TextField(
        required=False, allow_blank=True, help_text="Bank: at most 70 characters."
    )
    iban = TextField(required=False, allow_blank=True, help_text="Bank.")
    agreement = TextField(
        required=False,
        allow_blank=True,
        help_text="By agreement: what was agreed, at most 255 characters.",
    )


class DestinationDataSerializer(serializers.Serializer[Any]):
    kind = KindField()
    hint = serializers.CharField(help_text="Such as DE… 3000; the rest is never shown.")
    usable_from = serializers.DateTimeField(
        format=None, help_text="From when it is paid to."
    )
    created_at = serializers.DateTimeField(format=None)


DESTINATION = answer_of(
    "Destination",
    DestinationDataSerializer(allow_null=True, help_text="Null: none was given yet."),
)


class BalanceSerializer(serializers.Serializer[Any]):
    """Decimal numbers as text. ``payable`` is below zero after late refunds."""

    currency = serializers.CharField()
    pending = AmountField(help_text="Earned, the hold is not over.")
    held = AmountField(help_text="Being looked at.")
    payable = AmountField(help_text="What a payout would take.")
    being_paid = AmountField(help_text="In an open payout.")
    paid_out = AmountField()
    next_maturity_at = serializers.DateTimeField(
        source="next_maturity",
        format=None,
        allow_null=True,
        help_text="When the next hold is over.",
    )


class PayoutRequestSerializer(serializers.Serializer[Any]):
    currency = TextField(min_length=3, max_length=3, help_text="Such as EUR.")


class PayoutDataSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    currency = serializers.CharField()
    amount = AmountField()
    status = serializers.CharField(
        help_text="requested, approved, exported (being paid), paid, rejected or "
        "returned (paid, and sent back)."
    )
    reason = serializers.SerializerMethodField(
        help_text="Why it was rejected or returned, else empty."
    )
    reference = serializers.CharField(
        source="remote_ref", help_text="Of the payment, once it is paid."
    )
    destination = DestinationDataSerializer()
    requested_at = serializers.DateTimeField(format=None)
    finished_at = serializers.DateTimeField(format=None, allow_null=True)

    def get_reason(self, payout: Payout) -> str:
        has_ended = payout.status in (PayoutStatus.REJECTED, PayoutStatus.RETURNED)
        return payout.reason if has_ended else ""


class PayoutPageSerializer(PageSerializer):
    payouts = PayoutDataSerializer(many=True)


class BalancesViewSet(AffiliateViewSet):
    @describe(
        operation_id="list_balances",
        tags=["Affiliates"],
        summary="What the affiliate has in each currency",
        responses={200: answer_of("Balances", BalanceSerializer(many=True))},
    )
    def list(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        balances = selectors.balances(affiliate.pk)
        return Response(answer_body(BalanceSerializer(balances, many=True).data))


class PayoutDestinationViewSet(AffiliateViewSet):
    @describe(
        operation_id="get_payout_destination",
        tags=["Affiliates"],
        summary="Where the affiliate's payouts go",
        responses={200: DESTINATION},
    )
    def retrieve(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        destination = selectors.current_destination(affiliate.pk)
        data = destination and DestinationDataSerializer(destination).data
        return Response(answer_body(data))

    @describe(
        operation_id="change_payout_destination",
        tags=["Affiliates"],
        summary="Say where payouts go from now on",
        request=DestinationRequestSerializer,
        responses={200: DESTINATION},
    )
    def update(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        fields = read(DestinationRequestSerializer, request.data)
        destination = change_destination(
            affiliate_id=affiliate.pk,
            kind=DestinationKind(fields.pop("kind")),
            given=fields,
            now=utc_now(),
        )
        return Response(answer_body(DestinationDataSerializer(destination).data))


class PayoutViewSet(AffiliateViewSet):
    @describe(
        operation_id="list_payouts",
        tags=["Affiliates"],
        summary="The affiliate's payouts, newest first",
        parameters=[PageQuerySerializer],
        responses={200: answer_of("Payouts", PayoutPageSerializer())},
    )
    def list(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        rows = affiliate.payouts.select_related("destination").order_by("-pk")
        return page_of(
            request, rows, PayoutDataSerializer, name="payouts", size=PAYOUTS_ON_A_PAGE
        )

    @describe(
        operation_id="request_payout",
        tags=["Affiliates"],
        summary="Ask for the whole payable balance of a currency",
        request=PayoutRequestSerializer,
        responses={201: answer_of("Payout", PayoutDataSerializer())},
    )
    def create(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        fields = read(PayoutRequestSerializer, request.data)
        payout = request_payout(
            affiliate_id=affiliate.pk, currency=fields["currency"], now=utc_now()
        )
        return Response(answer_body(PayoutDataSerializer(payout).data), status=201)
