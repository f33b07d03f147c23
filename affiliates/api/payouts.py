"""What an affiliate asks about its own money: balances, destination, payouts."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from drf_spectacular.utils import (
    extend_schema,
    extend_schema_field,
    extend_schema_serializer,
)
from rest_framework import serializers, status
from rest_framework.exceptions import ErrorDetail, ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.viewsets import ViewSet

from affiliates.api.http.requests import client_id_of, origin_of, utc_now
from affiliates.api.http.throttles import AffiliateThrottle
from affiliates.api.serializers import TextField
from affiliates.brands.selectors import origin_brand_id
from affiliates.core.money import decimal_text
from affiliates.payouts import selectors
from affiliates.payouts.models import Payout, PayoutDestination
from affiliates.payouts.rules import DestinationKind, PayoutStatus
from affiliates.payouts.selectors import Balances
from affiliates.payouts.services.destinations import change_destination
from affiliates.payouts.services.requests import request_payout
from affiliates.program.models import Affiliate

PAYOUTS_ON_A_PAGE = 50
MAX_PAGE = 10_000


# A pattern and no enumeration: a host's schema has others that are called kind.
@extend_schema_field({"type": "string", "pattern": "^(wallet|paypal|bank|offline)$"})
class KindField(serializers.ChoiceField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=DestinationKind.choices(), **kwargs)


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
    usable_from = serializers.DateTimeField(help_text="From when it is paid to.")
    created_at = serializers.DateTimeField()


class DestinationSerializer(serializers.Serializer[Any]):
    data = DestinationDataSerializer(  # type: ignore[assignment]  # DRF's own property is .data
        allow_null=True, help_text="Null: none was given yet."
    )


class BalanceSerializer(serializers.Serializer[Any]):
    """Decimal numbers as text. ``payable`` is below zero after late refunds."""

    currency = serializers.CharField()
    pending = serializers.CharField(help_text="Earned, the hold is not over.")
    held = serializers.CharField(help_text="Being looked at.")
    payable = serializers.CharField(help_text="What a payout would take.")
    being_paid = serializers.CharField(help_text="In an open payout.")
    paid_out = serializers.CharField()
    next_maturity_at = serializers.DateTimeField(
        allow_null=True, help_text="When the next hold is over."
    )


@extend_schema_serializer(many=False)
class BalancesSerializer(serializers.Serializer[Any]):
    data = BalanceSerializer(many=True)  # type: ignore[assignment]


class PayoutRequestSerializer(serializers.Serializer[Any]):
    currency = TextField(min_length=3, max_length=3, help_text="Such as EUR.")


class PayoutDataSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    currency = serializers.CharField()
    amount = serializers.CharField()
    status = serializers.CharField(
        help_text="requested, approved, exported (being paid), paid or rejected."
    )
    reason = serializers.CharField(help_text="Why it was rejected, else empty.")
    reference = serializers.CharField(help_text="Of the payment, once it is paid.")
    destination = DestinationDataSerializer()
    requested_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)


class PayoutSerializer(serializers.Serializer[Any]):
    data = PayoutDataSerializer()  # type: ignore[assignment]


class PayoutPageSerializer(serializers.Serializer[Any]):
    payouts = PayoutDataSerializer(many=True)
    page = serializers.IntegerField(min_value=1)
    pages = serializers.IntegerField(min_value=1)


@extend_schema_serializer(many=False)
class PayoutsSerializer(serializers.Serializer[Any]):
    data = PayoutPageSerializer()  # type: ignore[assignment]


class PageField(serializers.IntegerField):
    """Digits and nothing else."""

    def to_internal_value(self, data: Any) -> int:
        if not (data.isascii() and data.isdigit()):
            self.fail("invalid")
        return super().to_internal_value(data)


class PageSerializer(serializers.Serializer[Any]):
    page = PageField(
        min_value=1, max_value=MAX_PAGE, default=1, help_text="Begins with 1."
    )


class AffiliateViewSet(ViewSet):
    permission_classes = (IsAuthenticated,)
    throttle_classes = (AffiliateThrottle,)


class BalancesViewSet(AffiliateViewSet):
    @extend_schema(
        operation_id="list_balances",
        tags=["Affiliates"],
        summary="What the affiliate has in each currency",
        responses={200: BalancesSerializer},
    )
    def list(self, request: Request) -> Response:
        affiliate = _affiliate_of(request)
        found = selectors.balances(affiliate.pk)
        return Response({"data": [_balance_data(one) for one in found]})


class PayoutDestinationViewSet(AffiliateViewSet):
    @extend_schema(
        operation_id="get_payout_destination",
        tags=["Affiliates"],
        summary="Where the affiliate's payouts go",
        responses={200: DestinationSerializer},
    )
    def retrieve(self, request: Request) -> Response:
        affiliate = _affiliate_of(request)
        destination = selectors.current_destination(affiliate.pk)
        return Response({"data": destination and _destination_data(destination)})

    @extend_schema(
        operation_id="change_payout_destination",
        tags=["Affiliates"],
        summary="Say where payouts go from now on",
        request=DestinationRequestSerializer,
        responses={200: DestinationSerializer},
    )
    def update(self, request: Request) -> Response:
        affiliate = _affiliate_of(request)
        fields = _read(DestinationRequestSerializer, request.data)
        destination = change_destination(
            affiliate_id=affiliate.pk,
            kind=DestinationKind(fields.pop("kind")),
            given=fields,
            now=utc_now(),
        )
        return Response({"data": _destination_data(destination)})


class PayoutViewSet(AffiliateViewSet):
    @extend_schema(
        operation_id="list_payouts",
        tags=["Affiliates"],
        summary="The affiliate's payouts, newest first",
        parameters=[PageSerializer],
        responses={200: PayoutsSerializer},
    )
    def list(self, request: Request) -> Response:
        affiliate = _affiliate_of(request)
        number = _read(PageSerializer, request.query_params.dict())["page"]
        payouts = affiliate.payouts.select_related("destination").order_by("-pk")
        pages = Paginator(payouts, PAYOUTS_ON_A_PAGE)
        rows = pages.page(number) if number <= pages.num_pages else ()
        return Response(
            {
                "data": {
                    "payouts": [_payout_data(row) for row in rows],
                    "page": number,
                    "pages": pages.num_pages,
                }
            }
        )

    @extend_schema(
        operation_id="request_payout",
        tags=["Affiliates"],
        summary="Ask for the whole payable balance of a currency",
        request=PayoutRequestSerializer,
        responses={201: PayoutSerializer},
    )
    def create(self, request: Request) -> Response:
        affiliate = _affiliate_of(request)
        fields = _read(PayoutRequestSerializer, request.data)
        payout = request_payout(
            affiliate_id=affiliate.pk, currency=fields["currency"], now=utc_now()
        )
        return Response({"data": _payout_data(payout)}, status=status.HTTP_201_CREATED)


def _affiliate_of(request: Request) -> Affiliate:
    return selectors.affiliate_of_client(
        client_id_of(request), origin_brand_id=origin_brand_id(origin_of(request))
    )


def _read(shape: type[serializers.Serializer[Any]], given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise ValidationError([ErrorDetail("Send a JSON object.", code="invalid")])
    serializer = shape(data=given)
    serializer.is_valid(raise_exception=True)
    fields: dict[str, Any] = serializer.validated_data
    return fields


def _balance_data(balances: Balances) -> dict[str, Any]:
    accounts = ("pending", "held", "payable", "being_paid", "paid_out")
    currency = balances.currency
    amounts = {
        name: decimal_text(getattr(balances, name), currency) for name in accounts
    }
    return {
        "currency": currency,
        **amounts,
        "next_maturity_at": balances.next_maturity,
    }


def _destination_data(destination: PayoutDestination) -> dict[str, Any]:
    return {
        "kind": destination.kind,
        "hint": destination.hint,
        "usable_from": destination.usable_from,
        "created_at": destination.created_at,
    }


def _payout_data(payout: Payout) -> dict[str, Any]:
    is_rejected = payout.status == PayoutStatus.REJECTED
    return {
        "id": payout.pk,
        "currency": payout.currency,
        "amount": decimal_text(payout.amount, payout.currency),
        "status": payout.status,
        "reason": payout.reason if is_rejected else "",
        "reference": payout.remote_ref,
        "destination": _destination_data(payout.destination),
        "requested_at": payout.requested_at,
        "finished_at": payout.finished_at,
    }
