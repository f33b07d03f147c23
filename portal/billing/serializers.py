from __future__ import annotations

from typing import Any

from rest_framework import serializers

from portal.billing.models import (
    EventOutcome,
    Invoice,
    InvoiceLine,
    InvoiceStatus,
    PaymentEvent,
)
from portal.billing.rules import AMOUNT, MAX_REFERENCE_LENGTH, NoticeType
from portal.billing.selectors import payment_url_of
from portal.orders.models import BillingCycle, ProductKind
from portal.schema import MoneySerializer


class InvoiceLineSerializer(serializers.Serializer[InvoiceLine]):
    description = serializers.CharField()
    sku = serializers.CharField(source="product_ref")
    kind = serializers.ChoiceField(choices=ProductKind.choices)
    billing_cycle = serializers.ChoiceField(choices=BillingCycle.choices)
    quantity = serializers.IntegerField()
    unit_price = MoneySerializer()
    tax_rate = serializers.DecimalField(max_digits=5, decimal_places=2)
    net = MoneySerializer()
    tax = MoneySerializer()


class InvoiceDetailSerializer(serializers.Serializer[Invoice]):
    id = serializers.UUIDField()
    number = serializers.CharField()
    order_id = serializers.UUIDField()
    status = serializers.ChoiceField(choices=InvoiceStatus.choices)
    created_at = serializers.DateTimeField()
    paid_at = serializers.DateTimeField(allow_null=True)
    lines = InvoiceLineSerializer(many=True)
    net = MoneySerializer()
    tax = MoneySerializer()
    total = MoneySerializer(source="gross")
    payment_url = serializers.SerializerMethodField(
        help_text="Where to pay, relative to the service; null: nothing to do there."
    )

    def get_payment_url(self, invoice: Invoice) -> str | None:
        return payment_url_of(invoice)


class NoticeSerializer(serializers.Serializer[Any]):
    """Described only: billing.rules reads the signed bytes themselves."""

    invoice_id = serializers.UUIDField()
    reference = serializers.CharField(max_length=MAX_REFERENCE_LENGTH)
    amount = serializers.RegexField(AMOUNT, help_text="A decimal string: 12.50")
    currency = serializers.CharField(help_text="ISO 4217 code: EUR")


class WebhookSerializer(serializers.Serializer[Any]):
    type = serializers.ChoiceField(choices=[member.value for member in NoticeType])
    data = NoticeSerializer()  # type: ignore[assignment] # shadows DRF's own


class PaymentEventSerializer(serializers.Serializer[PaymentEvent]):
    event_id = serializers.CharField()
    outcome = serializers.ChoiceField(choices=EventOutcome.choices)
    failure = serializers.CharField(help_text="Empty unless rejected.")
