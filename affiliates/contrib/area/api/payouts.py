"""An affiliate's own money: balances, destination, payouts."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.descriptions import described_as
from affiliates.api.http.idempotency import answered_once
from affiliates.api.http.requests import utc_now
from affiliates.api.serializers import TextField, answer_of, read
from affiliates.contrib.area.api.account.statements import (
    PDF,
    StatementSerializer,
    pdf_answer,
    statement_of,
)
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
    wants,
)
from affiliates.contrib.area.keys.rules import Scope
from affiliates.core.money import decimal_text
from affiliates.payouts import selectors
from affiliates.payouts.models import Payout
from affiliates.payouts.providers.registry import PROVIDERS
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.services.destinations import change_destination
from affiliates.payouts.services.requests import request_payout
from affiliates.program.models import Affiliate


# A pattern, not an enumeration: a host's schema may have other fields named kind.
@described_as({"type": "string", "pattern": "^[a-z][a-z_]{0,19}$"})
class KindField(TextField):
    """The code of a provider: wallet, paypal, bank, offline, or one of an app."""

    default_error_messages: ClassVar = {
        "invalid_choice": serializers.ChoiceField.default_error_messages[
            "invalid_choice"
        ]
    }

    def to_internal_value(self, data: Any) -> str:
        code = super().to_internal_value(data)
        if code not in PROVIDERS:
            self.fail("invalid_choice", input=code)
        return code


class DestinationRequestSerializer(GuardedSerializer):
    """``kind`` decides which texts are required."""

    kind = KindField()

    def get_fields(self) -> dict[str, serializers.Field[Any, Any, Any, Any]]:
        details: dict[str, serializers.Field[Any, Any, Any, Any]] = {}
        labels: dict[str, list[str]] = {}
        for provider in PROVIDERS.values():
            for field in provider.fields:
                needed_by = labels.setdefault(field.name, [])
                needed_by.append(str(provider.label))
                details[field.name] = TextField(
                    required=False,
                    allow_blank=True,
                    help_text=f"{', '.join(needed_by)}: at most {field.most} characters.",
                )
        return {**super().get_fields(), **details}


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
    received_amount = serializers.SerializerMethodField(
        help_text="What arrived in another currency, as the provider states it. Null: "
        "nothing was converted."
    )
    received_currency = serializers.CharField(help_text="Of that amount, else empty.")
    destination = DestinationDataSerializer()
    requested_at = MomentField()
    finished_at = MomentField(allow_null=True)

    def get_received_amount(self, payout: Payout) -> str | None:
        if payout.received_amount is None:
            return None
        return decimal_text(payout.received_amount, payout.received_currency)

    def get_reason(self, payout: Payout) -> str:
        has_ended = payout.status in (PayoutStatus.REJECTED, PayoutStatus.RETURNED)
        return payout.reason if has_ended else ""


class NextPayoutSerializer(serializers.Serializer[Any]):
    """Whether a payout of this balance can be requested now."""

    refusal = serializers.CharField(
        source="refusal.code",
        default="",
        help_text="Empty: a request is accepted. Else the code that it is refused with.",
    )
    minimum = AmountField(help_text="Paid out at least.")
    missing = AmountField(help_text="How much more must be payable for the minimum.")
    open_payout = serializers.IntegerField(
        source="open_payout_id", allow_null=True, help_text="The payout under way."
    )
    usable_from = MomentField(
        source="destination.paid_from",
        default=None,
        allow_null=True,
        help_text="From when the destination is paid to. Null: there is none.",
    )
    kinds = serializers.ListField(
        child=KindField(), help_text="The kinds of destination that take the currency."
    )


class OfferSerializer(NextPayoutSerializer):
    currency = serializers.CharField()
    payable = AmountField()
    destination = DestinationDataSerializer()


class PayoutQuerySerializer(SpanQuerySerializer):
    """The days are those of the request."""

    ordering = OrderingField("-id", "requested_at", "finished_at", "amount")
    status = serializers.ChoiceField(choices=PayoutStatus.choices, required=False)
    currency = TextField(required=False, max_length=3)


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
        "get_payout_destination",
        "Where the affiliate's payouts go",
        DESTINATION,
        description=(
            "Only a hint of the account, such as its last digits. Null where "
            "none is set."
        ),
    )
    def retrieve(self, request: Request) -> Response:
        return Response({"data": destination_data(affiliate_of(request))})

    @described(
        "change_payout_destination",
        "Say where payouts go from now on",
        DESTINATION,
        request=DestinationRequestSerializer,
        description=(
            "A change is announced by e-mail. Payouts wait for the brand's cool-off, "
            "usually seven days."
        ),
    )
    def update(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        fields = read_guarded(DestinationRequestSerializer, request)
        destination = change_destination(
            affiliate_id=affiliate.pk,
            kind=fields.pop("kind"),
            values=fields,
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
        "list_payouts",
        "The affiliate's payouts, newest first",
        answer="Payouts",
        description="One row for each payout of one currency, with its status.",
    )

    @described(
        "get_payout",
        "A payout with its statements",
        answer_of("PayoutWhole", PayoutDetailSerializer()),
        description=(
            "The statements with their numbers and the commission of each line. The "
            "newest of them as PDF, where Accept is application/pdf: 409 "
            "no_statement_pdf names what is not installed."
        ),
    )
    def retrieve(self, request: Request, payout_id: int) -> HttpResponseBase:
        if wants(request, PDF):
            return pdf_answer(statement_of(affiliate_of(request), payout_id))
        return Response({"data": payout_data(affiliate_of(request), payout_id)})

    @described(
        "request_payout",
        "Ask for the whole payable balance of a currency",
        answer_of("Payout", PayoutDataSerializer()),
        status=201,
        request=PayoutRequestSerializer,
        description=(
            "409 where a payout is open already or the balance is below the "
            "minimum; the refusal names the reason."
        ),
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


def offer_data(affiliate: Affiliate, currency: str) -> Any:
    """A payout if requested now. Raises InvalidInput for an unknown currency."""
    return OfferSerializer(selectors.offer_of(affiliate, currency, now=utc_now())).data


def _payouts(affiliate: Affiliate) -> QuerySet[Payout]:
    return affiliate.payouts.select_related("destination__affiliate")
