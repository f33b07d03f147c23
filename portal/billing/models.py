"""Invoices, and the money that came in and went back. Rows are added, never edited."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from functools import partial

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from djmoney.models.fields import MoneyField
from moneyed import Money

from affiliates.extending import Record
from portal import gateways
from portal.billing.rules import MAX_REFERENCE_LENGTH
from portal.ids import new_id
from portal.money import DECIMAL_PLACES, MAX_DIGITS, sum_money
from portal.orders.catalogue import (
    MAX_TLD_LENGTH,
    BillingCycle,
    DomainOperation,
    ProductKind,
)
from portal.orders.models import MAX_GATEWAY_LENGTH

# SQLite adds decimals as binary fractions.
ROUNDING_ERROR = Decimal("0.0005")

# The amounts of a row share its one currency, unless it has one amount alone.
money_field = partial(
    MoneyField,
    max_digits=MAX_DIGITS,
    decimal_places=DECIMAL_PLACES,
    default_currency=None,
    currency_choices=(),
    currency_field_name="currency",
)


class InvoiceStatus(models.TextChoices):
    UNPAID = "unpaid", "Unpaid"
    PAID = "paid", "Paid"
    PARTLY_REFUNDED = "partly_refunded", "Partly refunded"
    REFUNDED = "refunded", "Refunded"


class RefundKind(models.TextChoices):
    REFUND = "refund", "Refund"
    CHARGEBACK = "chargeback", "Chargeback"


@dataclass(frozen=True, slots=True, kw_only=True)
class BankTransfer:
    """A transfer expected from a client. ``account`` is empty if none is set."""

    amount: Money
    reference: str
    account: str


class InvoiceCounter(Record):
    """The last invoice number of a brand; see invoicing.next_invoice_number."""

    brand = models.OneToOneField(
        "affiliates.Brand",
        on_delete=models.PROTECT,
        primary_key=True,
        related_name="+",
    )
    last_number = models.PositiveBigIntegerField()

    def __str__(self) -> str:
        return f"{self.brand_id}: {self.last_number}"


class Invoice(Record):
    """The initial invoice of an order, or a renewal. Amounts share one currency."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    number = models.CharField(max_length=32)
    brand = models.ForeignKey(
        "affiliates.Brand", on_delete=models.PROTECT, related_name="+"
    )
    client = models.ForeignKey(
        "portal.User", on_delete=models.PROTECT, related_name="+"
    )
    order = models.ForeignKey(
        "portal.Order", on_delete=models.PROTECT, related_name="invoices"
    )
    renewal_number = models.PositiveIntegerField(
        default=0, help_text="0 for the order's initial invoice; renewals count from 1."
    )
    renews_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When what follows it falls due.",
    )
    payment_details = models.ForeignKey(
        "portal.PaymentDetails", on_delete=models.PROTECT, related_name="+"
    )
    gateway = models.CharField(
        max_length=MAX_GATEWAY_LENGTH, help_text="That of the payment details."
    )
    status = models.CharField(
        max_length=20, choices=InvoiceStatus.choices, default=InvoiceStatus.UNPAID
    )
    net = money_field()
    tax = money_field()
    gross = money_field()
    refunded_amount = models.DecimalField(
        "refunded", max_digits=MAX_DIGITS, decimal_places=DECIMAL_PLACES, default=0
    )
    created_at = models.DateTimeField()
    paid_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]
        permissions = [
            ("mark_paid_invoice", "Can mark an invoice paid"),
            ("refund_invoice", "Can refund an invoice"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "number"], name="invoice_number_is_unique_per_brand"
            ),
            models.UniqueConstraint(
                fields=["order", "renewal_number"], name="order_is_renewed_one_by_one"
            ),
            models.CheckConstraint(
                condition=Q(
                    net__gte=0,
                    tax__gte=0,
                    gross__gt=F("net") + F("tax") - ROUNDING_ERROR,
                    gross__lt=F("net") + F("tax") + ROUNDING_ERROR,
                ),
                name="invoice_gross_is_net_plus_tax",
            ),
            models.CheckConstraint(
                condition=Q(
                    refunded_amount__gte=0,
                    refunded_amount__lt=F("gross") + ROUNDING_ERROR,
                ),
                name="invoice_is_refunded_at_most_whole",
            ),
            models.CheckConstraint(
                condition=Q(status=InvoiceStatus.UNPAID, paid_at=None)
                | (~Q(status=InvoiceStatus.UNPAID) & Q(paid_at__isnull=False)),
                name="only_paid_invoices_have_a_payment_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["renews_at"],
                condition=Q(renews_at__isnull=False),
                name="invoice_renewals_due",
            ),
            models.Index(fields=["number"], name="invoice_by_number"),
            models.Index(fields=["created_at", "id"], name="invoice_by_time"),
            models.Index(fields=["status", "created_at"], name="invoice_by_status"),
            models.Index(fields=["gateway", "created_at"], name="invoice_by_gateway"),
        ]

    def __str__(self) -> str:
        return self.number

    @property
    def unpaid_amount(self) -> Money:
        """All of it or nothing: an invoice is paid by one payment."""
        is_unpaid = self.status == InvoiceStatus.UNPAID
        unpaid: Money = self.gross if is_unpaid else self.gross * 0
        return unpaid

    @property
    def refunded(self) -> Money:
        # Of the columns' own kind, which is written as they are.
        refunded: Money = type(self.gross)(self.refunded_amount, self.gross.currency)
        return refunded

    @property
    def bank_transfer(self) -> BankTransfer | None:
        """None once the invoice is paid, and where a gateway takes the payment."""
        if self.gateway != gateways.MANUAL or self.status != InvoiceStatus.UNPAID:
            return None
        return BankTransfer(
            amount=self.unpaid_amount,
            reference=self.number,
            account=settings.BANK_ACCOUNT,
        )

    @property
    def discount(self) -> Money:
        discounts = (line.discount for line in self.lines.all())
        return sum_money(discounts, currency=self.net.currency)


class InvoiceLine(Record):
    """A sold product, as it was at the time of sale."""

    invoice = models.ForeignKey(Invoice, on_delete=models.PROTECT, related_name="lines")
    position = models.PositiveSmallIntegerField()
    description = models.CharField(max_length=100)
    product_ref = models.CharField("SKU", max_length=64)
    kind = models.CharField(max_length=10, choices=ProductKind.choices)
    tld = models.CharField("TLD", max_length=MAX_TLD_LENGTH, blank=True)
    operation = models.CharField(
        max_length=10, choices=DomainOperation.choices, blank=True
    )
    billing_cycle = models.CharField(max_length=10, choices=BillingCycle.choices)
    quantity = models.PositiveSmallIntegerField()
    unit_price = money_field()
    tax_rate = models.DecimalField(max_digits=5, decimal_places=2)
    discount_amount = models.DecimalField(
        "discount",
        max_digits=MAX_DIGITS,
        decimal_places=DECIMAL_PLACES,
        default=0,
        help_text="Taken off the price: net is what is left.",
    )
    net = money_field()
    tax = money_field()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["invoice", "position"], name="invoice_lines_have_an_order"
            ),
            models.CheckConstraint(
                condition=Q(discount_amount__gte=0, net__gte=0),
                name="invoice_line_discount_is_within_its_price",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.quantity} x {self.description}"

    @property
    def discount(self) -> Money:
        # Of the columns' own kind, which is written as they are.
        discount: Money = type(self.net)(self.discount_amount, self.net.currency)
        return discount


class Payment(Record):
    """The one payment of an invoice, in full."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    invoice = models.OneToOneField(
        Invoice, on_delete=models.PROTECT, related_name="payment"
    )
    gateway = models.CharField(max_length=MAX_GATEWAY_LENGTH)
    reference = models.CharField(
        max_length=MAX_REFERENCE_LENGTH, help_text="The gateway's own."
    )
    amount = money_field(currency_field_name=None)
    received_at = models.DateTimeField()

    class Meta:
        ordering = ["-received_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["gateway", "reference"], name="gateway_payment_is_recorded_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.gateway} {self.reference}"


class Refund(Record):
    """Money that went back to the client. The amount is positive."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    invoice = models.ForeignKey(
        Invoice, on_delete=models.PROTECT, related_name="refunds"
    )
    gateway = models.CharField(max_length=MAX_GATEWAY_LENGTH)
    reference = models.CharField(max_length=MAX_REFERENCE_LENGTH)
    kind = models.CharField(max_length=10, choices=RefundKind.choices)
    amount = money_field(currency_field_name=None)
    refunded_at = models.DateTimeField()

    class Meta:
        ordering = ["-refunded_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["gateway", "reference"], name="gateway_refund_is_recorded_once"
            ),
            models.CheckConstraint(
                condition=Q(amount__gt=0), name="refund_amount_is_above_zero"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.gateway} {self.reference}"
