"""/api/affiliate/commissions: amounts earned, their origin and state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from django.db.models import Case, F, PositiveIntegerField, QuerySet, Value, When
from moneyed import Money
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.adapter import get_adapter
from affiliates.api.serializers import MAX_ID, TextField, answer_of
from affiliates.commissions.messages import reason_for_affiliate
from affiliates.commissions.models import CommissionEvent, CommissionLine
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.selectors import with_taken_back
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    AmountField,
    MomentField,
    OrderingField,
    SpanQuerySerializer,
    affiliate_of,
    described,
)
from affiliates.contrib.area.api.lists import Listing, Query, Rows, one_of
from affiliates.contrib.area.api.numbers import NumberField, commissions_numbered
from affiliates.contrib.area.keys.rules import Scope
from affiliates.core.money import decimal_text, to_minor
from affiliates.plans.catalogue import catalogue_of
from affiliates.plans.rules.explanations import explain_receipt
from affiliates.program.models import Affiliate
from affiliates.referrals.models import MAX_REFERENCE

SALE, SHARE = "sale", "share"


class CommissionQuerySerializer(SpanQuerySerializer):
    """The days are those on which the invoice was paid."""

    ordering = OrderingField("-earned_at", "matures_at", "amount")
    status = serializers.ChoiceField(choices=CommissionStatus.choices, required=False)
    currency = TextField(required=False, max_length=3)
    order = TextField(
        required=False,
        max_length=MAX_REFERENCE,
        source="sale__order_referral__order_ref",
    )
    number = NumberField()
    payout = serializers.IntegerField(
        required=False, min_value=1, max_value=MAX_ID, source="payout_id"
    )


class CommissionDataSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    kind = serializers.SerializerMethodField(
        help_text="sale, or share: of the commission of an affiliate you recruited."
    )
    order = serializers.CharField(help_text="Empty of a share.")
    order_number = serializers.SerializerMethodField(
        help_text="That of its first invoice, or the order's reference. Empty of a share."
    )
    invoice = serializers.SerializerMethodField()
    renewal = serializers.IntegerField(
        help_text="0: the order's first invoice. Always 0 of a share."
    )
    position = serializers.IntegerField(
        help_text="What the plan counts it as: the renewal without the invoices of "
        "nothing before it. 0: the first invoice with an amount. Always 0 of a share."
    )
    status = serializers.CharField(
        help_text="pending, matured (waiting for approval), held, approved, paid, "
        "rejected or reversed."
    )
    reason = serializers.SerializerMethodField(help_text="Why it has this status.")
    sale_currency = serializers.CharField(allow_null=True, help_text="Null of a share.")
    sale_amount = serializers.SerializerMethodField(
        help_text="Of the invoice, after discount and before tax. Null of a share."
    )
    currency = serializers.CharField()
    amount = AmountField()
    taken_back = AmountField(help_text="By refunds: zero or below.")
    earned_at = MomentField(help_text="When the invoice was paid.")
    matures_at = MomentField(help_text="When its hold is over.")
    payout = serializers.IntegerField(source="payout_id", allow_null=True)

    def get_kind(self, row: Any) -> str:
        return SALE if row.share_of_id is None else SHARE

    def get_order_number(self, row: Any) -> str:
        return str(self.context["invoices"].get(row.first_invoice, row.order))

    def get_invoice(self, row: Any) -> str:
        return str(self.context["invoices"].get(row.invoice, row.invoice))

    def get_sale_amount(self, row: Any) -> str | None:
        if row.sale_currency is None:
            return None
        net = Money(row.sale_net, row.sale_currency)
        return decimal_text(to_minor(net), row.sale_currency)

    def get_reason(self, row: Any) -> str:
        return reason_for_affiliate(row.reason, row.reason_details)


class ReceiptLineSerializer(serializers.Serializer[Any]):
    """The commission of a line of the invoice, and its calculation."""

    position = serializers.IntegerField()
    product = serializers.CharField(source="receipt.line.product_ref")
    kind = serializers.CharField(source="receipt.line.kind")
    description = serializers.SerializerMethodField(
        help_text="If the brand masks its clients, whom a line may name: the product's "
        "name in the host's catalogue, or empty."
    )
    amount = serializers.SerializerMethodField()
    sentences = serializers.SerializerMethodField()

    def get_description(self, line: CommissionLine) -> str:
        if not self.context["is_masked"]:
            return line.description
        names: dict[str, str] = self.context["products"]
        return names.get(line.receipt["line"]["product_ref"], "")

    def get_amount(self, line: CommissionLine) -> str:
        return decimal_text(line.amount, self.context["currency"])

    def get_sentences(self, line: CommissionLine) -> list[str]:
        return list(explain_receipt(line.receipt))


class CommissionRefundSerializer(serializers.Serializer[Any]):
    kind = serializers.CharField(
        source="sale_reversal.fact.kind",
        help_text="refund or chargeback, or cancellation of either.",
    )
    refunded_at = MomentField(
        source="sale_reversal.fact.happened_at", help_text="Or when it was cancelled."
    )
    amount = serializers.SerializerMethodField(
        help_text="Zero or below; of a cancellation zero or above."
    )

    def get_amount(self, reversal: Any) -> str:
        return decimal_text(reversal.amount, self.context["currency"])


class CommissionStepSerializer(serializers.Serializer[Any]):
    at = MomentField()
    status = serializers.CharField(source="after")
    reason = serializers.SerializerMethodField()

    def get_reason(self, event: CommissionEvent) -> str:
        return reason_for_affiliate(event.reason, event.reason_details)


class CommissionDetailSerializer(CommissionDataSerializer):
    lines = ReceiptLineSerializer(many=True)
    refunds = CommissionRefundSerializer(many=True, source="reversals")
    steps = CommissionStepSerializer(many=True, source="events")


def _commission_rows(affiliate: Affiliate, query: Query) -> Rows:
    own = affiliate.commissions.all()
    if query.get("order"):
        # A recruiter must not learn which order a share came from.
        own = own.filter(share_of__isnull=True)
    return Rows(
        own=[own],
        shown=_commissions(affiliate),
        prepare=lambda rows: _invoices(affiliate, rows),
    )


def _commissions(affiliate: Affiliate) -> QuerySet[Any]:
    rows: Any = with_taken_back(affiliate.commissions.all())
    # Details of a sale are only for the affiliate who made it.
    first = Value(0, output_field=PositiveIntegerField())
    named: QuerySet[Any] = rows.annotate(
        order=_unless_share(F("sale__order_referral__order_ref"), Value("")),
        first_invoice=_unless_share(F("sale__order_referral__invoice_ref"), Value("")),
        invoice=_unless_share(F("sale__invoice_ref"), Value("")),
        renewal=_unless_share(F("sale__renewal_number"), first),
        sale_net=_unless_share(F("sale__net"), Value(None)),
        sale_currency=_unless_share(F("sale__net_currency"), Value(None)),
        position=_unless_share(F("sale__position"), first),
    )
    return named


def _unless_share(value: F, otherwise: Value) -> Case:
    return Case(When(share_of__isnull=False, then=otherwise), default=value)


def _invoices(affiliate: Affiliate, rows: Sequence[Any]) -> dict[str, Any]:
    """The invoices' numbers, for those that have one."""
    named = {ref for row in rows for ref in (row.invoice, row.first_invoice)}
    refs = named - {""}
    numbers = get_adapter().invoice_numbers(refs, brand_id=affiliate.brand_id)
    return {"invoices": numbers}


COMMISSIONS = Listing(
    name="commissions",
    rows=_commission_rows,
    shape=CommissionDataSerializer,
    query=CommissionQuerySerializer,
    moment="earned_at",
    numbered=commissions_numbered,
)


class CommissionViewSet(AffiliateViewSet):
    scopes: ClassVar = {"list": Scope.MONEY, "retrieve": Scope.MONEY}

    list = COMMISSIONS.view(
        "list_commissions",
        "What the affiliate earned, sale by sale",
        answer="Commissions",
        description=(
            "One row for each sale, renewals included, and for each share of a "
            "recruited affiliate's commission. The days are those on which the "
            "invoice was paid."
        ),
    )

    @described(
        "get_commission",
        "A commission with its receipt, refunds and steps",
        answer_of("Commission", CommissionDetailSerializer()),
        description=(
            "How each line of the invoice was computed, what refunds took back, "
            "and each step from pending to paid."
        ),
    )
    def retrieve(self, request: Request, commission_id: int) -> Response:
        data = commission_data(affiliate_of(request), commission_id)
        return Response({"data": data})


def commission_data(affiliate: Affiliate, commission_id: int) -> Any:
    """Raises NotFound for another affiliate's commission."""
    refunds = "reversals__sale_reversal"
    rows = _commissions(affiliate).prefetch_related(
        "lines", "events", f"{refunds}__refund", f"{refunds}__cancellation"
    )
    commission = one_of(commission_id, rows)
    context = {
        **_invoices(affiliate, [commission]),
        "currency": commission.currency,
        "is_masked": affiliate.brand.masks_clients,
        "products": catalogue_of(affiliate.brand_id).names,
    }
    return CommissionDetailSerializer(commission, context=context).data
