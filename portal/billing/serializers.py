from __future__ import annotations

from typing import Any

from rest_framework import serializers

from portal import gateways
from portal.api.schema import MoneySerializer
from portal.billing.models import BankTransfer, Invoice, InvoiceLine, InvoiceStatus
from portal.billing.payment_events import EventOutcome, PaymentEvent
from portal.billing.rules import AMOUNT, MAX_REFERENCE_LENGTH, NoticeType
from portal.clients.models import WalletEntry
from portal.orders.catalogue import BillingCycle, DomainOperation, ProductKind


class InvoiceLineSerializer(serializers.Serializer[InvoiceLine]):
    description = serializers.CharField()
    sku = serializers.CharField(source="product_ref")
    kind = serializers.ChoiceField(choices=ProductKind.choices)
    tld = serializers.CharField(help_text="Of a domain, else empty: com")
    operation = serializers.ChoiceField(
        choices=DomainOperation.choices,
        allow_blank=True,
        help_text="Of a domain, else empty.",
    )
    billing_cycle = serializers.ChoiceField(choices=BillingCycle.choices)
    quantity = serializers.IntegerField()
    unit_price = MoneySerializer()
    tax_rate = serializers.DecimalField(max_digits=5, decimal_places=2)
    discount = MoneySerializer()
    net = MoneySerializer()
    tax = MoneySerializer()


class BankTransferSerializer(serializers.Serializer[BankTransfer]):
    amount = MoneySerializer()
    reference = serializers.CharField(help_text="The invoice's number.")
    account = serializers.CharField(
        allow_blank=True, help_text="Empty where the operator has set none."
    )


class InvoiceDetailSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    number = serializers.CharField()
    order_id = serializers.UUIDField()
    renewal_number = serializers.IntegerField(
        help_text="0 for the order's initial invoice; renewals count from 1."
    )
    status = serializers.ChoiceField(choices=InvoiceStatus.choices)
    created_at = serializers.DateTimeField()
    paid_at = serializers.DateTimeField(allow_null=True)
    lines = InvoiceLineSerializer(many=True)
    discount = MoneySerializer()
    net = MoneySerializer()
    tax = MoneySerializer()
    total = MoneySerializer(source="gross")
    unpaid_amount = MoneySerializer()
    bank_transfer = BankTransferSerializer(
        allow_null=True, help_text="null once it is paid, and with a gateway."
    )
    payment_url = serializers.SerializerMethodField(
        help_text="Where to pay, relative to the service; null: nothing to do there."
    )

    def get_payment_url(self, invoice: Invoice) -> str | None:
        if invoice.status != InvoiceStatus.UNPAID:
            return None
        return gateways.payment_url(gateway=invoice.gateway, invoice_id=invoice.pk)


class PayWithCreditSerializer(serializers.Serializer[Any]):
    """The whole invoice is paid, or nothing: send ``{}``."""


class CreditEntrySerializer(serializers.Serializer[WalletEntry]):
    amount = MoneySerializer(source="money", help_text="Negative: spent.")
    reason = serializers.CharField()
    created_at = serializers.DateTimeField()


class AccountCreditSerializer(serializers.Serializer[Any]):
    balances = MoneySerializer(many=True, help_text="One for each currency.")
    entries = CreditEntrySerializer(many=True, help_text="The last 50, latest first.")


class NoticeSerializer(serializers.Serializer[Any]):
    """Described only: billing.rules reads the signed bytes themselves."""

    invoice_id = serializers.UUIDField()
    reference = serializers.CharField(max_length=MAX_REFERENCE_LENGTH)
    amount = serializers.RegexField(AMOUNT, help_text="A decimal string: 12.50")
    currency = serializers.CharField(help_text="ISO 4217 code: EUR")


class WebhookSerializer(serializers.Serializer[Any]):
    type = serializers.ChoiceField(choices=list(NoticeType))
    data = NoticeSerializer()  # type: ignore[assignment] # shadows DRF's own


class PaymentEventSerializer(serializers.Serializer[PaymentEvent]):
    event_id = serializers.CharField()
    outcome = serializers.ChoiceField(choices=EventOutcome.choices)
    failure = serializers.CharField(help_text="Empty unless rejected.")
