"""What was paid and refunded, and the sales it makes. Rows are added, never edited."""

from __future__ import annotations

from functools import partial

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from djmoney.models.fields import MoneyField
from moneyed import Money

from affiliates.brands.models.brand import Brand
from affiliates.contracts import RefundKind
from affiliates.program.models import Affiliate
from affiliates.records import Record
from affiliates.referrals.models import MAX_REFERENCE, OrderReferral
from affiliates.sales.rules import SaleReason, SaleStatus, net_of
from affiliates.seals import SealField

MAX_DIGITS = 15
DECIMAL_PLACES = 3

_money_field = partial(
    MoneyField,
    max_digits=MAX_DIGITS,
    decimal_places=DECIMAL_PLACES,
    default_currency=None,
)


class InvoicePayment(Record):
    """The host said that an invoice is paid in full. Kept even when it credits nobody."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    invoice_ref = models.CharField("invoice", max_length=MAX_REFERENCE)
    order_ref = models.CharField("order", max_length=MAX_REFERENCE)
    payment_ref = models.CharField("payment", max_length=MAX_REFERENCE)
    gross = _money_field()
    lines = models.JSONField(encoder=DjangoJSONEncoder)
    renewal_number = models.PositiveIntegerField("renewal", default=0)
    paid_at = models.DateTimeField()
    received_at = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["-paid_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "invoice_ref"], name="invoice_is_paid_once"
            ),
        ]
        indexes = [
            models.Index(fields=["brand", "order_ref"], name="payments_of_order"),
            models.Index(fields=["payment_ref"], name="payment_by_reference"),
            models.Index(fields=["paid_at", "id"], name="payment_by_time"),
        ]

    def __str__(self) -> str:
        return str(getattr(self, "invoice_number", self.invoice_ref))

    @property
    def net(self) -> Money:
        """Sum of the lines, each to the minor unit: after discount, before tax."""
        return net_of(self.lines, self.gross.currency)


class InvoiceRefund(Record):
    """The host said that money of an invoice went back."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    invoice_ref = models.CharField("invoice", max_length=MAX_REFERENCE)
    refund_ref = models.CharField("refund", max_length=MAX_REFERENCE)
    kind = models.CharField(
        max_length=20, choices=[(kind, kind.name.title()) for kind in RefundKind]
    )
    gross = _money_field()
    refunded_at = models.DateTimeField()
    received_at = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["-refunded_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "invoice_ref", "refund_ref"],
                name="refund_is_recorded_once",
            ),
            models.CheckConstraint(condition=Q(gross__gt=0), name="refund_is_positive"),
        ]
        indexes = [
            models.Index(fields=["refund_ref"], name="refund_by_reference"),
            models.Index(fields=["refunded_at", "id"], name="refund_by_time"),
        ]

    def __str__(self) -> str:
        return self.refund_ref


class Sale(Record):
    """A paid invoice that an affiliate is credited for. One per invoice, for ever."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    order_referral = models.ForeignKey(
        OrderReferral, on_delete=models.PROTECT, related_name="sales"
    )
    payment = models.OneToOneField(
        InvoicePayment, on_delete=models.PROTECT, related_name="sale"
    )
    invoice_ref = models.CharField("invoice", max_length=MAX_REFERENCE)
    renewal_number = models.PositiveIntegerField(
        "renewal", default=0, help_text="0: the order's initial invoice."
    )
    affiliate = models.ForeignKey(Affiliate, on_delete=models.PROTECT, related_name="+")
    status = models.CharField(max_length=20, choices=SaleStatus.choices())
    reason = models.CharField(max_length=40, choices=SaleReason.choices())
    net = _money_field(help_text="Sum of the lines: after discount, before tax.")
    paid_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["-paid_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "invoice_ref"], name="invoice_makes_one_sale"
            ),
            models.UniqueConstraint(
                fields=["order_referral", "renewal_number"],
                name="order_makes_one_sale_per_renewal",
            ),
        ]
        indexes = [
            models.Index(fields=["paid_at", "id"], name="sale_by_time"),
            models.Index(fields=["brand", "paid_at"], name="sale_of_brand_by_day"),
        ]

    def __str__(self) -> str:
        return str(getattr(self, "invoice_number", self.invoice_ref))


class SaleReversal(Record):
    """The part of a sale that a refund took back: a negative entry, never an update."""

    sale = models.ForeignKey(Sale, on_delete=models.PROTECT, related_name="reversals")
    refund = models.OneToOneField(
        InvoiceRefund, on_delete=models.PROTECT, related_name="reversal"
    )
    net = _money_field()
    recorded_at = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["recorded_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(net__lte=0), name="reversal_is_never_positive"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.net} of {self.sale_id}"
