"""/api/affiliate/referrals and orders: referred clients, and the decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

from django.db.models import Count
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.adapter import get_adapter
from affiliates.api.descriptions import described_as
from affiliates.api.serializers import TextField, answer_of
from affiliates.contracts import ClientDetails
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    MomentField,
    OrderingField,
    SpanQuerySerializer,
    affiliate_of,
    described,
)
from affiliates.contrib.area.api.lists import Listing, Query, Rows, one_of
from affiliates.contrib.area.api.numbers import NumberField
from affiliates.contrib.area.api.order_commissions import (
    OrderCommissionSerializer,
    OrderSalesSerializer,
    commissions_of_orders,
    file_row,
    sales_of,
)
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.area.own_orders import orders_of_affiliate, with_credit
from affiliates.program.models import Affiliate
from affiliates.referrals.models import MAX_REFERENCE, ClientReferral, OrderReferral
from affiliates.referrals.rules.choices import Outcome
from affiliates.referrals.rules.identity import mask_email
from affiliates.referrals.rules.redaction import redact
from affiliates.sales.selectors import orders_numbered


class ReferredClientSerializer(serializers.Serializer[Any]):
    email = serializers.CharField(
        help_text="Such as a…@e….org, unless the brand shows its clients."
    )
    name = serializers.CharField(help_text="Empty unless the brand shows its clients.")


class _OfClientSerializer(serializers.Serializer[Any]):
    client = serializers.SerializerMethodField()

    @described_as(ReferredClientSerializer())
    def get_client(self, row: Any) -> dict[str, str]:
        details: Mapping[str, ClientDetails] = self.context["clients"]
        known = details.get(str(row.client_id), ClientDetails())
        if row.client_id in self.context["shown"]:
            return {"email": known.email, "name": known.name}
        return {"email": mask_email(known.email), "name": ""}


class ReferralQuerySerializer(SpanQuerySerializer):
    """The days are those of the client's registration."""

    ordering = OrderingField("-bound_at", "touched_at")


class ReferralDataSerializer(_OfClientSerializer):
    id = serializers.IntegerField()
    bound_at = MomentField(help_text="Since when the client is the affiliate's.")
    touched_at = MomentField(help_text="Of the click that brought the client.")
    step = serializers.CharField(help_text="register, guest or complete.")
    orders = serializers.SerializerMethodField(
        help_text="How many of the client's orders are credited to the affiliate."
    )

    def get_orders(self, row: ClientReferral) -> int:
        count: int = self.context["orders"].get(row.client_id, 0)
        return count


class CreditField(serializers.ChoiceField):
    """Converts to the value of ``is_credited``; all values mean no filter."""

    def __init__(self, **options: Any) -> None:
        super().__init__(choices=["credited", "lost", "all"], **options)

    def to_internal_value(self, data: Any) -> Any:
        asked = super().to_internal_value(data)
        if asked == "all":
            raise serializers.SkipField
        return asked == "credited"


class OrderQuerySerializer(SpanQuerySerializer):
    """The days are those of the orders."""

    ordering = OrderingField("-converted_at")
    order = TextField(required=False, source="order_ref", max_length=MAX_REFERENCE)
    number = NumberField()
    outcome = CreditField(
        required=False,
        source="is_credited",
        help_text="For the affiliate: lost is what it took part in and is not credited.",
    )


class OwnClickSerializer(serializers.Serializer[Any]):
    touched_at = MomentField()
    verdict = serializers.CharField(help_text="Stable and machine-readable.")
    sentence = serializers.CharField()


class ReadingSerializer(serializers.Serializer[Any]):
    summary = serializers.CharField()
    reason = serializers.CharField(
        help_text="Why it is not credited to the affiliate: the verdict on the click that "
        "came nearest. Empty where it is, or where nothing of theirs is known."
    )
    sentences = serializers.ListField(child=serializers.CharField())
    clicks = OwnClickSerializer(many=True)


class OrderDataSerializer(_OfClientSerializer):
    id = serializers.IntegerField()
    order = serializers.CharField(source="order_ref")
    number = serializers.SerializerMethodField(
        help_text="By which people know it: that of its first invoice, or its reference."
    )
    converted_at = MomentField()
    is_credited = serializers.BooleanField(help_text="To the caller.")
    is_held = serializers.SerializerMethodField(help_text="For review.")
    decision = serializers.SerializerMethodField(
        help_text="The affiliate's own part of it, and why."
    )
    sales = serializers.SerializerMethodField(
        help_text="Of the invoices paid for it, after discount and before tax, summed by "
        "currency. Empty where nothing is paid, or the order is not credited to the caller."
    )
    commissions = serializers.SerializerMethodField()

    def get_number(self, order: OrderReferral) -> str:
        return str(self.context["numbers"].get(order.invoice_ref, order.order_ref))

    def get_is_held(self, order: Any) -> bool:
        return bool(order.is_credited) and order.outcome == Outcome.HELD

    @described_as(ReadingSerializer())
    def get_decision(self, order: OrderReferral) -> Any:
        affiliate: Affiliate = self.context["affiliate"]
        reading = redact(
            order.decision, affiliate_id=affiliate.pk, zone=affiliate.zone()
        )
        return {
            "summary": reading.summary,
            "reason": reading.reason or "",
            "sentences": [click.sentence for click in reading.clicks],
            "clicks": [
                self._click.to_representation(click) for click in reading.clicks
            ],
        }

    @described_as(OrderSalesSerializer(many=True))
    def get_sales(self, order: OrderReferral) -> Any:
        return sales_of(self.context["commissions"][order.pk])

    @described_as(OrderCommissionSerializer(many=True))
    def get_commissions(self, order: OrderReferral) -> Any:
        return self.context["commissions"][order.pk]

    # One for all rows: creating one takes as long as serializing a row.
    @cached_property
    def _click(self) -> OwnClickSerializer:
        return OwnClickSerializer()


def _referrals(affiliate: Affiliate, query: Query) -> Rows:
    return Rows(
        own=[ClientReferral.objects.filter(affiliate=affiliate)],
        prepare=lambda rows: {
            **_clients(affiliate, rows),
            "orders": _credited(affiliate, rows),
        },
    )


def _orders(affiliate: Affiliate, query: Query) -> Rows:
    return Rows(
        own=orders_of_affiliate(affiliate),
        shown=with_credit(OrderReferral.objects.all(), affiliate),
        prepare=lambda rows: _context(affiliate, rows),
    )


def _clients(affiliate: Affiliate, rows: Sequence[Any]) -> dict[str, Any]:
    """``shown`` are unmasked clients: the affiliate's own, if the brand allows it.

    The client of a lost order stays masked, unless the affiliate referred the client.
    """
    ids = {row.client_id for row in rows}
    bound = ClientReferral.objects.filter(
        affiliate=affiliate, client__in=ids
    ).order_by()
    shown: set[Any] = set()
    if not affiliate.brand.masks_clients:
        shown = {row.client_id for row in rows if getattr(row, "is_credited", False)}
        shown.update(bound.values_list("client_id", flat=True))
    return {"clients": get_adapter().client_details(set(map(str, ids))), "shown": shown}


def _context(affiliate: Affiliate, orders: Sequence[OrderReferral]) -> dict[str, Any]:
    commissions, numbers = commissions_of_orders(affiliate, orders)
    return {
        **_clients(affiliate, orders),
        "affiliate": affiliate,
        "commissions": commissions,
        "numbers": numbers,
    }


def _credited(affiliate: Affiliate, rows: Sequence[ClientReferral]) -> dict[Any, int]:
    orders = OrderReferral.objects.filter(
        affiliate=affiliate, client__in=[row.client_id for row in rows]
    )
    counted = orders.order_by().values_list("client_id").annotate(Count("pk"))
    return dict(counted)


REFERRALS = Listing(
    name="referrals",
    rows=_referrals,
    shape=ReferralDataSerializer,
    query=ReferralQuerySerializer,
    moment="bound_at",
)
ORDERS = Listing(
    name="orders",
    rows=_orders,
    shape=OrderDataSerializer,
    query=OrderQuerySerializer,
    moment="converted_at",
    file_row=file_row,
    numbered=lambda affiliate, number: orders_numbered(
        number, brand_id=affiliate.brand_id
    ),
)


class ReferralViewSet(AffiliateViewSet):
    scopes: ClassVar = {"list": Scope.STATISTICS}

    list = REFERRALS.view(
        "list_referrals",
        "The clients that are the affiliate's since they registered",
        answer="Referrals",
        description=(
            "Later orders of these clients are credited by the brand's rules, "
            "also without a click. Names are masked unless the brand shows "
            "them."
        ),
    )


class OrderViewSet(AffiliateViewSet):
    scopes: ClassVar = {"list": Scope.STATISTICS, "retrieve": Scope.STATISTICS}

    list = ORDERS.view(
        "list_affiliate_orders",
        "Orders that the affiliate had a part in, each with the reason",
        answer="AffiliateOrders",
        description=(
            "Credited and lost orders. A lost order has its number, its time "
            "and the reason only."
        ),
    )

    @described(
        "get_affiliate_order",
        "One of these orders",
        answer_of("AffiliateOrder", OrderDataSerializer()),
        description=(
            "The verdict on each of the affiliate's clicks and coupons, and the "
            "commissions of the order."
        ),
    )
    def retrieve(self, request: Request, order_id: int) -> Response:
        return Response({"data": order_data(affiliate_of(request), order_id)})


def order_data(affiliate: Affiliate, order_id: int) -> Any:
    """Raises NotFound for another affiliate's order."""
    order = one_of(order_id, *orders_of_affiliate(affiliate))
    context = _context(affiliate, [order])
    return OrderDataSerializer(order, context=context).data
