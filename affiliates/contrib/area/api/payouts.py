"""An affiliate's own money: balances, destination, payouts."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, ClassVar

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.descriptions import described_as
from affiliates.api.http.idempotency import answered_once
from affiliates.api.http.requests import utc_now
from affiliates.api.serializers import TextField, answer_of, read
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    AmountField,
    GuardedSerializer,
    MomentField,
    OrderingField,
    SpanQuerySerializer,
    affiliate_of,
    described,
    read_guarded,
)
from affiliates.contrib.area.api.lists import (
    Listing,
    Rows,
    one_of,
)
from affiliates.contrib.area.keys.rules import Scope
from affiliates.core.money import decimal_text
from affiliates.errors import NotFound
from affiliates.payouts import selectors
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import DestinationKind, PayoutStatus
from affiliates.payouts.services.destinations import change_destination
from affiliates.payouts.services.requests import request_payout
from affiliates.payouts.statement_models import PayoutStatement
from affiliates.program.models import Affiliate


# A pattern, not an enumeration: a host's schema may have other fields named kind.
@described_as({"type": "string", "pattern": "^(wallet|paypal|bank|offline)$"})
class KindField(serializers.ChoiceField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=DestinationKind.choices, **kwargs)


class DestinationRequestSerializer(GuardedSerializer):
    """``kind`` decides which texts are required."""

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
    usable_from = MomentField(source="paid_from", help_text="From when it is paid to.")
    created_at = MomentField()


DESTINATION = answer_of(
    "Destination",
    DestinationDataSerializer(allow_null=True, help_text="Null: none was given yet."),
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
    requested_at = MomentField()
    finished_at = MomentField(allow_null=True)

    def get_reason(self, payout: Payout) -> str:
        has_ended = payout.status in (PayoutStatus.REJECTED, PayoutStatus.RETURNED)
        return payout.reason if has_ended else ""


class OfferSerializer(serializers.Serializer[Any]):
    currency = serializers.CharField()
    payable = AmountField()
    minimum = AmountField()
    destination = DestinationDataSerializer()
    open_payout = serializers.IntegerField(source="open_payout_id")
    refusal = serializers.CharField(source="refusal.code", default="")


class PayoutQuerySerializer(SpanQuerySerializer):
    """The days are those of the request."""

    ordering = OrderingField("-id", "requested_at", "finished_at", "amount")
    status = serializers.ChoiceField(choices=PayoutStatus.choices, required=False)
    currency = TextField(required=False, max_length=3)


class StatementLineSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="The invoice, or what else it is.")
    day = serializers.CharField(help_text="As YYYY-MM-DD, or empty.")
    amount = serializers.CharField(help_text="With its currency.")


class StatementSerializer(serializers.Serializer[Any]):
    number = serializers.CharField(source="name")
    kind = serializers.CharField(help_text="paid, or returned: it takes one back.")
    currency = serializers.CharField()
    amount = AmountField()
    issued_at = MomentField()
    issuer = serializers.CharField(source="document.issuer")
    tax_note = serializers.CharField(source="document.tax_note")
    lines = serializers.SerializerMethodField()

    @described_as(StatementLineSerializer(many=True))
    def get_lines(self, statement: PayoutStatement) -> list[dict[str, str]]:
        code = statement.currency
        return [
            {"name": name, "day": day, "amount": f"{decimal_text(amount, code)} {code}"}
            for name, day, amount in selectors.statement_amounts(statement)
        ]


class PayoutDetailSerializer(PayoutDataSerializer):
    statements = StatementSerializer(many=True)


PAYOUTS = Listing(
    name="payouts",
    rows=lambda affiliate, query: Rows(own=[_payouts(affiliate)]),
    shape=PayoutDataSerializer,
    query=PayoutQuerySerializer,
    moment="requested_at",
)


class PayoutDestinationViewSet(AffiliateViewSet):
    scopes: ClassVar = {"retrieve": Scope.MONEY}

    @described(
        "get_payout_destination", "Where the affiliate's payouts go", DESTINATION
    )
    def retrieve(self, request: Request) -> Response:
        return Response({"data": destination_data(affiliate_of(request))})

    @described(
        "change_payout_destination",
        "Say where payouts go from now on",
        DESTINATION,
        request=DestinationRequestSerializer,
    )
    def update(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        fields = read_guarded(DestinationRequestSerializer, request)
        destination = change_destination(
            affiliate_id=affiliate.pk,
            kind=DestinationKind(fields.pop("kind")),
            given=fields,
            now=utc_now(),
        )
        return Response({"data": DestinationDataSerializer(destination).data})


class PayoutViewSet(AffiliateViewSet):
    scopes: ClassVar = {
        "list": Scope.MONEY,
        "retrieve": Scope.MONEY,
        "create": Scope.PAYOUTS,
    }

    list = PAYOUTS.view(
        "list_payouts", "The affiliate's payouts, newest first", answer="Payouts"
    )

    @described(
        "get_payout",
        "A payout with its statements",
        answer_of("PayoutWhole", PayoutDetailSerializer()),
    )
    def retrieve(self, request: Request, payout_id: int) -> Response:
        return Response({"data": payout_data(affiliate_of(request), payout_id)})

    @described(
        "request_payout",
        "Ask for the whole payable balance of a currency",
        answer_of("Payout", PayoutDataSerializer()),
        status=201,
        request=PayoutRequestSerializer,
    )
    @answered_once
    def create(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        fields = read(PayoutRequestSerializer, request.data)
        payout = request_payout(
            affiliate_id=affiliate.pk, currency=fields["currency"], now=utc_now()
        )
        return Response({"data": PayoutDataSerializer(payout).data}, status=201)


def payout_data(affiliate: Affiliate, payout_id: int) -> Any:
    """Raises NotFound for another affiliate's payout."""
    return PayoutDetailSerializer(one_of(payout_id, _payouts(affiliate))).data


def destination_data(affiliate: Affiliate) -> Any:
    """None if no destination is set."""
    destination = selectors.current_destination(affiliate.pk)
    return destination and DestinationDataSerializer(destination).data


def statement_data(affiliate: Affiliate, payout_id: int, kind: str) -> dict[str, Any]:
    """All data printed on one. Raises NotFound for another affiliate's."""
    statement = PayoutStatement.objects.filter(
        payout__affiliate=affiliate, payout_id=payout_id, kind=kind
    ).first()
    if statement is None:
        raise NotFound
    lines = [
        {
            "name": name,
            "day": date.fromisoformat(day) if day else None,
            "amount": decimal_text(amount, statement.currency),
        }
        for name, day, amount in selectors.statement_amounts(statement)
    ]
    data = {**statement.document, **StatementSerializer(statement).data}
    return {
        **data,
        "paid_at": datetime.fromisoformat(data["paid_at"]),
        "lines": lines,
    }


def offer_data(affiliate: Affiliate, currency: str) -> Any:
    """A payout if requested now. Raises InvalidInput for an unknown currency."""
    return OfferSerializer(selectors.offer_of(affiliate, currency, now=utc_now())).data


def _payouts(affiliate: Affiliate) -> QuerySet[Payout]:
    return affiliate.payouts.select_related("destination__affiliate")
